package model_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/problem/problemtest"
)

// random returns labelled rows with entries of about 1, of which a third are zero;
// features 1 and 2 are 0 or 1, so that they can be groups, as can the levels of g.
func random(rows, cols int, seed uint64) *dataset.Dataset {
	r := rand.New(rand.NewPCG(seed, 0))
	var b sparse.Builder
	g := dataset.Attribute{Name: "g", Levels: []string{"a", "b", "c", "d"}, Codes: dataset.MakeCodes(rows, 3)}
	for i := range rows {
		g.Codes.Put(i, i%7/2)
		var at []int
		var values []float64
		for j := range cols {
			if r.IntN(3) == 0 {
				continue
			}
			v := 1.0
			if j >= 2 {
				v = r.NormFloat64()
			}
			at, values = append(at, j), append(values, v)
		}
		b.Add(int8(2*r.IntN(2)-1), at, values)
	}
	x, y := b.Finish(cols)
	return &dataset.Dataset{Name: fmt.Sprintf("random(%d×%d)", rows, cols), X: x, Y: y, Attributes: []dataset.Attribute{g}}
}

// perRow is a constraint with weights of no structure, as a user might write one.
type perRow struct {
	name string
	seed uint64
}

func (c perRow) String() string { return c.name }

func (c perRow) Inequalities(s *dataset.Dataset) ([]model.Inequality, error) {
	r := rand.New(rand.NewPCG(c.seed, 1))
	w := make([]float64, s.Rows())
	for i := range w {
		w[i] = r.NormFloat64()
	}
	return []model.Inequality{{Name: c.name, Weight: w, Constant: r.NormFloat64()}}, nil
}

// positives asks that the mean score of the rows with label +1 be at least ½: the other
// rows have no weight.
type positives struct{}

func (positives) String() string { return "positives" }

func (positives) Inequalities(s *dataset.Dataset) ([]model.Inequality, error) {
	w := make([]float64, s.Rows())
	count := 0.0
	for _, y := range s.Y {
		if y > 0 {
			count++
		}
	}
	for i, y := range s.Y {
		if y > 0 {
			w[i] = -float64(s.Rows()) / count
		}
	}
	return []model.Inequality{{Name: "positives", Weight: w, Constant: 0.5}}, nil
}

// variant is a problem on random(307, 9), with constraints on random(211, 7).
type variant struct {
	name        string
	constraints []model.Constraint
	options     model.Options
	// doubled says that samples of constraints are row i for those that are not tempered
	// and row |S|+i for those that are, as there are cells of either kind.
	doubled bool
}

// samples are those of the given rows of S, with weights that make their mean that of
// the rows.
func (v variant) samples(s *dataset.Dataset, rows ...int) *problem.Batch {
	b := &problem.Batch{Size: len(rows), Index: rows}
	if v.doubled {
		for _, i := range rows {
			b.Index = append(b.Index, s.Rows()+i)
		}
		b.Size = len(b.Index)
		b.Weight = slices.Repeat([]float64{2}, b.Size)
	}
	return b
}

// parsed returns the constraint of a specification.
func parsed(spec string) model.Constraint {
	c, err := model.ParseConstraint(spec)
	if err != nil {
		panic(err)
	}
	return c
}

func variants() []variant {
	weights := make([]float64, 307)
	for i := range weights {
		weights[i] = float64(i % 4)
	}
	plain := model.DefaultOptions()
	everything := model.Options{Alpha: 1.5, L2: 0.3, Intercept: true, Weights: weights}
	return []variant{
		{name: "share", constraints: []model.Constraint{model.Share.For("1", 0.3)}, options: plain},
		{name: "parity", constraints: []model.Constraint{model.DemographicParity.For("2", 0.1)}, options: everything},
		{name: "no weight on some rows", constraints: []model.Constraint{positives{}}, options: plain},
		{name: "several cells", options: everything, constraints: []model.Constraint{
			model.Share.For("1", 0), model.DemographicParity.For("2", 0), positives{},
		}},
		{name: "logistic loss", constraints: []model.Constraint{perRow{"any", 1}}, options: model.Options{Alpha: math.Inf(1)}},
		{name: "a cell for every row", constraints: []model.Constraint{perRow{"one", 1}, perRow{"two", 2}}, options: model.Options{Alpha: 2, Intercept: true}},
		{
			name: "near decisions", doubled: true,
			constraints: []model.Constraint{model.Tempered(model.EqualizedOdds.For("2", 0.1))},
			options: model.Options{
				Alpha: 2, Intercept: true, Temperature: 0.7, Centre: -0.4, Shift: []float64{0.1, 0, -0.2, 0.3},
			},
		},
		{name: "bases", options: everything, constraints: []model.Constraint{
			model.DemographicParity.For("g", 0.1), model.RateRatio.For("g", 0.8),
		}},
		{
			name: "tempered and plain", doubled: true,
			constraints: []model.Constraint{
				model.OnDecisions(model.EqualOpportunity.For("g", 0.05)),
				model.Share.For("1", 0.3),
				model.Tempered(model.RateRatio.For("2", 0.8)),
				model.DemographicParity.For("g", 0.1),
			},
			options: model.Options{Alpha: 2, L2: 0.1, Intercept: true, Temperature: 0.5, Centre: 0.3},
		},
		{
			name: "tempered and plain, a cell for every row",
			constraints: []model.Constraint{
				model.Tempered(perRow{"one", 1}), perRow{"two", 2}, model.DemographicParity.For("g",
					0.1), model.Tempered(perRow{"three", 3}),
			},
			options: model.Options{Alpha: 2, Intercept: true, Temperature: 2, Centre: 0.3},
		},
		{
			name: "rates that fall, within levels", doubled: true,
			constraints: []model.Constraint{
				model.OnDecisions(parsed("error-parity:group=g,bound=0.05,within=1")),
				model.Tempered(parsed("predictive-equality:group=1,bound=0.05,within=2")),
				model.Tempered(parsed("min-rate:group=g,of=tnr,min=0.8")), parsed("min-rate:of=accuracy,min=0.8"),
				model.Tempered(parsed("max-selection:bound=0.2,within=g")), parsed("max-selection:group=1,bound=0.2"),
			},
			options: model.Options{Alpha: 2, L2: 0.1, Intercept: true, Temperature: 0.5, Centre: 0.3},
		},
		{name: "unconstrained", constraints: []model.Constraint{model.Unconstrained()}, options: model.Options{Alpha: 2, L2: 1}},
	}
}

func (v variant) build(t *testing.T) (p *model.Fair, d, s *dataset.Dataset) {
	t.Helper()
	d, s = random(307, 9, 1), random(211, 7, 2)
	p, err := model.New(d, s, v.constraints, v.options)
	if err != nil {
		t.Fatal(err)
	}
	return p, d, s
}

// TestFairIsAProblem runs the suite on every variant, also where margins reach ±50, and
// in standard form.
func TestFairIsAProblem(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			p, _, s := v.build(t)
			n, m := p.Dims()
			everyRow := make([]int, s.Rows())
			for i := range everyRow {
				everyRow[i] = i
			}
			saturated := make([]float64, n)
			for j := range saturated {
				saturated[j] = 15 * float64(1-2*(j%2))
			}
			o := problemtest.DefaultOptions()
			o.Points = [][]float64{saturated}
			o.AllConstraint = v.samples(s, everyRow...)
			problemtest.Check(t, p, o)

			kappa := make([]float64, m)
			for i := range kappa {
				kappa[i] = float64(i + 2)
			}
			q, err := problem.NewStandard(p, kappa)
			if err != nil {
				t.Fatal(err)
			}
			o.Points = nil
			t.Run("standard", func(t *testing.T) { problemtest.Check(t, q, o) })
		})
	}
}

// TestExactIsTheFormula evaluates the formulas of the package comment term by term with
// the standard library.
func TestExactIsTheFormula(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			p, d, s := v.build(t)
			n, m := p.Dims()
			x := make([]float64, n)
			r := rand.New(rand.NewPCG(3, 3))
			for j := range x {
				x[j] = 2 * r.NormFloat64()
			}
			got := problem.NewValues(n, m)
			p.Evaluate(got, x, nil)
			if diff := cmp.Diff(formula(t, d, s, v, x), got, cmpopts.EquateApprox(1e-12, 1e-13)); diff != "" {
				t.Errorf("exact values (-formula +model):\n%s", diff)
			}
		})
	}
}

// formula is the problem's definition.
func formula(t *testing.T, d, s *dataset.Dataset, v variant, x []float64) *problem.Values {
	t.Helper()
	o := v.options
	var rows []model.Inequality
	for _, c := range v.constraints {
		r, err := c.Inequalities(s)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r...)
	}
	n := len(x)
	features := d.Features()
	variables := features // without bases
	if o.Intercept {
		variables++
	}
	dense := func(m *sparse.Matrix, i int) (a []float64, margin float64) {
		a = make([]float64, n)
		for j, value := range m.Row(i) {
			a[j] = value
		}
		if o.Intercept {
			a[features] = 1
		}
		for j := range a {
			margin += a[j] * x[j]
		}
		return a, margin
	}

	out := problem.NewValues(n, len(rows))
	if o.Temperature == 0 {
		o.Temperature = 1
	}
	total := 0.0
	for i := range d.Rows() {
		w := 1.0
		if o.Weights != nil {
			w = o.Weights[i]
		}
		total += w
		a, margin := dense(d.X, i)
		y := float64(d.Y[i])
		loss, slope := math.Log1p(math.Exp(-y*margin)), -y/(1+math.Exp(y*margin))
		if !math.IsInf(o.Alpha, 1) {
			slope /= 1 + loss/o.Alpha
			loss = o.Alpha * math.Log(1+loss/o.Alpha)
		}
		out.Objective += w * loss
		for j := range a {
			out.Gradient[j] += w * slope * a[j]
		}
	}
	out.Objective /= total
	for j := range out.Gradient {
		out.Gradient[j] /= total
		if j < features {
			out.Objective += o.L2 / 2 * x[j] * x[j]
			out.Gradient[j] += o.L2 * x[j]
		}
	}
	var bases []string
	for k, row := range rows {
		centre, temperature := 0.0, 1.0
		if row.Tempered {
			centre, temperature = o.Centre, o.Temperature
		}
		for i := range s.Rows() {
			var w float64
			if row.Strata == nil {
				w = row.Weight[i]
			} else {
				w = row.Of(i)
			}
			a, margin := dense(s.X, i)
			sigma := 1 / (1 + math.Exp(-(margin-centre)/temperature))
			out.Constraint[k] += w * sigma / float64(s.Rows())
			for j := range a {
				out.Jacobian.Data[k*n+j] += w * sigma * (1 - sigma) / temperature * a[j] / float64(s.Rows())
			}
		}
		if row.Base != "" {
			if !slices.Contains(bases, row.Base) {
				bases = append(bases, row.Base)
			}
			j := variables + slices.Index(bases, row.Base)
			out.Constraint[k] += row.Slope * x[j]
			out.Jacobian.Data[k*n+j] = row.Slope
		}
		out.Constraint[k] += row.Constant
		if o.Shift != nil {
			out.Constraint[k] += o.Shift[k]
		}
	}
	return out
}

// TestWorkersDoNotChangeAnything compares exact values for different numbers of
// processors to the last bit.
func TestWorkersDoNotChangeAnything(t *testing.T) {
	d, s := census.Train(), census.Test()
	g := dataset.Attribute{Name: "g", Levels: []string{"a", "b", "c"}, Codes: dataset.MakeCodes(s.Rows(), 2)}
	for i := range s.Rows() {
		g.Codes.Put(i, i%5/2)
	}
	s.Attributes = append(s.Attributes, g)
	p, err := model.New(d, s, []model.Constraint{
		model.Share.For("71", 0.3),
		model.DemographicParity.For("70", 0.1),
		model.OnDecisions(model.EqualizedOdds.For("g", 0.1)),
	}, model.Options{Alpha: 2, Intercept: true, Temperature: 0.3})
	if err != nil {
		t.Fatal(err)
	}
	n, m := p.Dims()
	x := make([]float64, n)
	r := rand.New(rand.NewPCG(5, 5))
	for j := range x {
		x[j] = r.NormFloat64()
	}
	var want *problem.Values
	for _, procs := range []int{1, 2, 3} {
		previous := runtime.GOMAXPROCS(procs)
		got := problem.NewValues(n, m)
		p.Evaluate(got, x, nil)
		runtime.GOMAXPROCS(previous)
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d processors (-1 processor +):\n%s", procs, diff)
		}
	}
}

// TestWorkersDoNotAllocate counts what testing.AllocsPerRun, which runs on one
// processor, does not see. The runtime itself allocates now and then for a goroutine;
// allocating for every worker would show twice per evaluation.
func TestWorkersDoNotAllocate(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	d, s := census.Train(), census.Test()
	p, err := model.New(d, s, []model.Constraint{model.Share.For("71", 0.3)}, model.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	n, m := p.Dims()
	v, x := problem.NewValues(n, m), make([]float64, n)
	const calls = 100
	var before, after runtime.MemStats
	for range 10 {
		p.Evaluate(v, x, nil)
	}
	runtime.ReadMemStats(&before)
	for range calls {
		p.Evaluate(v, x, nil)
	}
	runtime.ReadMemStats(&after)
	if allocs := after.Mallocs - before.Mallocs; allocs >= calls*3/2 {
		t.Errorf("%d allocations in %d evaluations", allocs, calls)
	}
}

func TestNewRefuses(t *testing.T) {
	d, s := random(30, 5, 1), random(20, 4, 2)
	share := []model.Constraint{model.Share.For("1", 0.3)}
	with := func(change func(*model.Options)) model.Options {
		o := model.DefaultOptions()
		change(&o)
		return o
	}
	for _, test := range []struct {
		name        string
		d, s        *dataset.Dataset
		constraints []model.Constraint
		options     model.Options
		want        string
	}{
		{"alpha", d, s, share, with(func(o *model.Options) { o.Alpha = 0 }), "model: alpha is 0, must be positive"},
		{"alpha NaN", d, s, share, with(func(o *model.Options) { o.Alpha = math.NaN() }), "model: alpha is NaN, must be positive"},
		{"l2", d, s, share, with(func(o *model.Options) { o.L2 = -1 }), "model: l2 is -1, must be ≥ 0 and finite"},
		{"temperature", d, s, share, with(func(o *model.Options) { o.Temperature = -1 }), "model: temperature is -1, must be ≥ 1e-06 and finite"},
		{"centre", d, s, share, with(func(o *model.Options) { o.Centre = math.Inf(1) }), "model: centre is +Inf, must be finite"},
		{"start", d, s, share, with(func(o *model.Options) { o.Start = []float64{1} }), "model: the start has 1 entries for 5 variables"},
		{"shift", d, s, share, with(func(o *model.Options) { o.Shift = make([]float64, 2) }), "model: the shift has 2 entries for 1 constraints"},
		{"weights", d, s, share, with(func(o *model.Options) { o.Weights = []float64{1} }), "model: weights are 1, must be one for each of the 30 rows"},
		{"zero weights", d, s, share, with(func(o *model.Options) { o.Weights = make([]float64, 30) }), "model: weights are all 0"},
		{
			"negative weight", d, s, share,
			with(func(o *model.Options) { o.Weights = slices.Repeat([]float64{-1}, 30) }),
			"model: weight of row 0 is -1, must be ≥ 0 and finite\nweights are all 0",
		},
		{"columns", s, d, share, model.DefaultOptions(), "model: the constraint data random(30×5) has 5 features, more than the 4 of random(20×4)"},
		{"no constraint", d, s, nil, model.DefaultOptions(), "model: no constraint; Unconstrained() stands for none"},
		{
			"group", d, s,
			[]model.Constraint{model.Share.For("9", 0.3)},
			model.DefaultOptions(),
			"constraint share:group=9,omega=0.3: group 9: no such feature in random(20×4), which has features 1 to 4",
		},
		{
			"omega", d, s,
			[]model.Constraint{model.Share.For("1", 1.5)},
			model.DefaultOptions(),
			"constraint share:group=1,omega=1.5: omega is 1.5, must be in (0, 1)",
		},
		{
			"bound", d, s,
			[]model.Constraint{model.DemographicParity.For("1", -1)},
			model.DefaultOptions(),
			"constraint demographic-parity:group=1,bound=-1: bound is -1, must be in [0, 1)",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := model.New(test.d, test.s, test.constraints, test.options)
			if err == nil || err.Error() != test.want {
				t.Errorf("error %q, want %q", fmt.Sprint(err), test.want)
			}
		})
	}
}

// TestBoundsHold compares Bounds with every quantity that it bounds, computed at random
// points of many lengths.
func TestBoundsHold(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			p, d, s := v.build(t)
			n, m := p.Dims()
			variables := d.Features()
			if v.options.Intercept {
				variables++
			}
			c := p.Bounds()
			r := rand.New(rand.NewPCG(7, 7))
			here, there := make([]float64, n), make([]float64, n)
			at, other := problem.NewValues(n, m), problem.NewValues(n, m)
			f0 := problem.Objective(p, here, nil)
			atMost := func(what string, got, bound float64) {
				t.Helper()
				if !(got <= bound*(1+1e-9)+1e-12) {
					t.Errorf("%s is %v, more than %v", what, got, bound)
				}
			}
			for range 20 {
				length := math.Pow(10, 3*r.Float64()-2)
				for j := range here {
					here[j] = length * r.NormFloat64()
					there[j] = here[j] + length*r.NormFloat64()
				}
				for j := variables; j < n; j++ { // the bases, which are means of scores
					here[j], there[j] = r.Float64(), r.Float64()
				}
				distance := floats.Distance(here, there, 2)
				p.Evaluate(at, here, nil)
				p.Evaluate(other, there, nil)
				if v.options.L2 == 0 || at.Objective <= f0 {
					atMost("‖∇f‖", floats.Norm(at.Gradient, 2), c.G)
				}
				atMost("‖c‖", floats.Norm(at.Constraint, 2), c.M)
				atMost("‖∇c‖", floats.Norm(at.Jacobian.Data, 2), c.Lc)

				var df, dc, dj, vf, vc, vj float64 // mean squares over the samples
				one, two := problem.NewValues(n, m), problem.NewValues(n, m)
				for i := range d.Rows() {
					b := &problem.Batch{Size: 1, Index: []int{i}}
					p.Evaluate(&problem.Values{Gradient: one.Gradient}, here, b)
					p.Evaluate(&problem.Values{Gradient: two.Gradient}, there, b)
					df += squaredDistance(one.Gradient, two.Gradient) / float64(d.Rows())
					vf += squaredDistance(one.Gradient, at.Gradient) / float64(d.Rows())
				}
				for i := range s.Rows() {
					b := v.samples(s, i)
					p.Evaluate(&problem.Values{Constraint: one.Constraint}, here, b)
					p.Evaluate(&problem.Values{Constraint: two.Constraint}, there, b)
					dc += squaredDistance(one.Constraint, two.Constraint) / float64(s.Rows())
					vc += squaredDistance(one.Constraint, at.Constraint) / float64(s.Rows())
					p.Evaluate(&problem.Values{Jacobian: one.Jacobian}, here, b)
					p.Evaluate(&problem.Values{Jacobian: two.Jacobian}, there, b)
					dj += squaredDistance(one.Jacobian.Data, two.Jacobian.Data) / float64(s.Rows())
					vj += squaredDistance(one.Jacobian.Data, at.Jacobian.Data) / float64(s.Rows())
				}
				atMost("rms change of ∇F", math.Sqrt(df), c.Lf*distance)
				atMost("rms change of C", math.Sqrt(dc), c.Lc*distance)
				atMost("rms change of ∇C", math.Sqrt(dj), c.LJ*distance)
				atMost("σ_f", math.Sqrt(vf), c.SigmaF)
				atMost("σ_c", math.Sqrt(vc), c.SigmaC)
				atMost("σ_J", math.Sqrt(vj), c.SigmaJ)

				// Second derivatives along a direction, by differences of first ones.
				direction := make([]float64, n)
				for j := range direction {
					direction[j] = r.NormFloat64()
				}
				floats.Scale(1/floats.Norm(direction, 2), direction)
				hf, hc := curvature(p, here, direction)
				gf, gc := curvature(p, there, direction)
				atMost("change of ∇²f", floats.Distance(hf, gf, 2)-1e-7, c.Lhf*distance)
				atMost("change of ∇²c", floats.Distance(hc, gc, 2)-1e-7, c.Lhc*distance)
			}
		})
	}
}

func squaredDistance(x, y []float64) float64 {
	d := floats.Distance(x, y, 2)
	return d * d
}

// curvature returns the derivatives of ∇f and of J at x along a direction.
func curvature(p *model.Fair, x, direction []float64) (f, c []float64) {
	const step = 1e-5
	n, m := p.Dims()
	up, down := problem.NewValues(n, m), problem.NewValues(n, m)
	y := make([]float64, n)
	p.Evaluate(up, floats.AddScaledTo(y, x, step, direction), nil)
	p.Evaluate(down, floats.AddScaledTo(y, x, -step, direction), nil)
	f, c = floats.SubTo(make([]float64, n), up.Gradient,
		down.Gradient), floats.SubTo(make([]float64, n*m), up.Jacobian.Data, down.Jacobian.Data)
	floats.Scale(1/(2*step), f)
	floats.Scale(1/(2*step), c)
	return f, c
}
