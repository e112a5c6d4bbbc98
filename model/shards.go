package model

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/internal/jobs"
)

func init() { jobs.Register(ask{Plan: &Plan{CellOf: &[2][]int32{}}}, []Part{}) }

// ask is the question for the exact values at a point. The answer is parts that add up to them.
type ask struct {
	Plan *Plan
	X    []float64
}

// Plan is what a worker must know of a problem to evaluate a shard: what depends on all rows,
// and nothing that is long as the rows are.
type Plan struct {
	Rows                 int // of the whole problem
	AllFeatures          int
	Chosen               []int // features that are variables, nil for all
	Variables, Intercept int   // as in the problem
	MeanWeight           float64
	Alpha                float64
	Temperature, Centre  float64
	LeafRows             int // where shards have whole leaves of so many rows, sums have the same bits
	Want                 want

	Cells         []PlanCell
	FirstTempered int
	CellOf        *[2][]int32
	Groups        []dataset.Groups
	Meet          [][]int // see dataset.JoinStrata
}

// PlanCell is a cell of constraints, see cell.
type PlanCell struct {
	Tempered bool
	Factor   []float64
}

// Part is sums over the rows Lo to Hi−1 of the whole problem.
type Part struct {
	Lo, Hi    int
	Objective float64
	Gradient  []float64
	Cells     []float64   // values
	Gradients [][]float64 // of the cells
}

// checkShards reports why the problem can't be evaluated on shards.
func (p *Fair) checkShards() error {
	switch {
	case p.options.Shards == nil:
		return nil
	case p.s != p.d:
		return errors.New("rows in shards must be those of the objective and of the constraints")
	case p.rowWeights != nil && !slices.Equal(p.rowWeights, p.weights), p.rowWeights == nil && p.weights != nil:
		return errors.New("rows in shards must count by the weights that they have in them")
	}
	for _, s := range p.origin.all {
		if s.Spec == "" && s.Len() > 1 {
			return errors.New("constraints on rows in shards must tell the rows apart by groups and labels only, so rows that have weights cannot count by them in one constraint and alike in another (share)")
		}
	}
	return nil
}

// plan returns the plan of what is wanted.
func (p *Fair) plan(w want) *Plan {
	plan := &Plan{
		Want: w,
		Rows: p.all, AllFeatures: p.allFeatures, Chosen: p.chosen, Variables: p.n, Intercept: p.intercept,
		MeanWeight: p.meanWeight, Alpha: p.options.Alpha, Temperature: p.options.Temperature, Centre: p.options.Centre,
		LeafRows: p.orderOf(p.d).leaf, FirstTempered: p.firstTempered, CellOf: p.cellOf, Meet: p.origin.of,
	}
	for _, c := range p.cells {
		plan.Cells = append(plan.Cells, PlanCell{c.tempered, c.factor})
	}
	for _, s := range p.origin.all {
		plan.Groups = append(plan.Groups, s.ID())
	}
	return plan
}

// fetch evaluates on shards what is wanted at x, and no more: scores that are computed with
// their slopes may have other last bits. After an error everything is NaN, so that methods end.
func (q *pass) fetch(x []float64, w want) {
	q.want = w
	if q.err == nil {
		var answers [][]Part
		answers, q.err = shards.Ask[[]Part](q.p.options.Shards, ask{q.p.plan(w), x})
		if q.err == nil {
			q.err = q.take(slices.Concat(answers...))
		}
	}
	q.reduce()
	if q.err != nil {
		q.objective = math.NaN()
	}
	q.has, q.at = w, append(q.at[:0], x...)
}

// take makes parts the results of tasks, if each row is in one part.
func (q *pass) take(parts []Part) error {
	next := 0
	for _, part := range parts {
		if part.Lo != next || part.Hi <= part.Lo {
			return fmt.Errorf("rows %d to %d were evaluated after row %d, expected each row once",
				part.Lo+1, part.Hi, next)
		}
		if len(part.Gradient) != q.p.n || len(part.Cells) != len(q.p.cells) || len(part.Gradients) != len(q.p.cells) {
			return fmt.Errorf("rows %d to %d were evaluated for another problem", part.Lo+1, part.Hi)
		}
		next = part.Hi
	}
	if next != q.p.all {
		return fmt.Errorf("%d rows were evaluated, expected %d", next, q.p.all)
	}
	q.tasks = q.tasks[:0]
	o := order{q.p.all, q.p.orderOf(q.p.d).leaf}
	for _, rows := range o.tasks() {
		var t total
		var err error
		if t, parts, err = q.join(o, rows, parts); err != nil {
			return err
		}
		q.tasks = append(q.tasks, task{order: o, rows: rows, want: ofD | ofS, total: t})
	}
	return nil
}

// join returns the sums over a node, of the first ones of the parts, and the other parts. It adds
// those of a leaf in their order.
func (q *pass) join(o order, node span, parts []Part) (total, []Part, error) {
	middle, halves := o.middle(node)
	if halves && parts[0].Hi < node.hi {
		left, parts, err := q.join(o, span{lo: node.lo, hi: middle}, parts)
		if err != nil {
			return left, parts, err
		}
		right, parts, err := q.join(o, span{lo: middle, hi: node.hi}, parts)
		left.add(&right, q.want)
		return left, parts, err
	}
	sum, next := parts[0].total(), parts[0].Hi
	for parts = parts[1:]; next < node.hi; parts = parts[1:] {
		more := parts[0].total()
		sum.add(&more, q.want)
		next = parts[0].Hi
	}
	if next != node.hi {
		return sum, parts, fmt.Errorf("the sum of rows up to %d goes beyond row %d, where it was to be cut", next, node.hi)
	}
	return sum, parts, nil
}

func (p *Part) total() total {
	return total{p.Objective, p.Gradient, sums{p.Cells, p.Gradients}}
}

// Err returns the first error of Options.Shards. Exact values are NaN after it.
func (p *Fair) Err() error { return p.pass.err }

// Of implements shards.Question.
func (a ask) Of(d *dataset.Dataset, first int) (any, error) {
	plan := a.Plan
	if first < 0 || d.Rows() > plan.Rows-first || d.Features() != plan.AllFeatures || plan.LeafRows < 1 {
		return nil, fmt.Errorf("%s: %d rows of %d features after %d rows, of %d rows of %d features", d.Name, d.Rows(), d.Features(), first, plan.Rows, plan.AllFeatures)
	}
	s := &statement{
		n: plan.Variables, allFeatures: plan.AllFeatures, features: plan.AllFeatures, chosen: plan.Chosen, intercept: plan.Intercept,
		d: d.X, labels: d.Y, weights: d.Weights, meanWeight: plan.MeanWeight, population: d.Rows(),
		cellOf: plan.CellOf, firstTempered: plan.FirstTempered,
	}
	if s.chosen != nil {
		s.features, s.d = len(s.chosen), d.X.SelectColumns(s.chosen)
	}
	s.s = s.d
	for _, c := range plan.Cells {
		s.cells = append(s.cells, cell{tempered: c.Tempered, factor: c.Factor})
	}
	var err error
	if s.strata, err = plan.strata(d); err != nil {
		return nil, err
	}
	p := &Fair{statement: s, options: Options{Alpha: plan.Alpha, Temperature: plan.Temperature, Centre: plan.Centre}}
	q := newWorkers(p)
	q.cut(s.d, ofD|ofS, order{plan.Rows, plan.LeafRows}, first)
	q.x, q.want = a.X, plan.Want
	q.evaluate()
	var parts []Part
	for i := range q.tasks {
		t := &q.tasks[i]
		parts = append(parts, Part{first + t.rows.lo, first + t.rows.hi, t.objective, t.gradient, t.sums.value, t.sums.grad})
	}
	return parts, nil
}

// strata returns those of the plan among the rows of a shard.
func (plan *Plan) strata(d *dataset.Dataset) (*dataset.Strata, error) {
	var all []*dataset.Strata
	for _, g := range plan.Groups {
		s, err := d.StrataOf(g)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	joined, _, err := dataset.JoinStrata(all, plan.Meet)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	return joined, nil
}
