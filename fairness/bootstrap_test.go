package fairness

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// TestWorstRow adds the worst row to the rows, and compares with the figures of all.
func TestWorstRow(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		weight := rapid.Float64Range(0.1, 3)
		rows := make([]row, rapid.IntRange(2, 12).Draw(r, "rows"))
		for i := range rows {
			rows[i] = row{score: float64(i+1) / 20, rank: int32(i + 1), weight: weight.Draw(r, "weight"), rows: 1, label: 1, selected: i > 3}
			if i%2 == 0 {
				rows[i].label = -1
			}
		}
		measured := func(first, last []row) Metrics {
			all := slices.Concat(first, rows, last)
			for i := range all {
				all[i].rows = 1
			}
			return measure(all, true)
		}
		var drawn tally
		for i := range rows {
			drawn.add(&rows[i], 1)
		}
		own := measured(nil, nil)
		extra := extraRow{weight.Draw(r, "any"), weight.Draw(r, "positive"), weight.Draw(r, "negative")}

		low, high := worstAUC(float64(own.AUC), &drawn, extra, everything)
		positive := func(rank int32, score float64) row {
			return row{score: score, rank: rank, weight: extra.positive, label: 1, selected: score > 0.5}
		}
		negative := func(rank int32, score float64) row {
			return row{score: score, rank: rank, weight: extra.negative, label: -1, selected: score > 0.5}
		}
		below := measured([]row{positive(0, 0.001)}, []row{negative(99, 0.999)})
		above := measured([]row{negative(0, 0.001)}, []row{positive(99, 0.999)})
		for _, c := range []struct{ got, want float64 }{{low, float64(below.AUC)}, {high, float64(above.AUC)}} {
			if math.Abs(c.got-c.want) > 1e-12 {
				r.Errorf("AUC with the worst rows %v, want %v", c.got, c.want)
			}
		}

		low, high = worstMean(float64(own.MeanScore), &drawn, extra, span{0.001, 0.999})
		least := measured([]row{{score: 0.001, weight: extra.weight, label: 1}}, nil)
		most := measured(nil, []row{{score: 0.999, rank: 99, weight: extra.weight, label: 1, selected: true}})
		for _, c := range []struct{ got, want float64 }{{low, float64(least.MeanScore)}, {high, float64(most.MeanScore)}} {
			if math.Abs(c.got-c.want) > 1e-12 {
				r.Errorf("mean score with the worst row %v, want %v", c.got, c.want)
			}
		}
	})
}

// TestMergedRowsHaveNoBias: what merging rows changes in a figure is no part of its samples.
func TestMergedRowsHaveNoBias(t *testing.T) {
	auc, err := FindMetrics("auc")
	if err != nil {
		t.Fatal(err)
	}
	c := cell{metrics: Metrics{AUC: 0.7}}
	merged := Metrics{AUC: 0.6}
	s := c.sampleOf(auc[0], merged)
	s.worst = nil
	s.add(&merged, &tally{}, extraRow{})
	if math.Abs(s.lows[0]-0.7) > 1e-15 || s.lows[0] != s.highs[0] {
		t.Errorf("the figure of the merged rows is a sample of %v and %v, want 0.7", s.lows, s.highs)
	}
}

func TestQuantile(t *testing.T) {
	sorted := []float64{1, 2, 4, 8, 16}
	for q, want := range map[float64]float64{0: 1, 0.25: 2, 0.5: 4, 1: 16, 0.125: 1.5, 0.9: 12.8, 0.55: 4.8} {
		if got := quantile(sorted, q); math.Abs(got-want) > 1e-12 {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
	}
	if got := quantile([]float64{3}, 0.7); got != 3 {
		t.Errorf("of one value: %v", got)
	}
}

// TestStretched: the limits at the joint tail are the ones at the single tail times the factor,
// both inside the span.
func TestStretched(t *testing.T) {
	tail := tails{single: 0.05, joint: 0.001}
	factor := tail.stretch()
	if want := distuv.UnitNormal.Quantile(1-0.0005) / distuv.UnitNormal.Quantile(1-0.025); math.Abs(factor-want) > 1e-9 {
		t.Errorf("factor %v, want %v", factor, want)
	}
	e := tail.stretched(limits{value: 0.5, low: 0.4, high: 0.7}, span{0.1, 0.8})
	if want := (limits{value: 0.5, low: 0.4, high: 0.7}); e.single != want {
		t.Errorf("single tail %v, want %v", e.single, want)
	}
	if want := 0.5 - 0.1*factor; math.Abs(e.joint.low-want) > 1e-12 || e.joint.high != 0.8 {
		t.Errorf("joint tail %v, want %v and 0.8", e.joint, want)
	}
}

// TestCalibrationLimitsOfOneBin compares with the quantiles of the binomial distribution of the one
// bin.
func TestCalibrationLimitsOfOneBin(t *testing.T) {
	for _, c := range []struct{ rows, positives int }{{40, 0}, {40, 3}, {200, 50}} {
		rows := make([]row, c.rows)
		for i := range rows {
			rows[i] = row{score: 0.5, weight: 1, squares: 1, rows: 1, label: -1}
			if i < c.positives {
				rows[i].label = 1
			}
		}
		cell := cell{rows: rows, labelled: true, metrics: measure(rows, true)}
		cell.weights, cell.sizes = effectiveSizes(rows)
		tail := tails{single: 0.1, joint: 0.1}
		found := cell.calibrationLimits(tail, 40_000, rand.NewPCG(1, 0)).single

		n, z := float64(c.rows), distuv.UnitNormal.Quantile(0.95)
		rate := (float64(c.positives) + z*z/2) / (n + z*z)
		binomial := distuv.Binomial{N: n, P: rate}
		atMost := func(distance float64) float64 { // the chance that the rate of the rows is as near as this
			return binomial.CDF(math.Floor(n*(rate+distance)+1e-9)) - binomial.CDF(math.Ceil(n*(rate-distance)-1e-9)-1)
		}
		distance := found.value - found.low - 0.5/n
		if near, far := atMost(distance-1e-6), atMost(distance+1e-6); near > 0.9+0.01 || far < 0.9-0.01 {
			t.Errorf("%d of %d: limits at %v have the chances %v and %v, want 0.9 between",
				c.positives, c.rows, distance, near, far)
		}
		if want := math.Abs(0.5 - float64(c.positives)/n); math.Abs(found.value-want) > 1e-12 {
			t.Errorf("%d of %d: error %v, want %v", c.positives, c.rows, found.value, want)
		}
	}
}
