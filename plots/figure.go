package plots

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image/color"
	"io"
	"log"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
	"github.com/fairtrain/fairtrain/internal/names"
)

// Figure is rows of plots below a legend.
type Figure struct {
	// Notes name what the figure leaves out, for a caption.
	Notes []string

	width, height vg.Length
	heading       string // above all, may be empty
	caption       string // meaning of lines, bands and boxes; may be empty
	legend        legend
	rows          [][]titled
}

// titled is a plot with a title and the label of its x axis. They are separate from the
// plot because gonum/plot would set titles at different heights, and would reserve too
// much space for the label of a logarithmic axis.
type titled struct {
	plot          *plot.Plot
	title, xLabel string
}

func newFigure(o Options, caption string, l legend, rows ...[]titled) *Figure {
	return &Figure{
		width: vg.Length(o.Width) * vg.Inch, height: vg.Length(o.Height) * vg.Inch * vg.Length(len(rows)),
		heading: names.Line(o.Heading), caption: caption, legend: l, rows: rows,
	}
}

// Formats are the extensions of the files that Save writes.
var Formats = []string{".png", ".svg", ".pdf"}

// Draft figures are coarse: PNG files have 40 dots per inch in place of 300, and PDF files lack
// the fonts. It is for tests that draw hundreds of figures, where pixels and fonts take most of
// the time.
var Draft = false

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
		dpi := 300
		if Draft {
			dpi = 40
		}
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(dpi))}
	case ".svg":
		canvas = vgsvg.New(f.width, f.height)
	case ".pdf":
		pdf := vgpdf.New(f.width, f.height)
		pdf.EmbedFonts(!Draft)
		canvas = pdfCanvas{pdf}
	default:
		return nil, fmt.Errorf("figure %s: the name must end in .png, .svg or .pdf", path)
	}
	var content bytes.Buffer
	err := withoutPanic(func() error {
		f.draw(draw.New(canvas))
		_, err := canvas.WriteTo(&content)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("figure %s: %w", path, err)
	}
	return marked(content.Bytes()), nil
}

// marked adds to a file what tells it from the figures of other programs.
func marked(file []byte) []byte {
	const mark, lastChunk = "fairtrain-figure", 12 // bytes, of a PNG file
	switch {
	case bytes.HasPrefix(file, []byte("%PDF")):
		return append(file, "\n%"+mark+"\n"...)
	case !bytes.HasPrefix(file, []byte("\x89PNG")):
		return append(file, "<!-- "+mark+" -->\n"...)
	}
	text := "tEXtSoftware\x00" + mark
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(text)-len("tEXt")))
	chunk = binary.BigEndian.AppendUint32(append(chunk, text...), crc32.ChecksumIEEE([]byte(text)))
	return slices.Insert(file, len(file)-lastChunk, chunk...)
}

// draw draws, from the top, the heading, the caption, the legend and the rows of plots.
func (f *Figure) draw(c draw.Canvas) {
	c = draw.Crop(c, vg.Points(2), -vg.Points(4), vg.Points(2), -vg.Points(2))
	c = write(c, words(titleSize), f.heading)
	caption := words(noteSize)
	caption.Color = color.Gray{70}
	c = write(c, caption, f.caption)
	c = draw.Crop(f.legend.draw(c), 0, 0, 0, -vg.Points(2))
	const gap = 8 // points, between rows
	height := (c.Size().Y + vg.Points(gap)) / vg.Length(len(f.rows))
	for i, row := range f.rows {
		top := vg.Length(i) * height
		drawRow(draw.Crop(c, 0, 0, c.Size().Y-top-height+vg.Points(gap), -top), row)
	}
}

// write writes centred lines of text at the top of c and returns what is left below them.
func write(c draw.Canvas, s text.Style, content string) draw.Canvas {
	s.XAlign, s.YAlign = text.XCenter, text.YTop
	for _, line := range wrap(s, content, c.Size().X) {
		c.FillText(s, vg.Point{X: c.Center().X, Y: c.Max.Y}, line)
		c = draw.Crop(c, 0, 0, 0, -s.Font.Size*1.3)
	}
	if content != "" {
		c = draw.Crop(c, 0, 0, 0, -vg.Points(2))
	}
	return c
}

// wrap breaks text into lines of at most the given width.
func wrap(s text.Style, content string, width vg.Length) []string {
	var lines []string
	for word := range strings.FieldsSeq(content) {
		if last := len(lines) - 1; last >= 0 && s.Width(lines[last]+" "+word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// drawRow draws plots side by side.
func drawRow(c draw.Canvas, plots []titled) {
	title, label := words(titleSize), words(textSize)
	title.XAlign, title.YAlign = text.XCenter, text.YTop
	label.XAlign, label.YAlign = text.XCenter, text.YBottom
	top, bottom := vg.Points(titleSize+6), vg.Length(0)
	row := make([]*plot.Plot, len(plots))
	for i, p := range plots {
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
		c.FillText(title, vg.Point{X: x, Y: c.Max.Y}, plots[i].title)
		c.FillText(label, vg.Point{X: x, Y: c.Min.Y}, plots[i].xLabel)
	}
}

// withoutPanic returns the error of work. A panic of vgpdf is one: fonts go through the folder for
// temporary files, which may be missing or full.
func withoutPanic(work func() error) (err error) {
	defer log.SetOutput(log.Writer())
	log.SetOutput(io.Discard) // where vgpdf says it, too
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case string: // as vgpdf panics
			err = fmt.Errorf("%s; set TMPDIR to a folder for temporary files that can be written", fault)
		default:
			panic(fault)
		}
	}()
	return work()
}

// pdfCanvas gives vgpdf what it expects. Text is in the code page of the embedded fonts, as
// vgpdf takes the bytes of a string unchanged. Translucent colours are not multiplied by
// their opacity, as they would become darker.
type pdfCanvas struct{ *vgpdf.Canvas }

// SetColor implements vg.Canvas.
func (c pdfCanvas) SetColor(shade color.Color) {
	if shade == nil { // of a line that is not drawn
		return
	}
	c.Canvas.SetColor(straight(color.NRGBAModel.Convert(shade).(color.NRGBA)))
}

// straight is a colour whose components are not multiplied by its opacity.
type straight color.NRGBA

// RGBA implements color.Color, except for the multiplication.
func (s straight) RGBA() (r, g, b, a uint32) {
	const full = 0x101 // from 8 to 16 bits
	return full * uint32(s.R), full * uint32(s.G), full * uint32(s.B), full * uint32(s.A)
}

// FillString implements vg.Canvas.
func (c pdfCanvas) FillString(f font.Face, at vg.Point, text string) {
	c.Canvas.FillString(f, at, codePage(text))
}

// codePage is text in Windows-1252. A minus sign becomes a dash of its length, any other
// character that the code page lacks a question mark.
func codePage(text string) string {
	var page []byte
	for _, r := range text {
		if r == '−' {
			r = '–'
		}
		b, ok := charmap.Windows1252.EncodeRune(r)
		if !ok {
			b = '?'
		}
		page = append(page, b)
	}
	return string(page)
}
