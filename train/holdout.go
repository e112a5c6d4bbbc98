package train

import (
	"fmt"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// heldOut is added to the name of rows that are held out.
const heldOut = " (held out)"

// HoldOut splits rows at random into rows to train on and the given share of rows to
// validate on; nil if the share is 0.
func HoldOut(d *dataset.Dataset, share float64, seed uint64) (training, validation *dataset.Dataset, err error) {
	if share == 0 {
		return d, nil, nil
	}
	training, validation, err = dataset.Split(d, share, seed)
	if err != nil {
		return nil, nil, err
	}
	validation.Name = d.Name + heldOut
	return training, validation, nil
}

// HoldOutTable is HoldOut for the rows of a tabular. It encodes them by e or, if e is nil, by
// an encoding learned on the rows to train on. It returns the encoding.
func HoldOutTable(t *tabular.Table, e *encoding.Encoding, share float64, seed uint64) (learned *encoding.Encoding, training, validation *dataset.Dataset, err error) {
	var fitted, kept []int // nil means all rows
	if share > 0 {
		if fitted, kept, err = dataset.SplitRows(t.Rows, share, seed); err != nil {
			return nil, nil, nil, fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	if e == nil {
		if e, err = encoding.Learn(t, fitted); err != nil {
			return nil, nil, nil, err
		}
	}
	if training, err = e.Apply(t, fitted); err != nil || share == 0 {
		return e, training, nil, err
	}
	if validation, err = e.Apply(t, kept); err != nil {
		return nil, nil, nil, err
	}
	validation.Name += heldOut
	return e, training, validation, nil
}

// weighClasses returns the weights of the rows, multiplied by positive for the class +1.
func weighClasses(d *dataset.Dataset, positive float64) []float64 {
	weights := make([]float64, d.Rows())
	for i, y := range d.Y {
		weights[i] = d.Weight(i)
		if y > 0 {
			weights[i] *= positive
		}
	}
	return weights
}

// BalancedWeight is the weight of the class +1 that makes both classes count alike. It is 0
// or not finite if the rows of a class have no weight.
func BalancedWeight(d *dataset.Dataset) float64 {
	sum := map[int8]float64{}
	for i, y := range d.Y {
		sum[y] += d.Weight(i)
	}
	return sum[-1] / sum[1]
}
