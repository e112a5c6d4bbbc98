package plots

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Figure is a row of plots below a legend.
type Figure struct {
	// Notes say what the figure leaves out, for a caption.
	Notes []string

	width, height vg.Length
	heading       string // above all, may be empty
	legend        legend
	plots         []titled
}

// titled is a plot with a title and the label of its x axis. They are apart from the plot
// because gonum/plot would set titles at different heights, and would give the label of a
// logarithmic axis the space of one that isn't in the middle.
type titled struct {
	plot          *plot.Plot
	title, xLabel string
}

func newFigure(o Options, l legend, plots []titled, notes []string) *Figure {
	return &Figure{
		Notes: notes,
		width: vg.Length(o.Width) * vg.Inch, height: vg.Length(o.Height) * vg.Inch,
		legend: l, plots: plots,
	}
}

// resolution of PNG files, in dots per inch.
const resolution = 300

// Save writes the figure to a file, whole or not at all, in the format of its extension:
// .png, .svg or .pdf.
func (f *Figure) Save(path string) error {
	content, err := f.Encode(path)
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(path, content)
}

// Encode returns the content of the file that Save writes.
func (f *Figure) Encode(path string) ([]byte, error) {
	var canvas vg.CanvasWriterTo
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png":
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(resolution))}
	case ".svg":
		canvas = vgsvg.New(f.width, f.height)
	case ".pdf":
		canvas = vgpdf.New(f.width, f.height)
	default:
		return nil, fmt.Errorf("figure %s: the name must end in .png, .svg or .pdf", path)
	}
	f.draw(draw.New(canvas))
	var content bytes.Buffer
	if _, err := canvas.WriteTo(&content); err != nil {
		return nil, fmt.Errorf("figure %s: %w", path, err)
	}
	return content.Bytes(), nil
}

func (f *Figure) draw(c draw.Canvas) {
	c = draw.Crop(c, vg.Points(2), -vg.Points(4), vg.Points(2), -vg.Points(2))
	if f.heading != "" {
		heading := words(titleSize)
		heading.XAlign, heading.YAlign = text.XCenter, text.YTop
		c.FillText(heading, vg.Point{X: c.Center().X, Y: c.Max.Y}, f.heading)
		c = draw.Crop(c, 0, 0, 0, -vg.Points(titleSize+6))
	}
	c = draw.Crop(f.legend.draw(c), 0, 0, 0, -vg.Points(2))

	title, label := words(titleSize), words(textSize)
	title.XAlign, title.YAlign = text.XCenter, text.YTop
	label.XAlign, label.YAlign = text.XCenter, text.YBottom
	top, bottom := vg.Points(titleSize+6), vg.Length(0)
	row := make([]*plot.Plot, len(f.plots))
	for i, p := range f.plots {
		row[i] = p.plot
		if p.xLabel != "" {
			bottom = vg.Points(textSize + 1)
		}
	}
	middle := draw.Crop(c, 0, 0, bottom, -top)
	tiles := draw.Tiles{Rows: 1, Cols: len(row), PadX: vg.Points(10)}
	for i, canvas := range plot.Align([][]*plot.Plot{row}, tiles, middle)[0] {
		row[i].Draw(canvas)
		data := row[i].DataCanvas(canvas)
		x := data.Center().X
		c.FillText(title, vg.Point{X: x, Y: c.Max.Y}, f.plots[i].title)
		c.FillText(label, vg.Point{X: x, Y: c.Min.Y}, f.plots[i].xLabel)
	}
}
