// Package crossval chooses, by cross-validation, what suits rows that a model is not fitted to: the
// bins of numbers, the penalty, and pairs of columns.
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

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/rng"
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
}

// Learned is what was learned of a table.
type Learned struct {
	Encoding *encoding.Encoding
	Data     *dataset.Dataset // the encoded rows
	Choice   *Choice          // nil where there are too few rows to hold any out
}

// Choice is what cross-validation chose for the rows to train on, before any constraint.
type Choice struct {
	Bins  int     `json:"bins,omitempty"` // most bins of a number; 0 for a linear model
	L2    float64 `json:"l2"`             // the penalty
	Rows  int     `json:"rows"`           // that it was chosen on
	Folds int     `json:"folds"`
	Tried []Tried `json:"tried"`
	// Interactions are the pairs of columns that were chosen; nil where none were tried.
	Interactions *Interactions `json:"interactions,omitempty"`
	// Unseen are the figures of the unconstrained model on rows that it was not fitted to.
	Unseen *classifier.Unseen `json:"unseen"`

	Data    *dataset.Dataset `json:"-"` // the rows that it was chosen on
	Split   ridge.Folds      `json:"-"` // of these rows
	Took    time.Duration    `json:"-"` // to choose, and to encode the rows
	Margins []float64        `json:"-"` // of these rows, by the fit without their fold
	fits    [][]float64      // weights and intercept without each fold
	loss    float64
}

// Tried is a choice that was tried, and its log loss on rows held out. Without L2, it is the
// intercept alone.
type Tried struct {
	Bins    int      `json:"bins,omitempty"`
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

// shapeBins are the numbers of bins that are compared. Few bins are smooth, many follow a number
// with heavy values, such as a capital gain.
var shapeBins = []int{32, 256}

// learner is what is known so far.
type learner struct {
	Options
	Learned
}

// Learn learns the encoding of the given rows of a table, nil for all, and encodes them. The number
// of bins of numbers, the penalty and the pairs of columns are those of the least log loss in
// cross-validation, on chosenOn rows at most.
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
func (o *learner) choose(t *tabular.Table, rows []int) error {
	bins := shapeBins
	if !o.Shapes {
		bins = []int{0}
	}
	n := t.Rows
	if rows != nil {
		n = len(rows)
	}
	drawn := draw(n, o.Seed)
	if drawn == nil {
		drawn = rows
	} else if rows != nil {
		drawn = dataset.Pick(rows, drawn)
	}
	var units []uint64
	for _, most := range bins {
		e, err := encoding.LearnShapes(t, rows, most)
		if err != nil {
			return err
		}
		if o.Encoding != nil && e.Width() == o.Encoding.Width() {
			break // no number has more values
		}
		d, err := e.Apply(t, drawn)
		if err != nil {
			return err
		}
		if o.Choice == nil {
			units = unitsOf(t, d, drawn)
		}
		c, err := o.crossValidate(d, units, most)
		if err != nil {
			return err
		}
		if c != nil && o.Choice != nil {
			c.Tried = append(slices.Clone(o.Choice.Tried), c.Tried...)
			if c.loss >= o.Choice.loss {
				o.Choice.Tried = c.Tried
				break
			}
		}
		o.Choice, o.Encoding, o.Data = c, e, d
		if c == nil {
			break
		}
	}
	if err := o.cross(t, rows, drawn); err != nil {
		return err
	}
	if n > chosenOn {
		var err error
		if o.Data, err = o.Encoding.Apply(t, rows); err != nil {
			return err
		}
	}
	return nil
}

// LearnRows chooses the penalty for rows that are encoded already. The choice is nil where there are
// too few rows.
func LearnRows(d *dataset.Dataset, opts Options) (*Choice, error) {
	few := *d
	if drawn := draw(few.Rows(), opts.Seed); drawn != nil {
		few = *few.Pick(drawn, few.Name)
	}
	few.SampleOf = 0 // these stand for themselves
	return (&learner{Options: opts}).crossValidate(&few, repeated(&few), 0)
}

// For returns the penalties for so many rows, of weights and of cells of pairs. What suits fewer rows
// is larger. Without a choice they are those of too few rows to compare.
func (c *Choice) For(rows int) (l2, cellL2 float64) {
	if c == nil {
		c = &Choice{L2: 1, Rows: rows}
	}
	scale := float64(c.Rows) / float64(rows)
	return c.L2 * scale, c.CellL2() * scale
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

// crossValidate compares penalties on rows, of which those of a unit stay together, see split. It
// returns nil where there are too few to hold any out.
func (o *learner) crossValidate(d *dataset.Dataset, units []uint64, bins int) (*Choice, error) {
	c := &Choice{Bins: bins, Rows: d.Rows(), Data: d}
	previous := o.Choice
	if previous != nil {
		c.Split = previous.Split
	} else {
		c.Split = o.split(d, units)
	}
	if c.Folds = c.Split.Count; c.Folds < 2 {
		return nil, nil
	}
	p := Problem(d, d.Weights, c.CellL2())
	var found *ridge.Choice
	switch {
	case !o.ChooseL2:
		found = ridge.At(p, c.Split, o.L2, nil)
	case previous != nil: // shapes of more bins want no more
		found = ridge.Choose(p, c.Split, min(10*previous.L2, mostL2), previous.loss)
	default:
		found = ridge.Choose(p, c.Split, min(mostL2, mostOfMany/float64(d.Rows())), math.Inf(1))
	}
	c.L2, c.loss, c.Margins, c.fits = min(found.Lambda, constantL2), found.Loss, found.Margins, found.Fits
	for _, try := range found.Tried {
		tried := Tried{Bins: bins, LogLoss: try.Loss}
		if !math.IsInf(try.Lambda, 1) {
			tried.L2 = &try.Lambda
		}
		c.Tried = append(c.Tried, tried)
	}
	var err error
	c.Unseen, err = Unseen(d, c.Margins, nil, o.Threshold)
	return c, err
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
		threshold = 1 / (1 + math.Exp(-(float64(a**centre) + b)))
	}
	for i, m := range margins {
		scores[i] = 1 / (1 + math.Exp(-(float64(a*m) + b)))
	}
	judged, err := fairness.Predictions{Scores: scores, Threshold: threshold, Labels: d.Y, Weights: d.Weights}.By(nil)
	if err != nil {
		return nil, err
	}
	all := judged.Evaluate()
	return &classifier.Unseen{
		Rows: d.Rows(), Accuracy: all.Accuracy, AUC: all.AUC, LogLoss: all.LogLoss, Unconstrained: all.Accuracy,
	}, nil
}
