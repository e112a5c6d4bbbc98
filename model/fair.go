// Package model states fairness-constrained classification as a problem.Problem:
//
//	minimise   f(x) = mean over D of φ_α(log(1 + exp(−b aᵀx))) + (λ/2)‖x‖²
//	subject to c_j(x) = mean over S of w_ij σ(a_iᵀx) + b_j ≤ 0,   j = 1..m
//
// with φ_α(t) = α log(1+t/α) and σ(t) = 1/(1+e^(−t)) (the paper's eq. fairness, in mean
// form). Every fairness constraint here is linear in the scores; what distinguishes
// share, parity and the others is a weight for each row of S, by its group and label
// (constraint.go).
//
//	Fair         the problem, this file
//	Constraint   what a row of weights means, constraint.go, parse.go
//	Bounds       constants of the paper's assumptions from row norms, bounds.go
//
// exact.go evaluates all rows on all cores, shards.go on shards, both in the order of
// order.go, evaluate.go batches, drawn by sampling.go, all a block of rows at a time (block.go,
// cellblock.go); cells.go is why the number of constraints hardly matters.
package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/model/penalty"
	"github.com/fairtrain/fairtrain/problem"
)

// Options shape the objective.
type Options struct {
	// Alpha is α of φ_α, which bounds the influence of misfits; +Inf gives the plain
	// logistic loss.
	Alpha float64
	// L2 is λ of the penalty (λ/2)‖x‖², which leaves the intercept out, and has the differences of
	// neighbouring bins in place of their weights (package penalty).
	L2 float64
	// BlockL2 is λ of each of the blocks of D; nil means L2.
	BlockL2 []float64
	// Intercept adds a variable, the last one, to every margin.
	Intercept bool
	// Weights are the weights ≥ 0 of the rows of D in the mean; nil means 1 each.
	Weights []float64
	// Temperature T > 0 and Centre t₀ make the tempered constraints act on σ((aᵀx − t₀)/T)
	// in place of σ(aᵀx): the smaller T, the closer to decisions that are positive where
	// aᵀx ≥ t₀. A temperature of 0 stands for 1.
	Temperature, Centre float64
	// Shift is added to the m constraints: those with a positive one become tighter. Nil
	// means 0.
	Shift []float64
	// Stratified draws rows of S from every cell equally often, in place of as often as gives
	// the values the least variance. A cell has the rows of equal weights in all constraints:
	// for a share, those of the group are one and all others the other.
	Stratified bool
	// Start is the first point, without the bases of the constraints; nil means 0.
	Start []float64
	// Shards have all rows; nil means that D and S have. Then D and S must be the same rows, which
	// count by their weights in the data, and only groups tell them apart. They may be a sample,
	// from which batches are drawn.
	Shards *shards.Rows
}

// DefaultOptions are the paper's: α = 2, no penalty, no intercept, constraints on scores.
func DefaultOptions() Options { return Options{Alpha: 2} }

// LeastTemperature is far below any that separates margins, and so large that its inverse
// cubed, in derivatives, can be computed with.
const LeastTemperature = 1e-6

// Validate reports the options that are out of range, for data of the given size and blocks.
func (o Options) Validate(rows int, blocks []dataset.Block) error {
	var errs []error
	if !(o.Alpha > 0) {
		errs = append(errs, fmt.Errorf("alpha is %v, must be positive", o.Alpha))
	}
	p := penalty.Penalty{L2: o.L2, BlockL2: o.BlockL2, Blocks: blocks}
	errs = append(errs, p.Validate())
	if o.Temperature != 0 && !(o.Temperature >= LeastTemperature) || math.IsInf(o.Temperature, 0) {
		errs = append(errs, fmt.Errorf("temperature is %v, must be ≥ %g and finite", o.Temperature, LeastTemperature))
	}
	if math.IsNaN(o.Centre) || math.IsInf(o.Centre, 0) {
		errs = append(errs, fmt.Errorf("centre is %v, must be finite", o.Centre))
	}
	if o.Weights != nil && len(o.Weights) != rows {
		errs = append(errs, fmt.Errorf("weights are %d, must be one for each of the %d rows", len(o.Weights), rows))
	}
	total := 0.0
	for i, w := range o.Weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			errs = append(errs, fmt.Errorf("weight of row %d is %v, must be ≥ 0 and finite", i, w))
			break
		}
		total += w
	}
	if o.Weights != nil && !(total > 0) {
		errs = append(errs, errors.New("weights are all 0"))
	}
	return errors.Join(errs...)
}

// Fair is the problem. It implements problem.Problem, all of whose constraints are
// inequalities. Its scratch memory belongs to one goroutine.
type Fair struct {
	*statement
	options     Options
	constraints []Inequality // m, with the shifts of the options
	penalty     penalty.Penalty

	start   []float64
	pass    *pass
	scratch *block // of batches, as are sums
	sums    sums
}

// statement is what problems have in common that With makes of each other. It is not
// changed.
type statement struct {
	n, m        int
	features    int   // that are variables
	chosen      []int // which of all features these are, nil for all
	allFeatures int
	intercept   int      // index of the variable, −1 if there is none
	bases       []string // names of the last variables
	blocks      []dataset.Block
	d, s        *sparse.Matrix
	labels      []int8    // of D
	weights     []float64 // of the rows of D; nil means 1 each
	rowWeights  []float64 // those that the data have
	meanWeight  float64

	population   int          // rows of S
	all          int          // rows of D, or those that they are a sample of
	unshifted    []Inequality // m, which share the strata
	inequalities []int
	specs        []string // of the Constraint behind each
	strata       *dataset.Strata
	origin       origin
	cells        []cell
	cellOf       cellOf
	// firstTempered is the index of the first cell that is tempered: they are the last ones.
	firstTempered int
	sampling      func() *sampling // made for the first batch

	units, rootMeanSquares func() []float64
}

// New states the problem on labelled rows d, with constraints on the rows of s.
func New(d, s *dataset.Dataset, constraints []Constraint, o Options) (*Fair, error) {
	if err := o.Validate(d.Rows(), d.Blocks); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	if s.Features() > d.Features() {
		return nil, fmt.Errorf("model: the constraint data %s has %d features, more than the %d of %s", s.Name, s.Features(), d.Features(), d.Name)
	}
	p := &statement{intercept: -1, allFeatures: d.Features(), blocks: d.Blocks}
	p.chooseFeatures(d, s)
	p.n = p.features
	if o.Intercept {
		p.intercept = p.n
		p.n++
	}
	for _, c := range constraints {
		rows, err := inequalities(c, s)
		if err != nil {
			return nil, err
		}
		p.unshifted = append(p.unshifted, rows...)
		for range rows {
			p.specs = append(p.specs, c.String())
		}
	}
	p.m = len(p.unshifted)
	if p.m == 0 {
		return nil, errors.New("model: no constraint; Unconstrained() stands for none")
	}
	for i, r := range p.unshifted {
		p.inequalities = append(p.inequalities, i)
		if r.Base != "" && !slices.Contains(p.bases, r.Base) {
			p.bases = append(p.bases, r.Base)
		}
	}
	p.n += len(p.bases)
	p.labels, p.population, p.all = d.Y, s.Rows(), d.All()
	p.weights, p.rowWeights = o.Weights, d.Weights
	for _, w := range o.Weights {
		p.meanWeight += w / float64(len(o.Weights))
	}
	p.strata, p.origin = shareStrata(p.unshifted)
	p.cells, p.cellOf = newCells(p.unshifted, o.Stratified)
	if o.Stratified && p.cellOf == nil && len(p.cells) > 1 {
		return nil, fmt.Errorf("model: rows can't be drawn equally often from more than %d groups", maxCells)
	}
	p.firstTempered = len(p.cells)
	if k := slices.IndexFunc(p.cells, func(c cell) bool { return c.tempered }); k >= 0 {
		p.firstTempered = k
	}
	if p.cellOf != nil {
		p.sampling = sync.OnceValue(func() *sampling {
			return newSampling(p.cells, p.cellOf, p.strata, o.Stratified)
		})
	}
	p.units, p.rootMeanSquares = sync.OnceValue(p.measureUnits), sync.OnceValue(p.measureRoots)
	return p.with(o)
}

// With states the problem with other options. Of the rows' weights, the intercept and Stratified it
// takes those that it was stated with.
func (p *Fair) With(o Options) (*Fair, error) {
	o.Weights, o.Intercept, o.Stratified = p.options.Weights, p.options.Intercept, p.options.Stratified
	if err := o.Validate(len(p.labels), p.blocks); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return p.with(o)
}

func (s *statement) with(o Options) (*Fair, error) {
	if o.Temperature == 0 {
		o.Temperature = 1
	}
	if all := s.allFeatures + s.n - s.features - len(s.bases); o.Start != nil && len(o.Start) != all {
		return nil, fmt.Errorf("model: the start has %d entries for %d variables", len(o.Start), all)
	}
	if o.Shift != nil && len(o.Shift) != s.m {
		return nil, fmt.Errorf("model: the shift has %d entries for %d constraints", len(o.Shift), s.m)
	}
	p := &Fair{statement: s, options: o, constraints: slices.Clone(s.unshifted)}
	p.penalty = penalty.Penalty{L2: o.L2, BlockL2: o.BlockL2, Blocks: s.blocks, N: s.features}
	for i, shift := range o.Shift {
		p.constraints[i].Constant += shift
		if c := p.constraints[i].Constant; math.IsNaN(c) || math.IsInf(c, 0) {
			return nil, fmt.Errorf("model: constraint %s: constant is %v", p.constraints[i].Name, c)
		}
	}
	if err := p.checkShards(); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	p.pass = newPass(p)
	p.scratch, p.sums = new(block), newSums(p)
	p.start = make([]float64, p.n)
	if o.Start != nil {
		copy(p.start, p.Chosen(o.Start))
	}
	p.startBases()
	return p, nil
}

// Specs returns, for each of the m constraints, the specification that it is a row of.
func (p *Fair) Specs() []string { return p.specs }

// Constraints returns the m constraints, to be read only.
func (p *Fair) Constraints() []Inequality { return p.constraints }

// RootMeanSquares returns the root mean square of every feature over D, 1 for the intercept and the
// bases: roots of how curved the mean loss is along the variables, but for one factor. The slice is
// to be read only.
func (p *Fair) RootMeanSquares() []float64 { return p.rootMeanSquares() }

// RootPenalties returns the roots of how curved the L2 term is along the variables, but for the same
// factor: of w_j² it is λ, and the logistic loss has a quarter of the mean square at most. The
// intercept and the bases have no such term.
func (p *Fair) RootPenalties() []float64 {
	root := make([]float64, p.n)
	p.penalty.Each(func(j, next int, lambda float64) {
		root[j] += lambda
		if next > j {
			root[next] += lambda
		}
	})
	for j, curvature := range root {
		root[j] = 2 * math.Sqrt(curvature)
	}
	return root
}

func (p *statement) measureRoots() []float64 {
	sum, total := make([]float64, p.n), float64(len(p.labels))
	if p.weights == nil {
		for j, c := range p.d.Columns() {
			sum[j] = c.Squares
		}
	} else {
		total = p.weightedSquares(sum)
	}
	for j := range sum {
		if j >= p.features {
			sum[j] = total
		}
		sum[j] = math.Sqrt(sum[j] / total)
	}
	return sum
}

// weightedSquares adds the squares of the features over D, by weight, to sum, and returns the sum
// of the weights.
func (p *statement) weightedSquares(sum []float64) float64 {
	total := 0.0
	var weight [blockSize]float64
	for rows := range (span{hi: len(p.labels)}).blocks() {
		for k, w := range p.scaledWeights(weight[:], rows) {
			total += w
			if p.d.Binary() {
				continue
			}
			for j, v := range p.d.Row(rows.lo + k) {
				sum[j] += w * v * v
			}
		}
		if p.d.Binary() { // the same sums, without memory for each row
			p.d.AddTransRange(sum, weight[:rows.len()], rows.lo, rows.hi)
		}
	}
	return total
}

// Split returns the weights of the features, a view of x, and the intercept (0 if the
// problem has none).
func (p *Fair) Split(x []float64) (weights []float64, intercept float64) {
	if p.intercept >= 0 {
		intercept = x[p.intercept]
	}
	return x[:p.features:p.features], intercept
}

// Dims returns the number of variables, intercept and bases included, and of constraints.
func (p *Fair) Dims() (n, m int) { return p.n, p.m }

// Populations returns the sizes of D and S, or of a sample of them.
func (p *Fair) Populations() (objective, constraint int) { return len(p.labels), p.population }

// Inequalities lists all constraints.
func (p *Fair) Inequalities() []int { return p.inequalities }

// NonNegative returns nil: no variable is bounded.
func (p *Fair) NonNegative() []int { return nil }

// Start is the one of the options, or else x = 0, at which every score is ½, with bases
// that suit it.
func (p *Fair) Start(x []float64) { copy(x, p.start) }

// startBases sets the bases.
func (p *Fair) startBases() {
	if len(p.bases) == 0 {
		return
	}
	c := make([]float64, p.m)
	p.Evaluate(&problem.Values{Constraint: c}, p.start, nil) // with bases of 0
	for k, base := range p.bases {
		p.start[p.n-len(p.bases)+k] = fitBase(p.constraints, base, c)
	}
}

// Base returns the base of a row at x, of the problem or with all features, 0 if it has none.
func (p *Fair) Base(x []float64, r Inequality) float64 {
	if k := p.base(r); k >= 0 {
		return x[len(x)-p.n+k] // the bases are the last ones
	}
	return 0
}
