package train

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/rng"
	"github.com/fairtrain/fairtrain/ledger"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train/calibration"
	"github.com/fairtrain/fairtrain/train/ridge"
)

// The classes of Options.
const (
	// Additive is a sum of functions, one of each column: of a number a shape, piecewise constant
	// and smooth.
	Additive = "additive"
	// Linear is a weighted sum of the numbers themselves.
	Linear = "linear"
)

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

	data    *dataset.Dataset // the rows that it was chosen on
	folds   ridge.Folds
	fits    [][]float64 // weights and intercept without each fold
	margins []float64   // of the rows, by the fit without their fold
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

// Learn learns the encoding of a table's rows, but for a share that is held out, and encodes both
// parts: Encoding, Data and ValidationData. The number of bins of numbers and, with ChooseL2, the
// penalty are those of the least log loss in cross-validation.
func (o *Options) Learn(t *tabular.Table, share float64) error {
	var fitted, held []int // nil means all rows
	if share > 0 {
		var err error
		if fitted, held, err = dataset.SplitRows(t.Rows, share, o.Seed); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	if err := o.choose(t, fitted); err != nil {
		return err
	}
	if share == 0 {
		return nil
	}
	var err error
	if o.ValidationData, err = o.Encoding.Apply(t, held); err == nil {
		o.ValidationData.Name += heldOut
	}
	return err
}

// choose learns the encoding of rows, nil for all.
func (o *Options) choose(t *tabular.Table, rows []int) error {
	bins := shapeBins
	if o.Class != Additive {
		bins = []int{0}
	}
	n := t.Rows
	if rows != nil {
		n = len(rows)
	}
	drawn := o.draw(n)
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
	o.penalise(n)
	return nil
}

// LearnRows chooses the penalty for rows that are encoded already, Data. It does nothing where
// options leave nothing to be cross-validated: then rows in shards lead to the same model as rows
// here, of which others are drawn.
func (o *Options) LearnRows() error {
	if !o.ChooseL2 && o.Aim == AimTraining {
		return nil
	}
	few := *o.Data
	if drawn := o.draw(few.Rows()); drawn != nil {
		few = *few.Pick(drawn, few.Name)
	}
	few.SampleOf = 0 // these stand for themselves
	var err error
	if o.Choice, err = o.crossValidate(&few, repeated(&few), 0); err == nil {
		o.penalise(o.Data.All())
	}
	return err
}

// penalise takes the penalty for so many rows from the choice. What suits fewer rows is larger.
func (o *Options) penalise(rows int) {
	c := o.Choice
	if c == nil {
		c = &Choice{L2: 1, Rows: rows} // too few rows to compare
	}
	scale := float64(c.Rows) / float64(rows)
	if o.ChooseL2 {
		o.Model.L2 = c.L2 * scale
	}
	o.Model.CellL2 = c.cellL2() * scale
}

// draw returns the numbers of chosenOn of n rows; nil if there are no more.
func (o *Options) draw(n int) []int {
	if n <= chosenOn {
		return nil
	}
	drawn := rng.New(o.Seed, "choose").Perm(n)[:chosenOn]
	slices.Sort(drawn)
	return drawn
}

// crossValidate compares penalties on rows, of which those of a unit stay together, see deal. It
// returns nil where there are too few to hold any out.
func (o *Options) crossValidate(d *dataset.Dataset, units []uint64, bins int) (*Choice, error) {
	c := &Choice{Bins: bins, Rows: d.Rows(), data: d}
	previous := o.Choice
	if previous != nil {
		c.folds = previous.folds
	} else {
		c.folds = o.deal(d, units)
	}
	if c.Folds = c.folds.Count; c.Folds < 2 {
		return nil, nil
	}
	p := ridgeProblem(d, d.Weights, c.cellL2())
	var found *ridge.Choice
	switch {
	case !o.ChooseL2:
		found = ridge.At(p, c.folds, o.Model.L2, nil)
	case previous != nil: // shapes of more bins want no more
		found = ridge.Choose(p, c.folds, min(10*previous.L2, mostL2), previous.loss)
	default:
		found = ridge.Choose(p, c.folds, min(mostL2, mostOfMany/float64(d.Rows())), math.Inf(1))
	}
	c.L2, c.loss, c.margins, c.fits = min(found.Lambda, constantL2), found.Loss, found.Margins, found.Fits
	for _, try := range found.Tried {
		tried := Tried{Bins: bins, LogLoss: try.Loss}
		if !math.IsInf(try.Lambda, 1) {
			tried.L2 = &try.Lambda
		}
		c.Tried = append(c.Tried, tried)
	}
	var err error
	c.Unseen, err = unseen(d, c.margins, nil, o.Threshold)
	return c, err
}

// unseen returns the figures of margins on rows held out, after calibration. Decisions are positive
// from the margin centre on or, if it is nil, from the probability threshold.
func unseen(d *dataset.Dataset, margins []float64, centre *float64, threshold float64) (*classifier.Unseen, error) {
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

// deal deals rows out to folds, so that each fold has about the same share of every label in every
// group of the constraints. Rows of the same unit stay together; nil means that each is its own.
// There are fewer folds where a label is rare, and none where it has a single unit.
func (o *Options) deal(d *dataset.Dataset, units []uint64) ridge.Folds {
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
	for _, spec := range model.GroupsOf(o.requirements()...) {
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
	dealt, next := map[uint64]uint8{}, 0
	for _, i := range order {
		fold, found := dealt[unit(i)]
		if !found {
			fold = uint8(next % f.Count)
			next++
			if units != nil {
				dealt[unit(i)] = fold
			}
		}
		f.Of[i] = fold
	}
	return f
}

// unitsOf returns which of the listed rows of a table, nil for all, belong together, as they may be
// of one person: those of the same value of an identifier that is in several rows each or, without
// one, those that repeated returns.
func unitsOf(t *tabular.Table, d *dataset.Dataset, rows []int) []uint64 {
	units := make([]uint64, d.Rows())
	at := func(i int) int {
		if rows == nil {
			return i
		}
		return rows[i]
	}
	for _, spec := range t.Schema.Columns {
		c := t.Column(spec.Name)
		if spec.SeveralRows == nil || c == nil {
			continue
		}
		for i := range units {
			if c.Numbers != nil {
				units[i] = math.Float64bits(c.Numbers[at(i)])
			} else {
				units[i] = uint64(c.Codes.At(at(i)))
			}
		}
		return units
	}
	return repeated(d)
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
