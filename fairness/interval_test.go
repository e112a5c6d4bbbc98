package fairness

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// TestClopperPearson has the examples of R. G. Newcombe, Two-sided confidence intervals for
// the single proportion, Statistics in Medicine 17 (1998), table I, method 5.
func TestClopperPearson(t *testing.T) {
	for _, test := range []struct{ cases, rows, low, high float64 }{
		{81, 263, 0.2527, 0.3676},
		{15, 148, 0.0578, 0.1617},
		{0, 20, 0, 0.1684},
		{1, 29, 0.0009, 0.1776},
		{29, 29, 0.8806, 1}, // 0.025^(1/29)
	} {
		e := Share{test.cases, test.rows}.Interval(0.95)
		if math.Abs(float64(e.Low)-test.low) > 5e-5 || math.Abs(float64(e.High)-test.high) > 5e-5 {
			t.Errorf("%v of %v: %+v, want [%v, %v]", test.cases, test.rows, e, test.low, test.high)
		}
	}
	if e := (Share{}).Interval(0.95); e.Value.Defined() || e.Low.Defined() || e.High.Defined() {
		t.Errorf("of no rows: %+v, want none", e)
	}
}

// TestClopperPearsonOfManyRows checks the definition: with a share at a limit, as many cases
// or more (fewer) have half of the tail.
func TestClopperPearsonOfManyRows(t *testing.T) {
	for _, rows := range []float64{12, 1000, 43187, 1e6, 3.1e7} {
		for _, cases := range []float64{1, 6, 10, rows / 3} {
			for _, tail := range []float64{0.05, 1e-3, 1e-7} {
				few := clopperPearson(cases/rows, rows, tail)
				many := clopperPearson(1-cases/rows, rows, tail)
				for name, got := range map[string]float64{
					"at least": mathext.RegIncBeta(cases, rows-cases+1, few.low),
					"at most":  1 - mathext.RegIncBeta(cases+1, rows-cases, few.high),
					"mirrored": 1 - mathext.RegIncBeta(cases+1, rows-cases, 1-many.low),
				} {
					if math.Abs(got/(tail/2)-1) > 1e-3 {
						t.Errorf("%v of %v, tail %v: %s has probability %v, want half of the tail",
							cases, rows, tail, name, got)
					}
				}
			}
		}
	}
}

// TestIntervalsUseTheDenominator checks which rows each share is taken of.
func TestIntervalsUseTheDenominator(t *testing.T) {
	p, _ := census()
	p.Threshold = 0.6 // two selected, both positive; four positives, four negatives
	for name, share := range map[string]Share{
		"accuracy": {6, 8}, "selection_rate": {2, 8}, "base_rate": {4, 8}, "tpr": {2, 4}, "fnr": {2, 4}, "fpr": {0, 4}, "tnr": {4, 4}, "precision": {2, 2},
	} {
		if diff := cmp.Diff(share.Interval(0.95), framed(t, p, nil, nil, name).Metrics[0].Overall, approx); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	// A sum of two shares is 1 more than the difference of one and the rest of the other.
	half := framed(t, p, nil, nil, "balanced_accuracy").Metrics[0].Overall
	least := -differences.upper(shareOf(0, 4, 0.05), shareOf(2, 4, 0.05), 0.05, -1, 1)
	most := differences.upper(shareOf(2, 4, 0.05), shareOf(0, 4, 0.05), 0.05, -1, 1)
	if want := (Estimate{0.75, Value(1+least) / 2, Value(1+most) / 2}); !cmp.Equal(half, want, approx) {
		t.Errorf("balanced accuracy %+v, want %+v", half, want)
	}
}

// binomial returns the numbers of cases in n rows that are not too unlikely, with their
// probabilities.
func binomial(n int, rate float64) (cases []int, probability []float64) {
	d := distuv.Binomial{N: float64(n), P: rate}
	for k := range n + 1 {
		p := 0.0
		switch {
		case rate == 0 || rate == 1: // which distuv has no logarithm of
			if float64(k) == rate*float64(n) {
				p = 1
			}
		default:
			p = d.Prob(float64(k))
		}
		if p > 1e-9 {
			cases, probability = append(cases, k), append(probability, p)
		}
	}
	return cases, probability
}

// TestUnknownGroup: where a group has no rows of the label, the gap may be as large as its rate may
// be far away.
func TestUnknownGroup(t *testing.T) {
	p := Predictions{Threshold: 0.5}
	members := make([][]bool, 3)
	for i := range 300 {
		p.Scores, p.Labels = append(p.Scores, float64(i%5)/4), append(p.Labels, int8(1-2*(i%2)))
		for g := range members {
			members[g] = append(members[g], g == i/145)
		}
		if i >= 290 {
			p.Labels[i] = -1
		}
	}
	groups := []Group{{"a", members[0]}, {"b", members[1]}, {"c", members[2]}}
	f := framed(t, p, groups, nil, "tpr", "auc", "fpr", "accuracy")
	for _, c := range f.Metrics {
		lacks := c.Name == "tpr" || c.Name == "auc"
		if unknown := !c.Groups[2].Value.Defined() && !c.Groups[2].Low.Defined() &&
			!c.Groups[2].High.Defined(); unknown != lacks {
			t.Errorf("%s of c is %+v", c.Name, c.Groups[2])
		}
		far := max(c.Groups[0].High, c.Groups[1].High, 1-c.Groups[0].Low, 1-c.Groups[1].Low)
		if !c.Difference.Value.Defined() || lacks &&
			(c.Difference.High != far || c.Ratio.Low != 0) || !lacks && c.Difference.High >= far {
			t.Errorf("%s: difference %+v, ratio %+v, want at most %v", c.Name, c.Difference, c.Ratio, far)
		}
	}
}

// TestManyGroups counts how often a gap between groups is called significant. For equal
// groups this may happen in one audit of twenty. A true gap must be in the interval. The test
// fails in 19 cases of 20 where one audit in eleven is wrong.
func TestManyGroups(t *testing.T) {
	audits := 500
	if testing.Short() {
		audits = 100
	}
	source := rand.NewPCG(1, 0)
	for _, groups := range []int{5, 10} {
		for _, n := range []float64{12, 100, 1000} {
			for _, rate := range []float64{0.05, 0.5} {
				for _, gap := range []float64{0, 0.2} {
					missed := 0
					for range audits {
						shares := make([]Share, groups)
						for g := range shares {
							p := rate
							if g%2 == 1 {
								p += gap
							}
							shares[g] = Share{distuv.Binomial{N: n, P: p, Src: source}.Rand(), n}
						}
						difference, ratio := CompareShares(shares, 0.95)
						truth := [2]float64{gap, rate / (rate + gap)}
						if !contains(difference, truth[0]) || !contains(ratio, truth[1]) {
							missed++
						}
						if (difference.Low > 0) != (ratio.High < 1) {
							t.Fatalf("%v: difference %+v and ratio %+v disagree about chance",
								shares, difference, ratio)
						}
					}
					// Two standard deviations beyond what is allowed.
					if share := float64(missed) / float64(audits); share > 0.05+2*math.Sqrt(0.05*0.95/float64(audits)) {
						t.Errorf("%d groups of %v rows, rate %v: a gap of %v is missed in %.4f of all audits", groups, n, rate, gap, share)
					}
				}
			}
		}
	}
}

// contains allows for rounding.
func contains(e Estimate, truth float64) bool {
	return float64(e.Low) <= truth+1e-12 && truth-1e-12 <= float64(e.High)
}

// TestGapOfMoreGroupsIsLessSure adds groups between two groups with a significant gap.
func TestGapOfMoreGroupsIsLessSure(t *testing.T) {
	shares := []Share{{40, 100}, {60, 100}}
	two, _ := CompareShares(shares, 0.95)
	for range 8 {
		shares = append(shares, Share{50, 100})
	}
	ten, _ := CompareShares(shares, 0.95)
	if !(two.Low > 0) || ten.Low != 0 || ten.Value != two.Value || ten.High != two.High {
		t.Errorf("of two groups %+v, of ten %+v: want the same value and upper bound, and a lower bound of 0", two, ten)
	}
}

// TestBootstrapOfSharesIsExact has scores of 0 and 1, whose mean is a share.
func TestBootstrapOfSharesIsExact(t *testing.T) {
	for _, share := range []Share{{0, 12}, {1, 12}, {30, 100}, {20, 20}} {
		p := Predictions{Threshold: 0.5, Scores: make([]float64, int(share.Rows))}
		for i := range int(share.Cases) {
			p.Scores[i] = 1
		}
		f := framed(t, p, nil, func(o *FrameOptions) { o.resamples = 20000 }, "mean_score", "selection_rate")
		bootstrap, exact := f.Metrics[0].Overall, f.Metrics[1].Overall
		if math.Abs(float64(bootstrap.Low-exact.Low)) > 0.01 || math.Abs(float64(bootstrap.High-exact.High)) > 0.01 {
			t.Errorf("%v: %+v, want about %+v", share, bootstrap, exact)
		}
	}
}

// TestBootstrapCoverage counts how often intervals contain the truth: scores are of a
// skewed beta distribution, labels positive with the probability of the score.
func TestBootstrapCoverage(t *testing.T) {
	const audits, rows = 300, 20
	source := rand.NewPCG(1, 0)
	random := rand.New(source)
	names := []string{"mean_score", "calibration_gap", "ece"}
	for _, rate := range []float64{0.05, 0.5} {
		scores := distuv.Beta{Alpha: 4 * rate, Beta: 4 * (1 - rate), Src: source}
		truth := []float64{rate, 0, 0}
		covered := make([]int, len(names))
		for audit := range audits {
			p := Predictions{Threshold: 0.5}
			for range rows {
				s := scores.Rand()
				p.Scores, p.Labels = append(p.Scores, s), append(p.Labels, -1)
				if random.Float64() < s {
					p.Labels[len(p.Labels)-1] = 1
				}
			}
			f := framed(t, p, nil, func(o *FrameOptions) { o.Seed, o.resamples = uint64(audit), 500 }, names...)
			for k, m := range f.Metrics {
				if contains(m.Overall, truth[k]) {
					covered[k]++
				}
			}
		}
		for k, name := range names {
			// Approximate intervals must hold in 93 % of all cases, here to within two standard
			// deviations.
			if share := float64(covered[k]) / audits; share < 0.93-2*math.Sqrt(0.05*0.95/audits) {
				t.Errorf("rate %v: the intervals of %s contain it in %.3f of all audits", rate, name, share)
			}
		}
	}
}

// TestGammaWeights compares mean and variance, which are the shape.
func TestGammaWeights(t *testing.T) {
	const draws = 400000
	draw := newWeights(rand.NewPCG(1, 0))
	for _, shape := range []float64{0.5, 1, 3.9, 4, 50} {
		values := make([]float64, draws)
		for i := range values {
			values[i] = draw.gamma(shape)
		}
		mean, variance := stat.MeanVariance(values, nil)
		if math.Abs(mean/shape-1) > 5/math.Sqrt(draws*shape) || math.Abs(variance/shape-1) > 0.02 {
			t.Errorf("shape %v: mean %v, variance %v", shape, mean, variance)
		}
	}
}

// TestAtomsKeepFigures merges many rows and compares the figures.
func TestAtomsKeepFigures(t *testing.T) {
	p, _ := sampled(20000, 1)
	p.Weights = make([]float64, len(p.Scores))
	for i := range p.Weights {
		p.Weights[i] = float64(i%3) / 2
	}
	rows := p.byScore()
	want := measure(rows, true)
	var merged tally
	atoms := atomsOf(rows)
	for k := range atoms {
		merged.add(&atoms[k].row, atoms[k].mass)
	}
	if len(atoms) > 4*mostBins {
		t.Errorf("%d atoms", len(atoms))
	}
	got := merged.metrics(true)
	for _, m := range MetricList() {
		if m.count || m.calibration {
			continue
		}
		if v, w := m.Value(&got), m.Value(&want); math.Abs(float64(v-w)) > 1e-4 {
			t.Errorf("%s is %.6f, of the rows %.6f", m.Name, float64(v), float64(w))
		}
	}
}

// TestIntervalsInTheirRange: the AUC of rows that are told apart is at most 1, as is all that it
// may be, and groups of equal scores have no difference by the rounding of sums.
func TestIntervalsInTheirRange(t *testing.T) {
	p := Predictions{Threshold: 0.5}
	groups := []Group{{Name: "a"}, {Name: "b"}}
	for i := range 4000 { // so many scores that they are merged, and one run has both labels
		label := int8(-1)
		if i >= 2000 || i == 1998 { // one negative is above one positive
			label = 1
		}
		p.Scores, p.Labels = append(p.Scores, (float64(i)+0.5)/4000), append(p.Labels, label)
		groups[0].Member = append(groups[0].Member, i%2 == 0)
		groups[1].Member = append(groups[1].Member, i%2 == 1)
	}
	for _, m := range framed(t, p, groups, nil, "auc").Metrics {
		if e := m.Overall; !(e.Low >= 0 && e.Value < 1 && e.High <= 1) {
			t.Errorf("auc %v, between %v and %v", e.Value, e.Low, float64(e.High))
		}
	}
	p.Scores, p.Labels, groups[0].Member, groups[1].Member = p.Scores[:40], p.Labels[:40], groups[0].Member[:40], groups[1].Member[:40]
	for i := range 40 {
		p.Scores[i], p.Labels[i] = 0.7, int8(1-2*(i%2))
		groups[0].Member[i], groups[1].Member[i] = i < 12, i >= 12
	}
	for _, m := range framed(t, p, groups, nil, "log_loss", "mean_score").Metrics {
		if d := m.Difference; d.Value != 0 || d.Low > 0 {
			t.Errorf("%s differs by %v, at least %v, of equal scores and labels", m.Name, d.Value, d.Low)
		}
	}
}
