// Package crossval chooses, by cross-validation, what suits rows that a model is not fitted to: the
// penalty, of all features or of each column, and pairs of columns.
//
//	Learn      an encoding, and what was chosen, from a table: choose.go
//	LearnRows  the penalty, for rows that are encoded: choose.go
//	split      rows into folds, of which no person is in two: folds.go
//	pairs of columns: interactions.go
package crossval

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/rng"
	"github.com/fairtrain/fairtrain/internal/vmath"
	"github.com/fairtrain/fairtrain/model/penalty"
	"github.com/fairtrain/fairtrain/train/calibration"
	"github.com/fairtrain/fairtrain/train/ridge"
)

// Options say what is chosen.
type Options struct {
	Shapes       bool     // numbers become shapes, of an additive model
	ChooseL2     bool     // and not L2
	L2           float64  // of the penalty, unless it is chosen
	Interactions int      // the largest number of pairs of columns
	Groups       []string // of which every fold has about the same share
	Seed         uint64
	Threshold    float64 // on probabilities, of the figures
	Score        string  // the column of a given score; empty for none
}

// Learned is what was learned of a table.
type Learned struct {
	Encoding *encoding.Encoding
	Data     *dataset.Dataset // the encoded rows
	Choice   *Choice          // nil where there are too few rows to hold any out
}

// Choice is what cross-validation chose for the rows to train on, before any constraint.
type Choice struct {
	Bins int     `json:"bins,omitempty"` // most bins of a number; 0 for a linear model
	L2   float64 `json:"l2"`             // the penalty
	// Columns are penalties of columns and pairs of them, where each has its own.
	Columns []ColumnPenalty `json:"columns,omitempty"`
	Rows    int             `json:"rows"` // that it was chosen on
	Folds   int             `json:"folds"`
	Tried   []Tried         `json:"tried"`
	// Interactions are the pairs of columns that were chosen; nil where none were tried.
	Interactions *Interactions `json:"interactions,omitempty"`
	// Unseen are the figures of the unconstrained model on rows that it was not fitted to.
	Unseen *classifier.Unseen `json:"unseen"`

	Data    *dataset.Dataset `json:"-"` // the rows that it was chosen on
	Split   ridge.Folds      `json:"-"` // of these rows
	Took    time.Duration    `json:"-"` // to choose, and to encode the rows
	Margins []float64        `json:"-"` // of these rows, by the fit without their fold
	fits    [][]float64      // weights and intercept without each fold
	penalty penalty.Penalty
	given   bool // the penalty was
	decided bool // decisions of the unconstrained model are those of the margins as they are
	loss    float64
}

// ColumnPenalty is the penalty of the features of a column, or of those for its missing numbers.
type ColumnPenalty struct {
	Column string  `json:"column"`
	L2     float64 `json:"l2"`
}

// Tried is a choice that was tried, and its log loss on rows held out. Without L2, it is the
// intercept alone.
type Tried struct {
	Columns bool     `json:"columns,omitempty"` // have penalties of their own, of which L2 is the scale
	L2      *float64 `json:"l2"`
	LogLoss float64  `json:"log_loss"`
}

const (
	// constantL2 is a penalty that leaves the intercept alone.
	constantL2 = 1e3
	// mostL2 is the largest penalty that is tried on a model with features, but of many rows
	// mostOfMany by their number.
	mostL2, mostOfMany = 1, 1000
	// chosenOn is the largest number of rows on which choices are compared.
	chosenOn = 20_000
)

// shapeBins is the largest number of bins of a number. The penalty makes a function of many bins
// smooth where rows say nothing else, and they follow a number with heavy values, such as a capital
// gain.
const shapeBins = 256

// learner is what is known so far.
type learner struct {
	Options
	Learned
}

// Learn learns the encoding of the given rows of a table, nil for all, and encodes them. The penalties
// and the pairs of columns are those of the least log loss in cross-validation, on chosenOn rows at
// most.
func Learn(t *tabular.Table, rows []int, opts Options) (*Learned, error) {
	began, o := time.Now(), &learner{Options: opts}
	if err := o.choose(t, rows); err != nil {
		return nil, err
	}
	if o.Choice != nil {
		o.Choice.Took = time.Since(began)
	}
	return &o.Learned, nil
}

// choose learns the encoding of rows, nil for all, and encodes them.
func (o *learner) choose(t *tabular.Table, rows []int) (err error) {
	bins, n := 0, t.Rows
	if o.Shapes {
		bins = shapeBins
	}
	if rows != nil {
		n = len(rows)
	}
	drawn := draw(n, o.Seed)
	if drawn == nil {
		drawn = rows
	} else if rows != nil {
		drawn = dataset.Pick(rows, drawn)
	}
	if o.Encoding, err = encoding.LearnShapes(t, rows, bins); err != nil {
		return err
	}
	if o.Data, err = o.Encoding.Apply(t, drawn); err != nil {
		return err
	}
	if err = o.crossValidate(unitsOf(t, o.Data, drawn)); err != nil {
		return err
	}
	if err = o.cross(t, rows, drawn); err != nil {
		return err
	}
	if n > chosenOn {
		o.Data, err = o.Encoding.Apply(t, rows)
	}
	return err
}

// LearnRows chooses the penalty for rows that are encoded already. The choice is nil where there are
// too few rows.
func LearnRows(d *dataset.Dataset, opts Options) (*Choice, error) {
	few := *d
	if drawn := draw(few.Rows(), opts.Seed); drawn != nil {
		few = *few.Pick(drawn, few.Name)
	}
	few.SampleOf = 0 // these stand for themselves
	o := &learner{Options: opts, Learned: Learned{Data: &few}}
	err := o.crossValidate(repeated(&few))
	return o.Choice, err
}

// For returns the penalty for so many rows. One that is chosen on fewer rows is larger there. Without
// a choice it is that of too few rows to compare.
func (c *Choice) For(rows int) penalty.Penalty {
	if c == nil {
		return penalty.Penalty{L2: 1}
	}
	if c.given {
		return c.penalty
	}
	return c.penalty.Times(float64(c.Rows) / float64(rows))
}

// draw returns the numbers of chosenOn of n rows; nil if there are no more.
func draw(n int, seed uint64) []int {
	if n <= chosenOn {
		return nil
	}
	drawn := rng.New(seed, "choose").Perm(n)[:chosenOn]
	slices.Sort(drawn)
	return drawn
}

// crossValidate compares penalties of the rows, of which those of a unit stay together, see split: one
// for all features, and then one for each column. It chooses none where there are too few rows to hold
// any out.
func (o *learner) crossValidate(units []uint64) error {
	d := o.Data
	c := &Choice{Rows: d.Rows(), Data: d, Split: o.split(d, units), given: !o.ChooseL2}
	if c.Folds = c.Split.Count; c.Folds < 2 {
		return nil
	}
	if o.Choice = c; o.Shapes {
		c.Bins = shapeBins
	}
	if o.Score != "" {
		if err := c.take(o.penalties(c, without(d, o.Score)), o.Threshold); err != nil {
			return err
		}
		return c.give(o.Score, o.Threshold)
	}
	return c.take(o.penalties(c, d), o.Threshold)
}

// penalties compares those of rows d.
func (o *learner) penalties(c *Choice, d *dataset.Dataset) *ridge.Choice {
	p := Problem(d, d.Weights, penalty.Penalty{L2: 1})
	if !o.ChooseL2 {
		return ridge.At(p, c.Split, o.L2, nil)
	}
	one := ridge.Choose(p, c.Split, min(mostL2, mostOfMany/float64(d.Rows())))
	return ridge.Blocks(p, c.Split, one)
}

// take takes what ridge has found.
func (c *Choice) take(found *ridge.Choice, threshold float64) (err error) {
	c.penalty = found.Form.Times(min(found.Lambda, constantL2))
	c.L2, c.loss, c.Margins, c.fits = c.penalty.L2, found.Loss, found.Margins, found.Fits
	c.Columns = nil
	for k, l2 := range c.penalty.BlockL2 {
		c.Columns = append(c.Columns, ColumnPenalty{c.Data.Blocks[k].Name, l2})
	}
	for _, try := range found.Tried {
		tried := Tried{Columns: try.Blocks, LogLoss: try.Loss}
		if !math.IsInf(try.Lambda, 1) {
			tried.L2 = &try.Lambda
		}
		c.Tried = append(c.Tried, tried)
	}
	c.Unseen, err = Unseen(c.Data, c.Margins, nil, threshold)
	return err
}

// Decided returns the margins from where on decisions of the unconstrained model are positive, by fits
// without the fold of each row: where the probability given the margin has the log-odds. Rows of the
// label +1 count so many times as much.
func (c *Choice) Decided(logOdds, positive float64) []float64 {
	margins := slices.Clone(c.Margins)
	if c.decided {
		floats.AddConst(-logOdds, margins)
		return margins
	}
	p := calibration.With(c.Data, c.Margins)
	p.WeighClasses(positive)
	if a, b, ok := p.Fit(); ok {
		logOdds = (logOdds - b) / a
	}
	floats.AddConst(-logOdds, margins)
	return margins
}

// Unseen returns the figures of margins on rows held out, after calibration. Decisions are positive
// from the margin centre on or, if it is nil, from the probability threshold.
func Unseen(d *dataset.Dataset, margins []float64, centre *float64, threshold float64) (*classifier.Unseen, error) {
	scores := make([]float64, len(margins))
	a, b := 1.0, 0.0
	if slope, shift, ok := calibration.With(d, margins).Fit(); ok {
		a, b = slope, shift
	}
	if centre != nil {
		threshold = vmath.SigmoidOf(float64(a**centre) + b)
	}
	calibrated := make([]float64, len(margins))
	for i, m := range margins {
		calibrated[i] = float64(a*m) + b
	}
	vmath.Sigmoid(scores, calibrated)
	judged, err := fairness.Predictions{Scores: scores, Threshold: threshold, Labels: d.Y, Weights: d.Weights}.By(nil)
	if err != nil {
		return nil, err
	}
	all := judged.Evaluate()
	return &classifier.Unseen{
		Rows: d.Rows(), Accuracy: all.Accuracy, AUC: all.AUC, LogLoss: all.LogLoss, Unconstrained: all.Accuracy,
	}, nil
}
