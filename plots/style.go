package plots

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// style is how a method looks.
type style struct {
	color  color.RGBA
	dashes []vg.Length // nil for a solid line
}

func (s style) line() draw.LineStyle {
	return draw.LineStyle{Color: s.color, Width: vg.Points(1.2), Dashes: s.dashes}
}

// band is the fill behind a line: the colour let through by five sixths.
func (s style) band() color.Color {
	return color.NRGBA{R: s.color.R, G: s.color.G, B: s.color.B, A: 42}
}

func points(lengths ...float64) []vg.Length {
	dashes := make([]vg.Length, len(lengths))
	for i, l := range lengths {
		dashes[i] = vg.Points(l)
	}
	return dashes
}

func rgb(hex uint32) color.RGBA {
	return color.RGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

// The colours are those of Okabe and Ito (Color Universal Design, 2008), which readers
// with any colour vision can tell apart; dashes and different lightness tell them apart
// in grey.
var methodStyles = []struct {
	label string
	style style
}{
	{"fsfo", style{rgb(0x0072B2), nil}},
	{"ssqp", style{rgb(0xD55E00), points(6, 2)}},
	{"slqpm", style{rgb(0x009E73), points(6, 2, 1.2, 2)}},
	{"stoc-ialm", style{rgb(0xE69F00), points(1.6, 1.6)}},
	{"pstorm", style{rgb(0xCC79A7), points(10, 2)}},
	{"sgd", style{rgb(0x56B4E9), points(3, 1.5)}},
	{"alm", style{rgb(0x000000), points(6, 2, 1.2, 2, 1.2, 2)}},
}

// furtherStyles are for other labels, in order of appearance.
var furtherStyles = []style{
	{rgb(0x7F3B08), points(8, 1.5, 2, 1.5)},
	{rgb(0x542788), points(4, 1.5, 1.2, 1.5)},
	{rgb(0x666666), points(2.5, 2.5)},
	{rgb(0x003C30), points(12, 3)},
	{rgb(0xA6761D), nil},
	{rgb(0xB2182B), points(5, 1, 1, 1)},
}

// stylesOf gives each of different labels its style: methods always look the same.
func stylesOf(labels []string) map[string]style {
	styles := map[string]style{}
	for _, m := range methodStyles {
		if slices.Contains(labels, m.label) {
			styles[m.label] = m.style
		}
	}
	further := 0
	for _, label := range labels {
		if _, ok := styles[label]; !ok {
			styles[label] = furtherStyles[further%len(furtherStyles)]
			further++
		}
	}
	return styles
}

// Sizes of text in points.
const (
	titleSize = 9
	textSize  = 8
	noteSize  = 7 // of captions, and of numbers beside marks
)

func sans(size float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
}

// words is the style of text.
func words(size float64) text.Style {
	return text.Style{Color: color.Black, Font: sans(size), Handler: plot.DefaultTextHandler}
}

// thin is the style of lines that are no data.
func thin(c color.Color, dashes ...float64) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: vg.Points(0.6), Dashes: points(dashes...)}
}

var (
	zeroLine      = thin(color.Gray{150})
	referenceLine = thin(color.Black, 3, 2)
)

// entry is an entry of a legend.
type entry struct {
	label string
	line  draw.LineStyle
	band  color.Color // nil for none
	// glyph is drawn in the middle of the line; a radius of 0 stands for none.
	glyph draw.GlyphStyle
}

// legend is the entries in rows above the panels of a figure.
type legend []entry

const (
	thumbWidth = 20 // points
	thumbGap   = 4
	entryGap   = 14
	rowHeight  = 12
)

func (e entry) width(s text.Style) vg.Length {
	return vg.Points(thumbWidth+thumbGap) + s.Width(e.label)
}

// rows breaks the entries into rows of at most the given width.
func (l legend) rows(width vg.Length) []legend {
	var rows []legend
	var used vg.Length
	for _, e := range l {
		w := e.width(words(textSize)) + vg.Points(entryGap)
		if len(rows) == 0 || used+w > width+vg.Points(entryGap) {
			rows, used = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
		used += w
	}
	return rows
}

// draw draws the legend at the top of c, centred, and returns what is left below it.
func (l legend) draw(c draw.Canvas) draw.Canvas {
	s := words(textSize)
	s.YAlign = text.YCenter
	y := c.Max.Y - vg.Points(rowHeight)/2
	for _, row := range l.rows(c.Size().X) {
		width := -vg.Points(entryGap)
		for _, e := range row {
			width += e.width(s) + vg.Points(entryGap)
		}
		x := c.Center().X - width/2
		for _, e := range row {
			right := x + vg.Points(thumbWidth)
			if e.band != nil {
				half := vg.Points(3)
				c.FillPolygon(e.band, rectangle(vg.Rectangle{Min: vg.Point{X: x, Y: y - half}, Max: vg.Point{X: right, Y: y + half}}))
			}
			c.StrokeLine2(e.line, x, y, right, y)
			if e.glyph.Radius > 0 {
				c.DrawGlyph(e.glyph, vg.Point{X: (x + right) / 2, Y: y})
			}
			c.FillText(s, vg.Point{X: right + vg.Points(thumbGap), Y: y}, e.label)
			x += e.width(s) + vg.Points(entryGap)
		}
		y -= vg.Points(rowHeight)
	}
	return draw.Crop(c, 0, 0, 0, -(c.Max.Y - y - vg.Points(rowHeight)/2))
}
