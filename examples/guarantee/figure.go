package main

import (
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The colours of plain training and of training with a guarantee, which the colour-blind
// can tell apart.
var (
	plainColor      = color.RGBA{0xD5, 0x5E, 0x00, 0xFF}
	guaranteedColor = color.RGBA{0x00, 0x72, 0xB2, 0xFF}
)

// line is a line of a panel.
type line struct {
	name  string
	color color.Color
	value func(point) float64
}

// panels are drawn against the number of rows: how often the bound is broken, how often a
// guarantee is given, and the accuracy.
func panels(points []point, delta float64) ([]*plot.Plot, error) {
	plain := func(f func(point) float64) line { return line{"plain", plainColor, f} }
	guaranteed := func(f func(point) float64) line { return line{"guaranteed", guaranteedColor, f} }
	broken, err := panel("bound broken in truth", points,
		plain(func(p point) float64 { return p.plainBroken }),
		guaranteed(func(p point) float64 { return p.broken }))
	if err != nil {
		return nil, err
	}
	allowed := plotter.NewFunction(func(float64) float64 { return delta })
	allowed.Dashes = []vg.Length{vg.Points(3), vg.Points(2)}
	allowed.Color = color.Gray{90}
	broken.Add(allowed)
	broken.Legend.Add("allowed", allowed)
	broken.Legend.Top = true
	broken.Y.Min, broken.Y.Max = 0, 1
	given, err := panel("guarantee given", points, guaranteed(func(p point) float64 { return p.guaranteed }))
	if err != nil {
		return nil, err
	}
	given.Y.Min, given.Y.Max = 0, 1
	accuracy, err := panel("accuracy", points,
		plain(func(p point) float64 { return p.plainAccuracy }),
		guaranteed(func(p point) float64 { return p.accuracy }))
	return []*plot.Plot{broken, given, accuracy}, err
}

// save draws the points in a PNG, SVG or PDF file under a heading.
func save(points []point, delta float64, heading, path string) error {
	row, err := panels(points, delta)
	if err != nil {
		return err
	}
	const width, height = 8 * vg.Inch, 2.8 * vg.Inch
	var canvas vg.CanvasWriterTo
	switch filepath.Ext(path) {
	case ".png":
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(200))}
	case ".svg":
		canvas = vgsvg.New(width, height)
	case ".pdf":
		canvas = vgpdf.New(width, height)
	default:
		return fmt.Errorf("figure %s: the name must end in .png, .svg or .pdf", path)
	}
	all := draw.New(canvas)
	title := row[0].Title.TextStyle
	title.XAlign, title.YAlign = draw.XCenter, draw.YTop
	all.FillText(title, vg.Point{X: all.Center().X, Y: all.Max.Y - vg.Points(3)}, heading)
	tiles := draw.Tiles{Rows: 1, Cols: len(row), PadX: vg.Points(12), PadLeft: vg.Points(8), PadRight: vg.Points(12), PadTop: vg.Points(20), PadBottom: vg.Points(2)}
	for k, c := range plot.Align([][]*plot.Plot{row}, tiles, all)[0] {
		row[k].Draw(c)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := canvas.WriteTo(f); err != nil {
		return err
	}
	return f.Close()
}

// panel draws lines against the number of rows, without what is undefined.
func panel(title string, points []point, lines ...line) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text = title, "rows"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Add(plotter.NewGrid())
	const small = 9 // points
	for _, size := range []*vg.Length{
		&p.Title.TextStyle.Font.Size, &p.X.Label.TextStyle.Font.Size, &p.X.Tick.Label.Font.Size,
		&p.Y.Tick.Label.Font.Size, &p.Legend.TextStyle.Font.Size,
	} {
		*size = vg.Points(small)
	}
	p.Legend.Padding = vg.Points(2)
	for _, l := range lines {
		var xys plotter.XYs
		for _, at := range points {
			if y := l.value(at); !math.IsNaN(y) {
				xys = append(xys, plotter.XY{X: float64(at.rows), Y: y})
			}
		}
		if len(xys) == 0 {
			continue
		}
		curve, marks, err := plotter.NewLinePoints(xys)
		if err != nil {
			return nil, err
		}
		curve.Color, marks.Color = l.color, l.color
		curve.Width = vg.Points(1.2)
		marks.Shape = draw.CircleGlyph{}
		p.Add(curve, marks)
		if len(lines) > 1 {
			p.Legend.Add(l.name, curve, marks)
		}
	}
	p.X.Min, p.X.Max = float64(points[0].rows), float64(points[len(points)-1].rows)
	return p, nil
}
