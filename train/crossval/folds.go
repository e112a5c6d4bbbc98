package crossval

import (
	"cmp"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/internal/rng"
	"github.com/fairtrain/fairtrain/ledger"
	"github.com/fairtrain/fairtrain/train/ridge"
)

// split assigns rows to folds, so that each fold has about the same share of every label in every
// group of the constraints. Rows of the same unit stay together; nil means that each is its own.
// There are fewer folds where a label is rare, and none where it has a single unit.
func (o *learner) split(d *dataset.Dataset, units []uint64) ridge.Folds {
	f := ridge.Folds{Of: make([]uint8, d.Rows()), Count: 3}
	switch { // the fewer rows, the more a fit needs
	case d.Rows() < 2000:
		f.Count = 10
	case d.Rows() < 10_000:
		f.Count = 5
	}
	known := map[int8]map[uint64]bool{-1: {}, +1: {}}
	unit := func(i int) uint64 {
		if units == nil {
			return uint64(i)
		}
		return units[i]
	}
	for i, y := range d.Y {
		if in := known[y]; len(in) < f.Count {
			in[unit(i)] = true
		}
	}
	f.Count = min(f.Count, len(known[-1]), len(known[+1]))
	if f.Count < 2 {
		return f
	}
	cell := make([]int, d.Rows())
	for i, y := range d.Y {
		cell[i] = int(y+1) / 2
	}
	for _, spec := range o.Groups {
		by, err := d.Strata(spec)
		if err != nil {
			continue // groups of other rows, those of the constraints; or an error that is told there
		}
		for i := range cell {
			cell[i] = cell[i]*(len(by.Names)+1) + by.Group(i) + 1 // 0 is no group
		}
	}
	order := rng.New(o.Seed, "folds").Perm(d.Rows())
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(cell[i], cell[j]) })
	assigned, next := map[uint64]uint8{}, 0
	for _, i := range order {
		fold, found := assigned[unit(i)]
		if !found {
			fold = uint8(next % f.Count)
			next++
			if units != nil {
				assigned[unit(i)] = fold
			}
		}
		f.Of[i] = fold
	}
	return f
}

// unitsOf returns which of the listed rows of a table, nil for all, belong together, as they may be
// of one person: Table.Units or, without them, what repeated returns.
func unitsOf(t *tabular.Table, d *dataset.Dataset, rows []int) []uint64 {
	switch {
	case t.Units == nil:
		return repeated(d)
	case rows == nil:
		return t.Units
	}
	return dataset.Pick(t.Units, rows)
}

// repeated returns the features of the rows in a number each, where rows are repeated more evenly
// than by chance; nil if there is no sign of it.
func repeated(d *dataset.Dataset) []uint64 {
	units := slices.Collect(dataset.FeatureIdentities(d))
	if _, multiple := ledger.NewSketch(len(units), slices.Values(units)).Repeated(); multiple {
		return units
	}
	return nil
}

// InOneFold names the groups of a specification of which all rows of some label are in a single fold:
// without it they could not be compared. Among labels 0 stands for all rows.
func (c *Choice) InOneFold(spec string, labels []int8) (names []string) {
	by, err := c.Data.Strata(spec)
	if err != nil {
		return nil // training will say so
	}
	type cell struct {
		label int8
		group int
	}
	folds := map[cell][]uint8{} // that have rows of it, each once
	for i, y := range c.Data.Y {
		for _, label := range labels {
			at := cell{label, by.Group(i)}
			if fold := c.Split.Of[i]; (label == 0 || label == y) && !slices.Contains(folds[at], fold) {
				folds[at] = append(folds[at], fold)
			}
		}
	}
	for at, in := range folds {
		switch {
		case len(in) > 1:
		case at.group < len(by.Names):
			names = append(names, by.Names[at.group])
		case len(by.Names) == 1: // the rows of no group are the other side of the comparison
			names = append(names, dataset.OthersThan(spec))
		}
	}
	slices.Sort(names)
	return names
}
