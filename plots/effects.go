package plots

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Effects are what a column of a model adds to the log-odds by its value, and how many rows have it.
type Effects struct {
	Title  string
	Note   string        // what the picture does not show
	Low    float64       // of the rows, where the first range is open; NaN if it is unknown
	High   float64       // and where the last one is
	Ranges []EffectRange // of a number, ascending; nil for a category
	Levels []EffectLevel // of a category
	Pair   *EffectPair   // of two columns
}

// EffectRange is the effect of a range of a number.
type EffectRange struct {
	From, To      float64 // −∞ and ∞ where it is open
	Share         float64 // of the rows
	Effect        float64
	Unconstrained float64 // NaN if it is unknown
}

// EffectLevel is the effect of a level.
type EffectLevel struct {
	Name                         string
	Share, Effect, Unconstrained float64 // NaN if they are unknown
}

// Mark is a part of a picture: a text at a point, or a line or an area through points. Its class says
// what it is, and a drawer how that looks.
type Mark struct {
	Class  MarkClass
	Points []MarkPoint
	Text   string
	Anchor string // of a text: "start", "middle" or "end"
	Upward bool   // the text is turned to be read from below
	// Shade is how strong an area is, from 0 to 1; 0 stands for 1.
	Shade float64
}

// MarkPoint has coordinates from the left and from the top.
type MarkPoint struct{ X, Y float64 }

// MarkClass is what a mark shows.
type MarkClass string

// The classes of marks.
const (
	GridMark   MarkClass = "grid"
	ZeroMark   MarkClass = "axis"
	RowsMark   MarkClass = "rows"   // area: the distribution of the rows
	EffectMark MarkClass = "shape"  // line: the effect
	BeforeMark MarkClass = "before" // line: the effect without the constraint
	TickMark   MarkClass = "tick"   // line across a bar: the same of a level
	BarMark    MarkClass = "mark"   // area: the effect of a level
	NumberText MarkClass = "small"
	LevelText  MarkClass = "level"
	DarkText   MarkClass = "ondark" // on a dark area
	RaisesMark MarkClass = "raises" // area: a cell with an effect above 0
	LowersMark MarkClass = "lowers" // and below
)

// The size of a picture of effects, in units of which a text of the size 11 is legible.
const (
	EffectsWidth  = 300.0
	EffectsHeight = 190.0
	// MostLevels is the largest number of levels that a picture has room for.
	MostLevels = 9
)

// textAt is a text with its anchor at a point.
func textAt(class MarkClass, x, y float64, anchor, text string) Mark {
	return Mark{Class: class, Points: []MarkPoint{{x, y}}, Text: text, Anchor: anchor}
}

// box is an area.
func box(class MarkClass, left, top, right, bottom float64) Mark {
	corners := []MarkPoint{{left, top}, {right, top}, {right, bottom}, {left, bottom}, {left, top}}
	return Mark{Class: class, Points: corners}
}

// Marks lays the picture out: above zero and below the effects, in each picture on a scale of its own;
// for a number the distribution of the rows beneath, on its axis in natural units.
func (e Effects) Marks() []Mark {
	switch {
	case e.Pair != nil:
		return e.Pair.marks()
	case e.Ranges == nil:
		return e.levelMarks()
	}
	const left, right, top, bottom, foot = 36.0, 292.0, 6.0, 128.0, 160.0
	x := e.axis(left, right)
	var values []float64
	for _, r := range e.Ranges {
		values = append(values, r.Effect, r.Unconstrained)
	}
	y := effectAxis(values, bottom, top)
	marks := e.rows(x, left, right, foot)
	for _, v := range y.ticks() {
		class := GridMark
		if v == 0 {
			class = ZeroMark
		}
		marks = append(marks, Mark{Class: class, Points: []MarkPoint{{left, y.at(v)}, {right, y.at(v)}}},
			textAt(NumberText, left-5, y.at(v)+4, "end", Signed(v)))
	}
	for _, t := range x.ticks() {
		at := x.at(t)
		marks = append(marks, Mark{Class: GridMark, Points: []MarkPoint{{at, foot}, {at, foot + 4}}},
			textAt(NumberText, at, foot+16, x.anchor(t), short(t)))
	}
	marks = append(marks, Mark{Class: GridMark, Points: []MarkPoint{{left, foot}, {right, foot}}})
	for _, class := range []MarkClass{BeforeMark, EffectMark} {
		for k, r := range e.Ranges {
			v := r.Effect
			if class == BeforeMark {
				v = r.Unconstrained
			}
			if !isFinite(v) {
				continue
			}
			if k == 0 || e.Ranges[k-1].To != r.From { // a range may be left out
				marks = append(marks, Mark{Class: class})
			}
			line := &marks[len(marks)-1]
			line.Points = append(line.Points, MarkPoint{x.at(r.From), y.at(v)}, MarkPoint{x.at(r.To), y.at(v)})
		}
	}
	return marks
}

// levelMarks has a bar for each level, and the share of the rows beside it.
func (e Effects) levelMarks() []Mark {
	const left, right, top, pitch = 124.0, 256.0, 4.0, 18.0
	levels := e.Levels[:min(len(e.Levels), MostLevels)]
	var values []float64
	for _, l := range levels {
		values = append(values, l.Effect, l.Unconstrained)
	}
	bottom := top + pitch*float64(len(levels))
	x := effectAxis(values, left, right)
	var marks []Mark
	for _, v := range x.ticks() {
		class := GridMark
		if v == 0 {
			class = ZeroMark
		}
		marks = append(marks, Mark{Class: class, Points: []MarkPoint{{x.at(v), top}, {x.at(v), bottom}}},
			textAt(NumberText, x.at(v), bottom+14, "middle", Signed(v)))
	}
	for k, l := range levels {
		y := top + pitch*float64(k)
		zero, end := x.at(0), x.at(l.Effect)
		marks = append(marks, textAt(LevelText, left-8, y+13, "end", cut(l.Name, 18)),
			box(BarMark, zero, y+4, end, y+14))
		if isFinite(l.Unconstrained) {
			at := x.at(l.Unconstrained)
			marks = append(marks, Mark{Class: TickMark, Points: []MarkPoint{{at, y + 1}, {at, y + 17}}})
		}
		if isFinite(l.Share) {
			marks = append(marks, textAt(NumberText, EffectsWidth-2, y+13, "end", percent(l.Share)))
		}
	}
	return marks
}

// rows is the distribution of the rows: the share in each of equal parts of the axis.
func (e Effects) rows(x numberAxis, left, right, foot float64) (marks []Mark) {
	const parts, height = 32, 26.0
	width := (right - left) / parts
	var mass [parts]float64
	for _, r := range e.Ranges {
		from, to := x.at(r.From), x.at(r.To)
		for k := range parts {
			lo := left + width*float64(k)
			if inside := min(to, lo+width) - max(from, lo); inside > 0 {
				mass[k] += r.Share * inside / (to - from)
			}
		}
	}
	most := slices.Max(mass[:])
	if most == 0 {
		return nil
	}
	for k, m := range mass {
		if m == 0 {
			continue
		}
		lo := left + width*float64(k)
		marks = append(marks, box(RowsMark, lo, foot-max(height*m/most, 1), lo+width-1, foot))
	}
	return marks
}

// EffectsOf draws the effects of columns, two side by side.
func EffectsOf(list []Effects, o Options, caption string) (*Figure, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, ErrNothing
	}
	l := legend{{label: "effect on the log-odds", line: effectLines[EffectMark]}}
	if slices.ContainsFunc(list, Effects.HasUnconstrained) {
		l = append(l, entry{label: "without the constraint", line: effectLines[BeforeMark]})
	}
	l = append(l, entry{label: "distribution of the rows", band: rowsColor})
	var rows [][]titled
	for pair := range slices.Chunk(list, 2) {
		row := make([]titled, 2)
		for k := range row {
			p := frame()
			p.HideAxes()
			if row[k].plot = p; k < len(pair) {
				p.Add(pair[k])
				row[k].title, row[k].xLabel = cut(pair[k].Title, 48), cut(pair[k].Note, 64)
			}
		}
		rows = append(rows, row)
	}
	return newFigure(o, caption, l, rows...), nil
}

// HasUnconstrained reports whether there are effects without the constraint.
func (e Effects) HasUnconstrained() bool {
	return slices.ContainsFunc(e.Ranges, func(r EffectRange) bool { return isFinite(r.Unconstrained) }) ||
		slices.ContainsFunc(e.Levels, func(l EffectLevel) bool { return isFinite(l.Unconstrained) })
}

var (
	rowsColor   = color.Gray{205}
	effectLines = map[MarkClass]draw.LineStyle{
		GridMark:   thin(color.Gray{222}),
		ZeroMark:   thin(color.Gray{120}),
		EffectMark: {Color: rgb(0x0072B2), Width: vg.Points(1.3)},
		BeforeMark: {Color: rgb(0xD55E00), Width: vg.Points(1.1), Dashes: points(3, 1.6)},
		TickMark:   {Color: rgb(0xD55E00), Width: vg.Points(1.6)},
	}
	effectAreas = map[MarkClass]color.RGBA{
		RowsMark: rgb(0xCDCDCD), BarMark: rgb(0x0072B2), RaisesMark: rgb(0x0072B2), LowersMark: rgb(0xD55E00),
	}
	anchors = map[string]text.XAlignment{"start": text.XLeft, "middle": text.XCenter, "end": text.XRight}
)

// Plot implements plot.Plotter.
func (e Effects) Plot(c draw.Canvas, _ *plot.Plot) {
	size := c.Size()
	at := func(p MarkPoint) vg.Point {
		x, y := vg.Length(p.X/EffectsWidth), vg.Length(p.Y/EffectsHeight)
		return vg.Point{X: c.Min.X + size.X*x, Y: c.Max.Y - size.Y*y}
	}
	for _, m := range e.Marks() {
		where := make([]vg.Point, len(m.Points))
		for k, p := range m.Points {
			where[k] = at(p)
		}
		switch area, filled := effectAreas[m.Class]; {
		case m.Text != "":
			s := words(textSize)
			if s.XAlign = anchors[m.Anchor]; m.Upward {
				s.Rotation = math.Pi / 2
			}
			if m.Class == DarkText {
				s.Color = color.White
			}
			c.FillText(s, where[0], m.Text)
		case filled:
			shade := uint8(255 * cmp.Or(m.Shade, 1))
			c.FillPolygon(color.NRGBA{area.R, area.G, area.B, shade}, where)
		default:
			c.StrokeLines(effectLines[m.Class], where)
		}
	}
}
