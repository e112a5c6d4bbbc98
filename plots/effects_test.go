package plots

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// drawnEffects draws effects of a number at random: even or skewed, with or without a range, as some
// parts of reports may be left out.
func drawnEffects(r *rapid.T) Effects {
	n := rapid.IntRange(1, 40).Draw(r, "ranges")
	edge, power := rapid.Float64Range(-1e6, 1e6).Draw(r, "first"), rapid.Float64Range(1, 30).Draw(r, "power")
	from := math.Inf(-1)
	e := Effects{Low: math.NaN(), High: math.NaN()}
	if rapid.Bool().Draw(r, "range") {
		e.Low = edge - rapid.Float64Range(0, 100).Draw(r, "below")
	}
	for k := range n {
		to := math.Inf(1)
		if k < n-1 {
			to = edge
			edge += math.Pow(rapid.Float64Range(1.01, 3).Draw(r, "step"), power)
		}
		e.Ranges = append(e.Ranges, EffectRange{
			From: from, To: to, Share: rapid.Float64Range(0, 1).Draw(r, "share"),
			Effect: rapid.Float64Range(-8, 8).Draw(r, "effect"), Unconstrained: math.NaN(),
		})
		from = to
	}
	if isFinite(e.Low) {
		e.High = edge + rapid.Float64Range(0, 100).Draw(r, "above")
	}
	if n > 3 && rapid.Bool().Draw(r, "gap") {
		e.Ranges = slices.Delete(e.Ranges, 1, 2)
	}
	return e
}

// TestEffectsFit: every mark is inside the picture, labels of an axis are apart, the step of a larger
// effect is higher, and the ranges follow each other from left to right.
func TestEffectsFit(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		e := drawnEffects(r)
		var labels [][2]float64
		var steps []MarkPoint
		for _, m := range e.Marks() {
			for _, p := range m.Points {
				if !(p.X >= 0 && p.X <= EffectsWidth && p.Y >= 0 && p.Y <= EffectsHeight) {
					r.Fatalf("%s %q at %v", m.Class, m.Text, p)
				}
			}
			switch {
			case m.Class == EffectMark:
				steps = append(steps, m.Points...)
			case m.Text != "" && m.Points[0].Y > 165: // of the axis of numbers
				half := 3 * float64(utf8.RuneCountInString(m.Text))
				x := m.Points[0].X + map[string]float64{"start": half, "end": -half}[m.Anchor]
				labels = append(labels, [2]float64{x - half, x + half})
			}
		}
		slices.SortFunc(labels, func(a, b [2]float64) int { return int(math.Copysign(1, a[0]-b[0])) })
		for k := 1; k < len(labels); k++ {
			if labels[k][0] < labels[k-1][1] {
				r.Fatalf("labels overlap: %v", labels)
			}
		}
		if len(steps) != 2*len(e.Ranges) {
			r.Fatalf("%d ends of steps of %d ranges", len(steps), len(e.Ranges))
		}
		for k, range_ := range e.Ranges {
			a, b := steps[2*k], steps[2*k+1]
			if a.Y != b.Y || a.X >= b.X || k > 0 && a.X < steps[2*k-1].X-1e-9 {
				r.Fatalf("step %d from %v to %v", k, a, b)
			}
			if k > 0 && range_.Effect > e.Ranges[k-1].Effect+1e-9 && !(a.Y < steps[2*k-1].Y) {
				r.Fatalf("effects %v and %v at %v and %v", e.Ranges[k-1].Effect, range_.Effect, steps[2*k-1], a)
			}
		}
	})
}

// TestEffectLevels: bars begin at zero and end at the effect, to the right where it is positive.
func TestEffectLevels(t *testing.T) {
	e := Effects{Levels: []EffectLevel{{"a", 0.5, 2, 1}, {"b", 0.004, -1, math.NaN()}, {"c", math.NaN(), 0, 0}}}
	var widths []float64
	var texts []string
	for _, m := range e.Marks() {
		if m.Class == BarMark {
			widths = append(widths, m.Points[1].X-m.Points[0].X)
		}
		if m.Text != "" {
			texts = append(texts, m.Text)
		}
	}
	if len(widths) != 3 || !(widths[0] > 0) || math.Abs(widths[0]+2*widths[1]) > 1e-9 || widths[2] != 0 {
		t.Errorf("bars of widths %v", widths)
	}
	for _, want := range []string{"a", "50 %", "<1 %", "+1", "−1", "0"} {
		if !slices.Contains(texts, want) {
			t.Errorf("no text %q among %q", want, texts)
		}
	}
}

// TestEffectPair: a pair keeps the cells of the values that most rows have, its longer side across, and
// every mark of it is inside the picture.
func TestEffectPair(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rows, columns := rapid.IntRange(1, 20).Draw(r, "rows"), rapid.IntRange(1, 20).Draw(r, "columns")
		p := new(EffectPair)
		for i := range rows {
			p.Rows = append(p.Rows, fmt.Sprintf("r%d", i))
			var effects, shares []float64
			for j := range columns {
				effects, shares = append(effects, float64(100*i+j)-500), append(shares, rapid.Float64Range(0.001, 1).Draw(r, "share"))
			}
			p.Effects, p.Shares = append(p.Effects, effects), append(p.Shares, shares)
		}
		for j := range columns {
			p.Columns = append(p.Columns, fmt.Sprintf("c%d", j))
		}
		f, left := p.Fitted()
		if want := rows + columns - len(f.Rows) - len(f.Columns); left != want || len(f.Rows) > mostPairRows || len(f.Columns) > mostPairColumns {
			r.Fatalf("%d×%d of %d×%d, %d left out", len(f.Rows), len(f.Columns), rows, columns, left)
		}
		for i, row := range f.Effects {
			for j, v := range row {
				names := [2]string{f.Rows[i], f.Columns[j]}
				if strings.HasPrefix(names[0], "c") {
					names[0], names[1] = names[1], names[0]
				}
				var a, b int
				if _, err := fmt.Sscanf(names[0]+names[1], "r%dc%d", &a, &b); err != nil || v != float64(100*a+b)-500 {
					r.Fatalf("cell %v has %v", names, v)
				}
			}
		}
		for _, m := range (Effects{Pair: f}).Marks() {
			for _, at := range m.Points {
				if !(at.X >= 0 && at.X <= EffectsWidth && at.Y >= 0 && at.Y <= EffectsHeight) || !(m.Shade >= 0 && m.Shade <= 1) {
					r.Fatalf("%+v", m)
				}
			}
		}
	})
}

// TestEffectsFigure: a figure of every format, of an odd number of columns.
func TestEffectsFigure(t *testing.T) {
	number := Effects{Title: "age", Low: 17, High: 90, Ranges: []EffectRange{
		{math.Inf(-1), 30, 0.5, -1, -2}, {30, math.Inf(1), 0.5, 1, 2},
	}}
	f, err := EffectsOf([]Effects{number, number, {Title: "job", Levels: []EffectLevel{{"nurse", 1, 0, 0}}}}, DefaultOptions(), "caption")
	if err != nil {
		t.Fatal(err)
	}
	for _, extension := range Formats {
		if err := f.Save(filepath.Join(t.TempDir(), "f"+extension)); err != nil {
			t.Error(err)
		}
	}
	if _, err := EffectsOf(nil, DefaultOptions(), ""); err == nil {
		t.Error("a figure of nothing")
	}
}
