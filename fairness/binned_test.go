package fairness

import (
	"bytes"
	"encoding/gob"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// TestBinned compares figures from bins with those of the same predictions, kept and sorted.
func TestBinned(t *testing.T) {
	for _, weighted := range []bool{false, true} {
		const rows = 20_000
		r := rand.New(rand.NewPCG(1, 2))
		p := Predictions{Threshold: 0.4}
		groups := []Group{{Name: "a"}, {Name: "b"}, {Name: "c"}}
		var parts [2]*Binned // rows in two places
		for k := range parts {
			parts[k] = NewBinned(p.Threshold, []string{"a", "b", "c"}, weighted)
		}
		for i := range rows {
			score, label, w := math.Sqrt(r.Float64()), int8(-1), 1.0
			if r.Float64() < score {
				label = 1
			}
			if weighted {
				w = 1 + r.Float64()
				p.Weights = append(p.Weights, w)
			}
			p.Scores, p.Labels = append(p.Scores, score), append(p.Labels, label)
			var in []int
			for k, is := range []bool{i%5 < 2, i%5 == 2, r.IntN(2) == 0} {
				if is {
					in = append(in, k)
				}
				groups[k].Member = append(groups[k].Member, is)
			}
			parts[i%2].Add(in, score, label, w)
		}
		b := parts[1]
		var sent bytes.Buffer
		if err := gob.NewEncoder(&sent).Encode(parts[0]); err != nil {
			t.Fatal(err)
		}
		copied := new(Binned)
		if err := gob.NewDecoder(&sent).Decode(copied); err != nil {
			t.Fatal(err)
		}
		if err := b.Merge(copied); err != nil {
			t.Fatal(err)
		}
		if err := NewBinned(p.Threshold, nil, weighted).Merge(copied); err == nil {
			t.Error("bins of three groups were merged with those of none")
		}
		judged, err := b.Judged()
		if err != nil {
			t.Fatal(err)
		}
		want, err := Evaluate(p, groups)
		if err != nil {
			t.Fatal(err)
		}
		got := judged.Evaluate()
		// Pairs that count as ties, and bins that end elsewhere, are a small part of all.
		ranked := func(path cmp.Path) bool {
			return slices.Contains([]string{".AUC", ".ECE", ".Gini", ".KS"}, path.Last().String())
		}
		coarse := cmp.FilterPath(ranked, cmp.Comparer(func(a, b Value) bool { return math.Abs(float64(a-b)) < 1e-3 }))
		fine := cmp.FilterPath(func(path cmp.Path) bool { return !ranked(path) }, cmp.Comparer(func(a, b Value) bool { return math.Abs(float64(a-b)) <= 1e-9*math.Abs(float64(a)) }))
		if diff := cmp.Diff(want, got, coarse, fine, cmpopts.IgnoreFields(Metrics{}, "Calibration")); diff != "" {
			t.Errorf("weighted %v (-exact +binned):\n%s", weighted, diff)
		}
		for k, bin := range want.Calibration {
			if other := got.Calibration[k]; math.Abs(float64(bin.MeanScore-other.MeanScore)) > 1e-3 || math.Abs(float64(bin.BaseRate-other.BaseRate)) > 1e-2 {
				t.Errorf("weighted %v, line %d of the reliability table: %+v, want about %+v", weighted, k, other, bin)
			}
		}
		o := DefaultFrameOptions()
		o.resamples = 100
		exact, err := NewFrame(p, groups, o)
		if err != nil {
			t.Fatal(err)
		}
		binned, err := judged.Frame(o)
		if err != nil {
			t.Fatal(err)
		}
		for k, m := range exact.Metrics {
			if d, e := m.Difference, binned.Metrics[k].Difference; math.Abs(float64(d.Low-e.Low)) > 0.01 || math.Abs(float64(d.High-e.High)) > 0.01 {
				t.Errorf("weighted %v: %s differs by %+v, want about %+v", weighted, m.Name, e, d)
			}
		}
	}
}

// TestBinnedCountsRowsWithoutWeight: rows of weight 0 are rows, as for Evaluate, and change nothing
// else.
func TestBinnedCountsRowsWithoutWeight(t *testing.T) {
	p := Predictions{Threshold: 0.5, Scores: []float64{0.125, 0.25, 0.625, 0.75, 0.875, 1}, Labels: []int8{-1, 1, -1, 1, -1, 1}, Weights: []float64{1, 0, 2, 0, 0, 3}}
	g := Group{Name: "a", Member: []bool{true, true, true, true, false, false}}
	b := NewBinned(p.Threshold, []string{"a", Others}, true)
	for i, score := range p.Scores {
		group := 1
		if g.Member[i] {
			group = 0
		}
		b.Add([]int{group}, score, p.Labels[i], p.Weights[i])
	}
	want, err := Evaluate(p, []Group{g})
	if err != nil {
		t.Fatal(err)
	}
	judged, err := b.Judged()
	if err != nil {
		t.Fatal(err)
	}
	got := judged.Evaluate()
	// A row without weight stands in the middle of its interval.
	near := cmp.Comparer(func(a, b Value) bool {
		return a.Defined() == b.Defined() && !(math.Abs(float64(a-b)) > 1.0/scoreBins)
	})
	if diff := cmp.Diff(want, got, near); diff != "" || got.Rows != 6 || got.Groups[0].Rows != 4 {
		t.Errorf("%d rows, %d in the group (-exact +binned):\n%s", got.Rows, got.Groups[0].Rows, diff)
	}
	o := DefaultFrameOptions()
	o.resamples = 100
	if _, err := judged.Frame(o); err != nil {
		t.Error(err)
	}
}

// TestBinnedErrors has no rows, or none in a group.
func TestBinnedErrors(t *testing.T) {
	b := NewBinned(0.5, []string{"a"}, false)
	if _, err := b.Judged(); err == nil {
		t.Error("figures of no rows")
	}
	b.Add(nil, 0.5, 1, 1)
	if _, err := b.Judged(); err == nil {
		t.Error("figures of a group without rows")
	}
}

// TestBinnedIsExactForFewScores: scores in intervals of their own, at their ends, at the threshold,
// and thresholds that select all or none.
func TestBinnedIsExactForFewScores(t *testing.T) {
	near := cmp.Comparer(func(a, b Value) bool {
		return a.Defined() == b.Defined() && !(math.Abs(float64(a-b)) > 1e-12)
	})
	rapid.Check(t, func(r *rapid.T) {
		eighth := rapid.Custom(func(r *rapid.T) float64 { return float64(rapid.IntRange(0, 8).Draw(r, "eighth")) / 8 })
		p := Predictions{Threshold: rapid.OneOf(eighth, rapid.Float64Range(0, 1)).Draw(r, "threshold")}
		b := NewBinned(p.Threshold, nil, false)
		for range rapid.IntRange(1, 30).Draw(r, "rows") {
			score, label := eighth.Draw(r, "score"), 2*rapid.Int8Range(0, 1).Draw(r, "label")-1
			p.Scores, p.Labels = append(p.Scores, score), append(p.Labels, label)
			b.Add(nil, score, label, 1)
		}
		want, err := Evaluate(p, nil)
		if err != nil {
			r.Fatal(err)
		}
		judged, err := b.Judged()
		if err != nil {
			r.Fatal(err)
		}
		got := judged.Evaluate()
		if diff := cmp.Diff(want, got, near); diff != "" {
			r.Errorf("threshold %v, scores %v, labels %v (-exact +binned):\n%s", p.Threshold, p.Scores, p.Labels, diff)
		}
	})
}
