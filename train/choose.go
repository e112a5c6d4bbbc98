package train

import (
	"fmt"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train/crossval"
)

// The classes of Options.
const (
	// Additive is a sum of functions, one of each column: of a number a shape, piecewise constant
	// and smooth.
	Additive = "additive"
	// Linear is a weighted sum of the numbers themselves.
	Linear = "linear"
)

// AutoInteractions is the largest number of pairs of columns that are tried unless one is given.
const AutoInteractions = 16

// Learn learns the encoding of a table's rows, but for a share that is held out, and encodes both
// parts: Encoding, Data and ValidationData. The number of bins of numbers and, with ChooseL2, the
// penalty are those of the least log loss in cross-validation.
func (o *Options) Learn(t *tabular.Table, share float64) error {
	var fitted, held []int // nil means all rows
	if share > 0 {
		var err error
		if fitted, held, err = dataset.SplitRows(t.Rows, t.Units, share, o.Seed); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	learned, err := crossval.Learn(t, fitted, o.crossValidated())
	if err != nil {
		return err
	}
	o.Encoding, o.Data, o.Choice = learned.Encoding, learned.Data, learned.Choice
	o.penalise()
	if share == 0 {
		return nil
	}
	if o.ValidationData, err = o.Encoding.Apply(t, held); err == nil {
		o.ValidationData.Name += heldOut
	}
	return err
}

// LearnRows chooses the penalty for rows that are encoded already, Data. It does nothing where
// options leave nothing to be cross-validated: then rows in shards lead to the same model as rows
// here, of which others are drawn.
func (o *Options) LearnRows() (err error) {
	if !o.ChooseL2 && o.Aim == AimTraining {
		return nil
	}
	if o.Choice, err = crossval.LearnRows(o.Data, o.crossValidated()); err == nil {
		o.penalise()
	}
	return err
}

// crossValidated are the options of what is chosen.
func (o *Options) crossValidated() crossval.Options {
	return crossval.Options{
		Shapes: o.Class == Additive, ChooseL2: o.ChooseL2, L2: o.Model.L2, Interactions: o.Interactions,
		Groups: model.GroupsOf(o.requirements()...), Seed: o.Seed, Threshold: o.Threshold, Score: o.Score,
	}
}

// penalise takes the penalties from the choice.
func (o *Options) penalise() {
	if penalty := o.Choice.For(o.Data.All()); o.ChooseL2 || penalty.BlockL2 != nil {
		o.Model.L2, o.Model.BlockL2 = penalty.L2, penalty.BlockL2
	}
}
