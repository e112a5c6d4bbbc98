package plots

import (
	"fmt"
	"image/color"
	"io"
	"log"
	"strings"

	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// withoutPanic returns the error of work. A panic of vgpdf is one: fonts go through the folder for temporary files,
// which may be missing or full.
func withoutPanic(work func() error) (err error) {
	defer log.SetOutput(log.Writer())
	log.SetOutput(io.Discard) // where vgpdf says it, too
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case string:
			if !strings.HasPrefix(fault, "vgpdf: ") {
				panic(fault)
			}
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
