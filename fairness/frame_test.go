package fairness

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// framed returns the default frame with the given metrics.
func framed(t testing.TB, p Predictions, groups []Group, change func(*FrameOptions), metrics ...string) *Frame {
	t.Helper()
	o := DefaultFrameOptions()
	var err error
	if o.Metrics, err = FindMetrics(metrics...); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&o)
	}
	f, err := NewFrame(p, groups, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// plain is an estimate without an interval.
func plain(v Value) Estimate { return Estimate{v, Undefined(), Undefined()} }

func TestFrameByHand(t *testing.T) {
	p, groups := census()
	techniques := map[string]Technique{
		"base_rate": ClopperPearson, "tnr": ClopperPearson, "fnr": ClopperPearson, "precision": ClopperPearson, "selection_rate": ClopperPearson,
	}
	line := func(name string, overall, a, others, difference, ratio Value) Comparison {
		return Comparison{
			Name: name, Technique: techniques[name], Overall: plain(overall),
			Groups:     []GroupEstimate{{"a", plain(a)}, {"others", plain(others)}},
			Difference: plain(difference), Ratio: plain(ratio),
		}
	}
	none := Undefined()
	names := []string{"rows", "base_rate", "tnr", "fnr", "precision", "selection_rate"}
	f := framed(t, p, groups, func(o *FrameOptions) { o.Interval = NoInterval }, names...)
	if diff := cmp.Diff([]Comparison{
		line("rows", 8, 3, 5, none, none),
		line("base_rate", 0.5, 2.0/3, 0.4, 4.0/15, 0.6),
		line("tnr", 0.75, 0, 1, 1, 0),
		line("fnr", 0.25, 0.5, 0, 0.5, 0),
		line("precision", 0.75, 0.5, 1, 0.5, 0.5),
		line("selection_rate", 0.5, 2.0/3, 0.4, 4.0/15, 0.6),
	}, f.Metrics, approx); diff != "" {
		t.Error(diff)
	}
	want, err := Evaluate(p, groups)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, f.Report, exact); diff != "" {
		t.Errorf("the report: %s", diff)
	}
}

func TestFrameOfOneSet(t *testing.T) {
	p, _ := census()
	c := framed(t, p, nil, nil, "accuracy").Metrics[0]
	if c.Overall.Value != 0.75 || len(c.Groups) != 0 || c.Difference.Value.Defined() ||
		c.Ratio.Value.Defined() || c.Difference.Low.Defined() {
		t.Errorf("%+v", c)
	}
}

func TestRatiosOfNegativeScores(t *testing.T) {
	p := Predictions{Scores: []float64{-1, 3, 3, 7}} // 3 on average
	groups := []Group{
		{"mean", []bool{false, true, true, false}},
		{"low", []bool{true, false, false, false}},
		{"high", []bool{false, false, false, true}},
	}
	c := framed(t, p, groups, nil, "mean_score").Metrics[0]
	if c.Difference.Value != 8 || c.Ratio.Value.Defined() || c.Ratio.Low.Defined() {
		t.Errorf("difference %v, ratio %+v; want 8, undefined", c.Difference.Value, c.Ratio)
	}
}

// TestEqualGroupsMayDiffer asks for the uncertainty of a difference that is 0.
func TestEqualGroupsMayDiffer(t *testing.T) {
	p, groups := Predictions{Scores: make([]float64, 60), Threshold: 0.5}, []Group{{"g", make([]bool, 60)}}
	for i := range p.Scores {
		p.Scores[i] = float64(i % 2)
		groups[0].Member[i] = i < 20
	}
	c := framed(t, p, groups, nil, "selection_rate").Metrics[0]
	if d := c.Difference; d.Value != 0 || d.Low != 0 || !(d.High > 0.1 && d.High < 0.5) {
		t.Errorf("difference %+v, want 0 in an interval from 0 to about 0.27", d)
	}
	if r := c.Ratio; r.Value != 1 || r.High != 1 || !(r.Low > 0.3 && r.Low < 0.9) {
		t.Errorf("ratio %+v, want 1 in an interval to 1", r)
	}
}

// TestFrameAgreesWithBruteForce compares every metric with its definition, and every
// disparity with the extreme of all pairs.
func TestFrameAgreesWithBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(2, 30).Draw(t, "rows")
		p := Predictions{Threshold: 0.5, Scores: make([]float64, rows), Labels: make([]int8, rows), Weights: make([]float64, rows)}
		groups := make([]Group, rapid.IntRange(2, 4).Draw(t, "groups"))
		for g := range groups {
			groups[g] = Group{string(rune('a' + g)), make([]bool, rows)}
			groups[g].Member[rapid.IntRange(0, rows-1).Draw(t, "first member")] = true
		}
		for i := range rows {
			p.Scores[i] = float64(rapid.IntRange(1, 9).Draw(t, "score")) / 10
			p.Labels[i] = rapid.SampledFrom([]int8{-1, 1}).Draw(t, "label")
			p.Weights[i] = float64(rapid.IntRange(0, 3).Draw(t, "weight"))
			for _, g := range groups {
				g.Member[i] = g.Member[i] || rapid.Bool().Draw(t, "member")
			}
		}
		o := DefaultFrameOptions()
		o.Metrics, o.Interval = MetricList(), NoInterval
		f, err := NewFrame(p, groups, o)
		if err != nil {
			t.Fatal(err)
		}
		for k, m := range o.Metrics {
			if m.calibration {
				continue
			}
			value := func(member []bool) float64 {
				figures := naive(p, member)
				return float64(m.Value(&figures))
			}
			difference, ratio := math.Inf(-1), math.Inf(1)
			rounding := false // decides about the sign of a gap, and the sign about the ratio
			pair := func(a, b float64) {
				if math.IsNaN(a) || math.IsNaN(b) || m.count {
					return
				}
				difference = max(difference, math.Abs(a-b))
				for _, v := range []float64{a, b} {
					rounding = rounding || m.Name == "calibration_gap" && math.Abs(v) < 1e-12
				}
				if a < 0 || b < 0 {
					ratio = math.NaN()
				} else if a != 0 || b != 0 {
					ratio = min(ratio, min(a, b)/max(a, b))
				}
			}
			for g := range groups {
				v := value(groups[g].Member)
				if diff := cmp.Diff(Value(v), f.Metrics[k].Groups[g].Value, approx); diff != "" {
					t.Fatalf("%s of %s: %s", m.Name, groups[g].Name, diff)
				}
				for h := range g {
					pair(v, value(groups[h].Member))
				}
			}
			undefined := func(v float64) Value {
				if math.IsInf(v, 0) {
					return Undefined()
				}
				return Value(v)
			}
			if diff := cmp.Diff(undefined(difference), f.Metrics[k].Difference.Value, approx); diff != "" {
				t.Fatalf("difference of %s: %s", m.Name, diff)
			}
			if diff := cmp.Diff(undefined(ratio), f.Metrics[k].Ratio.Value, approx); diff != "" && !rounding {
				t.Fatalf("ratio of %s: %s", m.Name, diff)
			}
		}
	})
}

// sampled returns rows with scores between 0 and 1, the first third of which is a group
// with lower ones; a label is positive with the probability of its score.
func sampled(rows int, seed uint64) (Predictions, []Group) {
	random := rand.New(rand.NewPCG(seed, 0))
	p := Predictions{Threshold: 0.5, Scores: make([]float64, rows), Labels: make([]int8, rows)}
	g := Group{"g", make([]bool, rows)}
	for i := range rows {
		p.Scores[i] = random.Float64()
		if i < rows/3 {
			p.Scores[i] *= p.Scores[i]
			g.Member[i] = true
		}
		p.Labels[i] = -1
		if random.Float64() < p.Scores[i] {
			p.Labels[i] = 1
		}
	}
	return p, []Group{g}
}

// TestBootstrapOfManyRows compares intervals with intervals of the normal approximation.
// For uniform u the variance of u² is 4/45, and of u 1/12.
func TestBootstrapOfManyRows(t *testing.T) {
	const rows = 6000
	p, groups := sampled(rows, 1)
	f := framed(t, p, groups, nil, "mean_score", "accuracy", "auc")
	z := normalTail(0.05)
	accuracy := float64(f.Report.Accuracy)
	auc := float64(f.Report.AUC)
	positives, negatives := float64(f.Report.Positives), float64(f.Report.Negatives)
	// Hanley and McNeil, Radiology 143 (1982), approximate the variance of the AUC.
	q1, q2 := auc/(2-auc), 2*auc*auc/(1+auc)
	aucVariance := (auc*(1-auc) + (positives-1)*(q1-auc*auc) + (negatives-1)*(q2-auc*auc)) / (positives * negatives)
	for name, test := range map[string]struct {
		Estimate
		variance, tolerance float64
	}{
		"mean score of the group":   {f.Metrics[0].Groups[0].Estimate, 4.0 / 45 / (rows / 3), 0.15},
		"mean score of the others":  {f.Metrics[0].Groups[1].Estimate, 1.0 / 12 / (2 * rows / 3), 0.15},
		"difference of mean scores": {f.Metrics[0].Difference, 4.0/45/(rows/3) + 1.0/12/(2*rows/3), 0.15},
		"accuracy":                  {f.Metrics[1].Overall, accuracy * (1 - accuracy) / rows, 0.15},
		"AUC":                       {f.Metrics[2].Overall, aucVariance, 0.25},
	} {
		half := z * math.Sqrt(test.variance)
		if got := float64(test.High-test.Low) / 2; math.Abs(got/half-1) > test.tolerance {
			t.Errorf("%s: half width %.4g, want about %.4g", name, got, half)
		}
		if middle := float64(test.High+test.Low) / 2; math.Abs(middle-float64(test.Value)) > half/4 {
			t.Errorf("%s: %v is not in the middle of [%v, %v]", name, test.Value, test.Low, test.High)
		}
	}
}

func TestIntervalsDependOnTheSeedAlone(t *testing.T) {
	p, groups := sampled(300, 1)
	frame := func(seed uint64, processors int) *Frame {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		return framed(t, p, groups, func(o *FrameOptions) { o.Seed = seed }, "auc", "log_loss", "tpr")
	}
	want := frame(1, 1)
	if diff := cmp.Diff(want, frame(1, 4), exact); diff != "" {
		t.Errorf("on four processors instead of one: %s", diff)
	}
	if cmp.Equal(want.Metrics[0], frame(2, 1).Metrics[0], exact) {
		t.Error("another seed gives the same intervals")
	}
}

// TestLevelWidensIntervals also checks that an interval contains its value.
func TestLevelWidensIntervals(t *testing.T) {
	p, groups := sampled(300, 1)
	at := func(level float64) []Comparison {
		return framed(t, p, groups, func(o *FrameOptions) { o.Level = level }, "accuracy",
			"log_loss", "ece", "auc").Metrics
	}
	narrow, wide := at(0.5), at(0.99)
	for k := range narrow {
		n, w := narrow[k].Overall, wide[k].Overall
		if !(w.Low <= n.Low && n.Low < n.Value && n.Value < n.High && n.High < w.High) {
			t.Errorf("%s: %+v in %+v?", narrow[k].Name, n, w)
		}
		if d := wide[k].Difference; !(d.Low <= narrow[k].Difference.Low && d.High >= narrow[k].Difference.High) {
			t.Errorf("%s: difference %+v in %+v?", narrow[k].Name, narrow[k].Difference, d)
		}
	}
}

func TestWeightsInIntervals(t *testing.T) {
	p, groups := census()
	want := framed(t, p, groups, nil, "accuracy", "mean_score", "tpr", "auc", "log_loss")
	p.Weights = []float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}
	ignored := cmp.Options{cmpopts.IgnoreFields(Frame{}, "Report"), cmpopts.IgnoreFields(Comparison{}, "Approximate")}
	if diff := cmp.Diff(want, framed(t, p, groups, nil, "accuracy", "mean_score", "tpr", "auc",
		"log_loss"), approx, ignored); diff != "" {
		t.Errorf("equal weights make a difference: %s", diff)
	}
	// The positives weigh 1, 1, 2 and 0: (1 + 1 + 2)² / (1 + 1 + 4) = 8/3 rows.
	p.Weights = []float64{1, 5, 1, 2, 0, 5, 5, 5}
	c := framed(t, p, nil, nil, "tpr").Metrics[0]
	if diff := cmp.Diff(Share{0.75 * 8.0 / 3, 8.0 / 3}.Interval(0.95), c.Overall, approx); diff != "" {
		t.Error(diff)
	}
	if !c.Approximate {
		t.Error("an interval of weighted rows is called exact")
	}
}

func TestSmallGroupWarnings(t *testing.T) {
	// 40 rows: group b has 25 of them, a has 15 with 5 positives and no positive decision.
	const rows = 40
	p := Predictions{Threshold: 0.5, Scores: make([]float64, rows), Labels: make([]int8, rows)}
	a, b := Group{"a", make([]bool, rows)}, Group{"b", make([]bool, rows)}
	for i := range rows {
		p.Labels[i] = -1
		if i < 15 {
			a.Member[i] = true
			if i < 5 {
				p.Labels[i] = 1
			}
			continue
		}
		b.Member[i] = true
		p.Scores[i] = 1
		if i < 30 {
			p.Labels[i] = 1
		}
	}
	f := framed(t, p, []Group{a, b}, nil, "rows", "tpr", "fpr", "precision", "auc")
	want := []Warning{
		{"a", nil, 15, "group a: 15 rows, fewer than 30: not statistically significant (5 of them positive)", 5},
		{"a", []string{"tpr", "auc"}, 5, "group a: only 5 rows with a positive label for tpr, auc, fewer than 10: very small group", 5},
		{"a", []string{"precision"}, 0, "group a: no rows with a positive decision, so there is no precision", 5},
		{"b", nil, 25, "group b: 25 rows, fewer than 30: not statistically significant (15 of them positive)", 15},
	}
	if diff := cmp.Diff(want, f.Warnings); diff != "" {
		t.Error(diff)
	}

	// One row with a negative label alone, and ten others.
	f = framed(t, Predictions{Scores: make([]float64, 11), Labels: []int8{-1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}, nil, nil, "tnr")
	if got := f.Warnings[1].Message; !strings.Contains(got, "only 1 row with a negative label for tnr") {
		t.Errorf("of one row: %s", got)
	}
	// A few rows need no warning for each part of them, unless it is empty.
	f = framed(t, Predictions{Scores: []float64{0, 1, 0}, Labels: []int8{-1, 1, -1}, Threshold: 2},
		nil, nil, "tpr", "precision")
	if len(f.Warnings) != 2 || f.Warnings[1].Message != "all rows: no rows with a positive decision, so there is no precision" {
		t.Errorf("of three rows: %+v", f.Warnings)
	}

	p.Weights = make([]float64, rows)
	for i := range p.Weights {
		p.Weights[i] = 1
	}
	p.Weights[0] = 4 // of the positives of a: 8²/20 = 3.2 rows
	f = framed(t, p, []Group{a, b}, nil, "tpr")
	if got := f.Warnings[1].Message; !strings.Contains(got,
		"only rows with a positive label worth 3.2 of equal weight for tpr") {
		t.Errorf("with weights: %s", got)
	}

	p.Labels = nil
	if f = framed(t, p, []Group{a, b}, nil, "accuracy", "tpr"); len(f.Warnings) != 2 {
		t.Errorf("without labels: %+v, want one warning for each group", f.Warnings)
	}
}

func TestFrameErrors(t *testing.T) {
	for want, change := range map[string]func(*FrameOptions){
		"Metrics is empty":                 func(o *FrameOptions) { o.Metrics = nil },
		`Interval is "wald"`:               func(o *FrameOptions) { o.Interval = "wald" },
		"Level is 1, must be at least 0.5": func(o *FrameOptions) { o.Level = 1 },
		"Level is NaN":                     func(o *FrameOptions) { o.Level = math.NaN() },
	} {
		p, groups := census()
		o := DefaultFrameOptions()
		change(&o)
		if _, err := NewFrame(p, groups, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	p, groups := census()
	if _, err := NewFrame(p, append(groups, groups[0]), DefaultFrameOptions()); err == nil {
		t.Error("two groups of one name: no error")
	}
	p.Scores[0] = math.Inf(1)
	if _, err := NewFrame(p, groups, DefaultFrameOptions()); err == nil {
		t.Error("an infinite score: no error")
	}
	for want, names := range map[string][]string{
		`no metric "recall", only rows, accuracy`: {"tpr", "recall"},
		"metric tpr is given twice":               {"tpr", "fpr", "tpr"},
	} {
		if _, err := FindMetrics(names...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestFrameJSON(t *testing.T) {
	p, groups := census()
	p.Labels = []int8{-1, -1, -1, 1, 1, -1, -1, -1} // no positives in a
	f := framed(t, p, groups, nil, "rows", "tpr")
	data, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	if part := `{"name":"tpr","overall":{"value":1,"low":`; !strings.Contains(string(data), part) {
		t.Errorf("no %s in %s", part, data)
	}
	if part := `"groups":[{"name":"a","value":null,"low":null,"high":null},`; !strings.Contains(string(data), part) {
		t.Errorf("no %s in %s", part, data)
	}
	var back Frame
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f, &back, exact, cmpopts.IgnoreFields(Frame{}, "Report")); diff != "" {
		t.Errorf("after a round trip: %s", diff)
	}
}
