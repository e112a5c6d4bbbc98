package classifier

import (
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
)

// Opposed is a column whose effect runs against its own association with the label: other columns
// tell so much of the same that, beside them, what is alone a good sign counts against a person. It
// is right on average, and no reason that one could give to a person.
type Opposed struct {
	Column string `json:"column"`
	// Correlation is that of what the column adds to the log-odds with the label, on the training
	// rows: below 0.
	Correlation float64 `json:"correlation"`
}

// FindOpposed returns the columns of which that is so on rows, by more than two standard errors, and
// that matter. The classifier must have the reference of the rows.
func (c *Classifier) FindOpposed(d *dataset.Dataset) []Opposed {
	const errors, little = 2, 0.01 // the latter of log-odds
	if c.Features.Kind != CSV {
		return nil
	}
	rows, positive := float64(d.Rows()), 0.0
	label := make([]float64, d.Rows())
	for i, y := range d.Y {
		label[i] = max(float64(y), 0)
		positive += label[i] / rows
	}
	for i := range label {
		label[i] -= positive
	}
	products := make([]float64, d.Features())
	d.X.AddTransRange(products, label, 0, d.Rows())
	var list []Opposed
	for _, column := range c.Features.Columns() {
		covariance, sd := 0.0, c.strength(&column)
		for j := column.First; j < column.End; j++ {
			covariance += c.Weights[j] * products[j] / rows
		}
		r := covariance / (sd * math.Sqrt(positive*(1-positive)))
		if sd > little && r < -errors/math.Sqrt(rows) {
			list = append(list, Opposed{column.Name, max(r, -1)})
		}
	}
	return list
}

// opposes returns the column among those whose effects run against their association, nil for none.
func (t *Training) opposes(column string) *Opposed {
	k := slices.IndexFunc(t.Opposed, func(o Opposed) bool { return o.Column == column })
	if k < 0 {
		return nil
	}
	return &t.Opposed[k]
}
