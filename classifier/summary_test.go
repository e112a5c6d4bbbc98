package classifier

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset/encoding"
)

// TestSummary: no other division into as many ranges is nearer to the shape, the ranges are without
// gaps, and their shares and mean effects are those of the bins in them.
func TestSummary(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(r, "bins")
		most := rapid.IntRange(1, 5).Draw(r, "most")
		f := encoding.Column{Column: "x"}
		for k := range n - 1 {
			f.Edges = append(f.Edges, float64(k))
		}
		e := ColumnEffect{Column: "x"}
		for k := range n {
			share := rapid.Float64Range(0.01, 1).Draw(r, "share")
			v := rapid.Float64Range(-3, 3).Draw(r, "effect")
			e.Effects = append(e.Effects, Effect{Bounds: f.Bounds(k), Share: &share, LogOdds: v, Unconstrained: new(2 * v)})
		}
		variance := func(from, to int) float64 {
			w, s, q := 0.0, 0.0, 0.0
			for _, x := range e.Effects[from:to] {
				w, s, q = w+*x.Share, s+*x.Share*x.LogOdds, q+*x.Share*x.LogOdds*x.LogOdds
			}
			return q - s*s/w
		}
		list, left := e.Summary(most)
		got, from := 0.0, 0
		for k, x := range list {
			to := n
			if x.Below != nil {
				to = int(*x.Below) + 1
			}
			if k == len(list)-1 && x.Below != nil || (from == 0) != (x.AtLeast == nil) || to <= from {
				r.Fatalf("range %d of %d is %+v", k, len(list), x)
			}
			w, s := 0.0, 0.0
			for _, bin := range e.Effects[from:to] {
				w, s = w+*bin.Share, s+*bin.Share*bin.LogOdds
			}
			if math.Abs(*x.Share-w) > 1e-12 || math.Abs(x.LogOdds-s/w) > 1e-9 || math.Abs(*x.Unconstrained-2*s/w) > 1e-9 {
				r.Fatalf("range %+v, want the share %v and the effect %v", x, w, s/w)
			}
			got, from = got+variance(from, to), to
		}
		if left != 0 || from != n || len(list) > most {
			r.Fatalf("%d ranges to bin %d of %d, %d left out", len(list), from, n, left)
		}
		var least func(from, ranges int) float64
		least = func(from, ranges int) float64 {
			best := variance(from, n)
			for to := from + 1; to < n && ranges > 1; to++ {
				best = min(best, variance(from, to)+least(to, ranges-1))
			}
			return best
		}
		if want := least(0, len(list)); got > want+1e-9 {
			r.Fatalf("%d ranges lose %v, others %v", len(list), got, want)
		}
	})
}
