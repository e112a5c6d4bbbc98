package plots

import (
	"image/color"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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
