package input

import (
	"fmt"
	"math"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/table"
)

// remarkDrift names the numbers of rows that are so unlike those of training that they are probably in
// another unit, or were read otherwise: 19,220 as 19.22, or a share as a percentage.
func remarkDrift(p *command.Program, c *cli.Context, d *dataset.Dataset, e *encoding.Encoding) {
	for _, text := range drift(d, e) {
		p.Remark(c, "%s: %s", d.Name, text)
	}
}

// drift compares the means and the standard deviations of standardised numbers with those of training, which are
// 0 and 1.
func drift(d *dataset.Dataset, e *encoding.Encoding) (list []string) {
	const fewest = 20                     // rows
	const far, narrow, wide = 3, 0.02, 50 // in standard deviations of training
	n := float64(d.Rows())
	if n < fewest {
		return nil
	}
	first, columns := 0, d.X.Columns()
	for k := range e.Features {
		f := &e.Features[k]
		at := first
		first += f.Width()
		if f.As != table.Standardise {
			continue
		}
		mean := columns[at].Sum / n
		sd := math.Sqrt(max(columns[at].Squares/n-mean*mean, 0))
		if math.Abs(mean) > far || sd > wide || sd > 0 && sd < narrow {
			list = append(list, fmt.Sprintf("%s has the mean %.4g and the standard deviation %.4g here, %.4g and %.4g in training: is it in the same unit?",
				f.Column, f.Mean+f.SD*mean, f.SD*sd, f.Mean, f.SD))
		}
	}
	return list
}
