package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"strings"
	"unicode/utf8"
)

// figure is a picture with a title and a note below it. For people who can't see it tables have its
// numbers, but for the points of ROC curves, of which they have the area.
type figure struct {
	Title, Note string
	height      float64
	draw        func(*drawing)
}

// figureWidth is the width of all figures, in the units of their pictures, so that texts of
// 12 units are legible on a telephone.
const figureWidth = 360

// drawing collects the elements of a picture. Colours and lines are classes, which the page
// has for light and dark screens and for paper.
type drawing struct{ strings.Builder }

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(d, `<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, class, at(x1), at(y1), at(x2), at(y2))
}

func (d *drawing) rect(class string, x, y, width, height float64) {
	fmt.Fprintf(d, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`, class, at(x), at(y),
		at(max(width, 0)), at(max(height, 0)))
}

// text writes a text; anchor is start, middle or end.
func (d *drawing) text(class, anchor string, x, y float64, text string) {
	fmt.Fprintf(d, `<text class="%s" text-anchor="%s" x="%s" y="%s">%s</text>`, class, anchor,
		at(x), at(y), template.HTMLEscapeString(text))
}

// markers are the shapes that distinguish series without colour, around the origin: a circle, a
// square, a triangle, a diamond and a triangle on its head.
var markers = []string{
	"M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z", "M-4 -4H4V4H-4Z", "M0 -5L5 4H-5Z", "M0 -5L5 0L0 5L-5 0Z", "M-5 -4H5L0 5Z",
}

func (d *drawing) marker(shape int, class string, x, y float64) {
	fmt.Fprintf(d, `<path class="%s" transform="translate(%s %s)" d="%s"/>`, class, at(x), at(y), markers[shape])
}

// cross marks what does not hold.
func (d *drawing) cross(class string, x, y float64) {
	const r = 4.5
	d.line(class, x-r, y-r, x+r, y+r)
	d.line(class, x-r, y+r, x+r, y-r)
}

// at writes a coordinate to a tenth of a unit.
func at(x float64) string {
	text := fmt.Sprintf("%.1f", x)
	return strings.TrimSuffix(strings.Replace(text, "-0.0", "0", 1), ".0")
}

// scale maps figures to places.
type scale struct{ low, high, from, to float64 }

func (s scale) at(v float64) float64 {
	return s.from + (min(max(v, s.low), s.high)-s.low)/(s.high-s.low)*(s.to-s.from)
}

// newScale makes a scale that begins at 0 and has all values and some room.
func newScale(from, to float64, values ...float64) scale {
	high := 0.0
	for _, v := range values {
		if !math.IsNaN(v) {
			high = max(high, v)
		}
	}
	high = cmp.Or(high, 0.01)
	step := stepOf(high)
	end := math.Ceil(high*1.02/step) * step
	if high <= 1 && end > 1 { // of shares
		end = 1
	}
	return scale{0, end, from, to}
}

// stepOf returns a round distance of about four ticks up to a value.
func stepOf(high float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(high/4)))
	for _, times := range []float64{1, 2, 2.5, 5} {
		if high/(unit*times) <= 5 {
			return unit * times
		}
	}
	return unit * 10
}

// ticks returns the places of the marks of a scale.
func (s scale) ticks() []float64 {
	step := stepOf(s.high - s.low)
	var list []float64
	for k := math.Ceil(s.low/step - 1e-9); k*step <= s.high*(1+1e-9); k++ {
		list = append(list, k*step+0) // + 0 makes −0 plain
	}
	return list
}

// horizontal draws a scale at the height y, with lines up to top.
func (d *drawing) horizontal(s scale, top, y float64, label string, text func(float64) string) {
	for _, v := range s.ticks() {
		d.line("grid", s.at(v), top, s.at(v), y)
		d.text("small", "middle", s.at(v), y+14, text(v))
	}
	d.line("axis", s.from, y, s.to, y)
	d.text("small", "middle", (s.from+s.to)/2, y+29, label)
}

// short cuts a text to about so many characters.
func short(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// svg returns the picture; id is unique in the page.
func (f figure) svg(id string) template.HTML {
	var d drawing
	fmt.Fprintf(&d, `<svg role="img" aria-labelledby="%[1]s-t %[1]s-d" viewBox="0 0 %[2]s %[3]s"><title id="%[1]s-t">%[4]s</title><desc id="%[1]s-d">%[5]s</desc>`,
		id, at(figureWidth), at(f.height), template.HTMLEscapeString(f.Title), template.HTMLEscapeString(f.Note+" See the tables of this section."))
	f.draw(&d)
	d.WriteString("</svg>")
	return template.HTML(d.String())
}
