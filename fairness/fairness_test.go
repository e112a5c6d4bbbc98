package fairness

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// exact compares values as numbers, undefined ones being equal; approx allows for rounding.
var (
	exact = cmp.Options{
		cmp.Transformer("number", func(v Value) float64 { return float64(v) }),
		cmpopts.EquateNaNs(),
	}
	approx = cmp.Options{exact, cmpopts.EquateApprox(0, 1e-12)}
	// noBins leaves out what calibration_test.go looks at.
	noBins = cmpopts.IgnoreFields(Metrics{}, "ECE", "Calibration")
)

// census is eight rows worked out by hand, the first three in group a:
//
//	group   a    a    a    –    –    –    –    –
//	score  .9   .5   .2   .8   .5   .4   .3   .1
//	label   +    −    +    +    +    −    −    −
func census() (Predictions, []Group) {
	return Predictions{
		Scores:    []float64{0.9, 0.5, 0.2, 0.8, 0.5, 0.4, 0.3, 0.1},
		Threshold: 0.5,
		Labels:    []int8{1, -1, 1, 1, 1, -1, -1, -1},
	}, []Group{{"a", []bool{true, true, true, false, false, false, false, false}}}
}

func TestEvaluateByHand(t *testing.T) {
	p, groups := census()
	got, err := Evaluate(p, groups)
	if err != nil {
		t.Fatal(err)
	}
	ln := func(product float64, rows int) Value { return Value(-math.Log(product) / float64(rows)) }
	want := &Report{
		Threshold: 0.5,
		Gini:      2*12.5/16 - 1,
		KS:        0.5, // above .5 half of the positives and no negative, from .5 on 3/4 and 1/4
		Metrics: Metrics{
			Rows: 8, SelectionRate: 0.5, MeanScore: 3.7 / 8,
			Accuracy: 0.75, BalancedAccuracy: 0.75, TPR: 0.75, FPR: 0.25,
			// of 16 pairs: .9 and .8 win 4 each, .5 wins 3 and ties 1, .2 wins 1
			AUC: 12.5 / 16, LogLoss: ln(0.9*0.5*0.2*0.8*0.5*0.6*0.7*0.9, 8), CalibrationGap: 3.7/8 - 0.5,
			Positives: 4, Negatives: 4, TruePositives: 3, FalsePositives: 1, TrueNegatives: 3, FalseNegatives: 1,
		},
		Groups: []GroupMetrics{
			{"a", Metrics{
				Rows: 3, SelectionRate: 2.0 / 3, MeanScore: 1.6 / 3,
				Accuracy: 1.0 / 3, BalancedAccuracy: 0.25, TPR: 0.5, FPR: 1,
				AUC: 0.5, LogLoss: ln(0.9*0.5*0.2, 3), CalibrationGap: (1.6 - 2) / 3,
				Positives: 2, Negatives: 1, TruePositives: 1, FalsePositives: 1, FalseNegatives: 1,
			}},
			{"others", Metrics{
				Rows: 5, SelectionRate: 0.4, MeanScore: 0.42,
				Accuracy: 1, BalancedAccuracy: 1, TPR: 1, FPR: 0,
				AUC: 1, LogLoss: ln(0.8*0.5*0.6*0.7*0.9, 5), CalibrationGap: 0.02,
				Positives: 2, Negatives: 3, TruePositives: 2, TrueNegatives: 3,
			}},
		},
		Disparities: Disparities{
			DemographicParityDifference: 2.0/3 - 0.4,
			DemographicParityRatio:      0.6,
			EqualOpportunityDifference:  0.5,
			EqualizedOddsDifference:     1,
			PredictiveParityDifference:  0.5,
		},
	}
	if diff := cmp.Diff(want, got, approx, noBins); diff != "" {
		t.Error(diff)
	}
}

func TestWithoutLabels(t *testing.T) {
	p, groups := census()
	p.Labels = nil
	r, err := Evaluate(p, groups)
	if err != nil {
		t.Fatal(err)
	}
	if r.SelectionRate != 0.5 || math.Abs(float64(r.DemographicParityRatio)-0.6) > 1e-15 {
		t.Errorf("selection rate %v, parity ratio %v; want 0.5, 0.6", r.SelectionRate, r.DemographicParityRatio)
	}
	for name, v := range map[string]Value{
		"accuracy": r.Accuracy, "AUC": r.AUC, "log loss": r.LogLoss, "positives": r.Groups[1].Positives,
		"equal opportunity": r.EqualOpportunityDifference, "equalized odds": r.EqualizedOddsDifference,
	} {
		if v.Defined() {
			t.Errorf("%s is %v, want undefined", name, v)
		}
	}
}

func TestUndefinedFigures(t *testing.T) {
	// Group b has no positives and group c nobody selected; a has both.
	p := Predictions{
		Scores:    []float64{1, 0, 1, 0, 0, 0},
		Threshold: 1,
		Labels:    []int8{1, -1, -1, -1, 1, -1},
	}
	r, err := Evaluate(p, []Group{
		{"a", []bool{true, true, false, false, false, false}},
		{"b", []bool{false, false, true, true, false, false}},
		{"c", []bool{false, false, false, false, true, true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	b := r.Groups[1].Metrics
	if b.TPR.Defined() || b.AUC.Defined() || b.BalancedAccuracy.Defined() || b.FPR != 0.5 {
		t.Errorf("b, which has no positives: %+v", b)
	}
	if got := r.EqualOpportunityDifference; got != 1 { // between a and c, where it is defined
		t.Errorf("equal opportunity difference %v, want 1", got)
	}
	if got := r.Ratio(func(m *Metrics) Value { return m.SelectionRate }); got != 0 {
		t.Errorf("parity ratio %v, want 0", got)
	}
	if got := r.Ratio(func(*Metrics) Value { return 0 }); got.Defined() {
		t.Errorf("ratio of zeros %v, want undefined", got)
	}
}

func TestDifferenceNeedsTwoGroups(t *testing.T) {
	p, _ := census()
	everyone := []bool{true, true, true, true, true, true, true, true}
	for name, groups := range map[string][]Group{"no group": nil, "a group of all rows": {{"all", everyone}}} {
		r, err := Evaluate(p, groups)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(r.Groups) != len(groups) || r.DemographicParityDifference.Defined() {
			t.Errorf("%s: %d groups, difference %v; want %d, undefined", name, len(r.Groups),
				r.DemographicParityDifference, len(groups))
		}
	}
}

func TestLogLossOfScoresThatAreNotProbabilities(t *testing.T) {
	p := Predictions{Scores: []float64{-1.5, 2}, Labels: []int8{-1, 1}}
	r, err := Evaluate(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.LogLoss.Defined() || r.Accuracy != 1 || r.AUC != 1 {
		t.Errorf("log loss %v, accuracy %v, AUC %v; want undefined, 1, 1", r.LogLoss, r.Accuracy, r.AUC)
	}
	p.Scores = []float64{1, 0}
	if r, err = Evaluate(p, nil); err != nil || r.LogLoss != Value(52*math.Ln2) {
		t.Errorf("log loss of certain errors %v (%v), want 52 ln 2", r.LogLoss, err)
	}
}

func TestEvaluateErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	tests := map[string]struct {
		change func(*Predictions, *[]Group)
		want   string
	}{
		"no rows":           {func(p *Predictions, _ *[]Group) { p.Scores = nil }, "no rows"},
		"labels":            {func(p *Predictions, _ *[]Group) { p.Labels = p.Labels[:7] }, "7 labels for 8 scores"},
		"weights":           {func(p *Predictions, _ *[]Group) { p.Weights = []float64{1} }, "1 weights for 8 scores"},
		"threshold":         {func(p *Predictions, _ *[]Group) { p.Threshold = nan }, "threshold is NaN"},
		"NaN score":         {func(p *Predictions, _ *[]Group) { p.Scores[2] = nan }, "score of row 3 is NaN"},
		"infinite score":    {func(p *Predictions, _ *[]Group) { p.Scores[0] = inf }, "score of row 1 is +Inf"},
		"label 0":           {func(p *Predictions, _ *[]Group) { p.Labels[7] = 0 }, "label of row 8 is 0"},
		"negative weight":   {func(p *Predictions, _ *[]Group) { p.Weights = []float64{1, -1, 1, 1, 1, 1, 1, 1} }, "weight of row 2 is -1"},
		"group length":      {func(_ *Predictions, g *[]Group) { (*g)[0].Member = []bool{true} }, `group "a" has 1 entries for 8 rows`},
		"empty group":       {func(_ *Predictions, g *[]Group) { (*g)[0].Member = make([]bool, 8) }, `group "a" has no rows`},
		"duplicate":         {func(_ *Predictions, g *[]Group) { *g = append(*g, (*g)[0]) }, `two groups are named "a"`},
		"others, the group": {func(_ *Predictions, g *[]Group) { (*g)[0].Name = Others }, `two groups are named "others"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p, groups := census()
			test.change(&p, &groups)
			if _, err := Evaluate(p, groups); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// naive computes metrics from their definitions, pair by pair and set by set.
func naive(p Predictions, member []bool) Metrics {
	weigh := func(pick func(i int) bool) (sum Value) {
		for i := range p.Scores {
			if member[i] && pick(i) {
				sum += Value(p.Weights[i])
			}
		}
		return sum
	}
	selected := func(i int) bool { return p.Scores[i] >= p.Threshold }
	positive := func(i int) bool { return p.Labels[i] == 1 }
	all := func(int) bool { return true }
	var m Metrics
	for i := range p.Scores {
		if !member[i] {
			continue
		}
		m.Rows++
		m.MeanScore += Value(p.Weights[i] * p.Scores[i])
		if positive(i) {
			m.LogLoss -= Value(p.Weights[i] * math.Log(p.Scores[i]))
		} else {
			m.LogLoss -= Value(p.Weights[i] * math.Log(1-p.Scores[i]))
		}
		for j := range p.Scores {
			if member[j] && positive(i) && !positive(j) {
				pair := Value(p.Weights[i] * p.Weights[j])
				switch {
				case p.Scores[i] > p.Scores[j]:
					m.AUC += pair
				case p.Scores[i] == p.Scores[j]:
					m.AUC += pair / 2
				}
			}
		}
	}
	m.Positives = weigh(positive)
	m.Negatives = weigh(func(i int) bool { return !positive(i) })
	m.TruePositives = weigh(func(i int) bool { return positive(i) && selected(i) })
	m.FalsePositives = weigh(func(i int) bool { return !positive(i) && selected(i) })
	m.TrueNegatives = weigh(func(i int) bool { return !positive(i) && !selected(i) })
	m.FalseNegatives = weigh(func(i int) bool { return positive(i) && !selected(i) })
	m.SelectionRate = weigh(selected) / weigh(all)
	m.MeanScore /= weigh(all)
	m.LogLoss /= weigh(all)
	m.Accuracy = (m.TruePositives + m.TrueNegatives) / weigh(all)
	m.TPR = m.TruePositives / m.Positives
	m.FPR = m.FalsePositives / m.Negatives
	m.BalancedAccuracy = (m.TPR + m.TrueNegatives/m.Negatives) / 2
	m.AUC /= m.Positives * m.Negatives
	m.CalibrationGap = m.MeanScore - m.Positives/weigh(all)
	return m
}

func TestEvaluateAgreesWithDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.IntRange(1, 30).Draw(t, "rows")
		p := Predictions{
			Scores:    make([]float64, rows),
			Threshold: float64(rapid.IntRange(1, 9).Draw(t, "threshold")) / 10,
			Labels:    make([]int8, rows),
			Weights:   make([]float64, rows),
		}
		groups := []Group{{"g", make([]bool, rows)}, {"h", make([]bool, rows)}}
		groups[0].Member[0], groups[1].Member[rows-1] = true, true
		everyone := make([]bool, rows)
		for i := range rows {
			p.Scores[i] = float64(rapid.IntRange(1, 9).Draw(t, "score")) / 10 // many ties
			p.Labels[i] = rapid.SampledFrom([]int8{-1, 1}).Draw(t, "label")
			p.Weights[i] = float64(rapid.IntRange(0, 3).Draw(t, "weight"))
			everyone[i] = true
			for _, g := range groups {
				g.Member[i] = g.Member[i] || rapid.Bool().Draw(t, "member")
			}
		}
		r, err := Evaluate(p, groups)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(naive(p, everyone), r.Metrics, approx, noBins); diff != "" {
			t.Fatalf("all rows: %s", diff)
		}
		for i, g := range groups {
			if diff := cmp.Diff(naive(p, g.Member), r.Groups[i].Metrics, approx, noBins); diff != "" {
				t.Fatalf("group %s: %s", g.Name, diff)
			}
		}
		difference := Value(math.Abs(float64(r.Groups[0].SelectionRate - r.Groups[1].SelectionRate)))
		if diff := cmp.Diff(difference, r.DemographicParityDifference, approx); diff != "" {
			t.Fatalf("demographic parity difference: %s", diff)
		}
	})
}

// TestWeightsAreRepetitions checks weighted figures against repeated rows.
func TestWeightsAreRepetitions(t *testing.T) {
	p, groups := census()
	weighted, repeated := p, Predictions{Threshold: p.Threshold}
	member := []bool{}
	weighted.Weights = []float64{2, 1, 3, 0, 1, 2, 1, 4}
	for i, w := range weighted.Weights {
		for range int(w) {
			repeated.Scores = append(repeated.Scores, p.Scores[i])
			repeated.Labels = append(repeated.Labels, p.Labels[i])
			member = append(member, groups[0].Member[i])
		}
	}
	got, err := Evaluate(weighted, groups)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Evaluate(repeated, []Group{{"a", member}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, approx, cmpopts.IgnoreFields(Metrics{}, "Rows"), noBins); diff != "" {
		t.Error(diff)
	}
}

func TestReportJSON(t *testing.T) {
	p, groups := census()
	p.Labels = []int8{-1, -1, -1, 1, 1, -1, -1, -1} // no positives in a
	r, err := Evaluate(p, groups)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"rows", "accuracy", "auc", "groups",
		"demographic_parity_difference", "demographic_parity_ratio", "equalized_odds_difference",
	} {
		if _, present := fields[name]; !present {
			t.Errorf("no %q in %s", name, data)
		}
	}
	group := fields["groups"].([]any)[0].(map[string]any)
	for _, name := range []string{"name", "rows", "selection_rate", "mean_score", "accuracy", "fpr"} {
		if group[name] == nil {
			t.Errorf("no value for %q in the group %v", name, group)
		}
	}
	if tpr, present := group["tpr"]; !present || tpr != nil {
		t.Errorf("tpr = %v (present: %v), want null", tpr, present)
	}
	var back Report
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, &back, exact); diff != "" {
		t.Errorf("after a round trip: %s", diff)
	}
}

func TestValueInPrint(t *testing.T) {
	for want, got := range map[string]string{
		"0.2500": Value(0.25).String(), "0.3": Value(0.25 +
			1e-9).Text(1), "–": Undefined().String(), "1561": Value(1561).Text(0),
	} {
		if got != want {
			t.Errorf("printed %q, want %q", got, want)
		}
	}
}
