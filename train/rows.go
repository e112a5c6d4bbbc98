package train

import (
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train/decide"
)

// heldOut is added to the name of rows that are held out.
const heldOut = " (held out)"

// HoldOut splits rows at random into rows to train on and the given share of rows to
// validate on; nil if the share is 0.
func HoldOut(d *dataset.Dataset, share float64, seed uint64) (training, validation *dataset.Dataset, err error) {
	if share == 0 {
		return d, nil, nil
	}
	if training, validation, err = dataset.Split(d, share, seed); err == nil {
		validation.Name = d.Name + heldOut
	}
	return training, validation, err
}

// Memory estimates the bytes that Run takes at its peak, garbage included, rather more than less,
// from measurements: of 10⁵ to 10⁶ features, 10⁶ rows of one value and of 28 (120 to 190 bytes a
// row, mapped), and 5000 rows of 3000 (27 bytes a value). Most are vectors of the methods and of
// the search for decisions, which leave out features that no row has. The values of mapped rows
// take none; docs/scale.md has measurements of them.
func (o *Options) Memory() float64 { return o.memory(o.Data.Mapped > 0) }

// MemoryPacked is Memory if the rows were those of a packed file.
func (o *Options) MemoryPacked() float64 { return o.memory(true) }

func (o *Options) memory(mapped bool) float64 {
	const perVariable, perFeature, perRow, perValue = 1500, 100, 300, 30
	const ofMany, perRowOfMany, perRowOfJoined, perGroupOfMany = 60e6, 1, 5, 6e6 // where scores are not kept
	d, s := o.Data, o.ConstraintData
	if s == nil {
		s = d
	}
	variables := d.Features()
	if chosen := model.Features(d.X, s.X); chosen != nil {
		variables = len(chosen)
	}
	need := perVariable*float64(variables) + perFeature*float64(d.Features())
	rows := d.Rows()
	if s != d {
		rows += s.Rows()
	}
	if rows < decide.Many {
		need += perRow * float64(rows)
	} else {
		need += ofMany + perRowOfMany*float64(rows)
		specs := model.GroupsOf(o.Constraints...)
		several := func(spec string) bool { return spec != specs[0] || len(dataset.ParseTerms(spec)) > 1 }
		if slices.ContainsFunc(specs, several) {
			need += perRowOfJoined * float64(rows)
		}
		for _, spec := range specs { // whose scores are added up in bins
			need += perGroupOfMany * float64(dataset.Combinations(d, spec))
		}
	}
	if !mapped {
		need += perValue * float64(d.X.NNZ())
	}
	return need
}

// decisions returns those of weights and intercept on the rows to train on.
func (t *task) decisions(x []float64, centre float64) []float64 {
	decisions := make([]float64, t.Data.Rows())
	for lo, margins := range t.linear(x).Margins(t.Data, 0, len(decisions)) {
		decide.Decisions(decisions[lo:lo+len(margins)], margins, centre)
	}
	return decisions
}
