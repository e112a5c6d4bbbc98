package solver_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/problem/problemtest"
	"github.com/fairtrain/fairtrain/solver"
)

// The tests of this file write down the rivals of FSFO a second time, plainly and as their papers
// have them, and compare every step. A comparison is honest only if it is these methods that are
// compared.

// sampler draws the batches that a method with equal streams draws, and evaluates at them.
type sampler struct {
	problem.Problem
	streams solver.Streams
	f, c, j problem.Batch
}

func newSampler(p problem.Problem) *sampler {
	return &sampler{Problem: p, streams: solver.NewStreams(1, 0)}
}

func (s *sampler) draw(size int) {
	s.DrawObjective(&s.f, size, s.streams.Objective)
	s.DrawConstraint(&s.c, size, s.streams.Constraint)
	s.DrawConstraint(&s.j, size, s.streams.Jacobian)
}

// at returns the means of ∇f, c and ∇cᵀ over the batches.
func (s *sampler) at(x []float64) (gradient, constraint []float64, jacobian [][]float64) {
	n, m := s.Dims()
	gradient, constraint = make([]float64, n), make([]float64, m)
	rows := problem.NewJacobian(m, n)
	s.Evaluate(&problem.Values{Gradient: gradient}, x, &s.f)
	s.Evaluate(&problem.Values{Constraint: constraint}, x, &s.c)
	s.Evaluate(&problem.Values{Jacobian: rows}, x, &s.j)
	for i := range m {
		jacobian = append(jacobian, rows.Data[i*rows.Stride:i*rows.Stride+n])
	}
	return gradient, constraint, jacobian
}

// lagrangian is ∇F + ∇C (y + βC), a sample of the gradient of f + yᵀc + (β/2)‖c‖².
func (s *sampler) lagrangian(x, y []float64, beta float64) []float64 {
	g, c, jacobian := s.at(x)
	for i, row := range jacobian {
		floats.AddScaled(g, y[i]+float64(beta*c[i]), row)
	}
	return g
}

// compareSteps runs the method and compares its iterates with those of next, which moves x by one
// step.
func compareSteps(t *testing.T, p problem.Problem, method solver.Method, steps int, next func(x []float64, k int)) {
	t.Helper()
	n, _ := p.Dims()
	x := make([]float64, n)
	p.Start(x)
	record := func(s *solver.Snapshot) (bool, error) {
		k := s.Iterate.K
		if k > 0 {
			next(x, k)
		}
		if d := floats.Distance(s.Iterate.X, x, 2); !(d <= 1e-9*(1+floats.Norm(x, 2))) {
			t.Fatalf("step %d: %v from what the paper says", k, d)
		}
		return false, nil
	}
	r, err := solver.Run(t.Context(), p, method, solver.Settings{MaxIterations: steps}, solver.NewStreams(1, 0), record)
	if err != nil || r.Iterations != steps {
		t.Fatalf("%v after %d steps, %v", r, steps, err)
	}
}

func equalities(m int) *problemtest.Quadratic {
	return problemtest.NewQuadratic(12, m, 64, 5, 0.3, rand.New(rand.NewPCG(12, uint64(m))))
}

// TestSSQPAsWritten: with one equality the quadratic problem has a closed form, d = −(ḡ + yJ̄)/h
// with y = (hc̄ − J̄ḡ)/‖J̄‖².
func TestSSQPAsWritten(t *testing.T) {
	seen := map[string]int{}
	for _, options := range []map[string]any{
		{"tau0": 1, "h": 5, "l": 5, "gamma": 0.1, "beta": 0.3},
		{"tau0": 1, "h": 5, "l": 0.4, "gamma": 0.1, "beta": 0.9, "theta": 0.05, "decay": 0.5, "decay_after": 10},
		{"tau0": 2, "h": 30, "l": 0.5, "gamma": 0.2, "beta": 1, "theta": 10, "sigma": 0.2, "eps": 0.05},
		{"tau0": 0.2, "h": 2, "l": 0.01, "gamma": 0.05, "beta": 1, "xi0": 5},
	} {
		method, err := solver.Make("ssqp", options)
		if err != nil {
			t.Fatal(err)
		}
		s := method.(*solver.SSQP)
		p := equalities(1)
		draws := newSampler(p)
		tau, xi := s.Tau0, s.Xi0
		compareSteps(t, p, method, 60, func(x []float64, k int) {
			draws.draw(16)
			g, c, jacobian := draws.at(x)
			row, violation := jacobian[0], math.Abs(c[0])
			y := (s.H*c[0] - floats.Dot(row, g)) / floats.Dot(row, row)
			d := make([]float64, len(g))
			for j := range d {
				d[j] = -(g[j] + y*row[j]) / s.H
			}
			dd, gd := floats.Dot(d, d), floats.Dot(g, d)
			if model := gd + s.H*dd; model > 0 {
				if trial := (1 - s.Sigma) * violation / model; !(tau <= (1-s.Eps)*trial) {
					tau = (1 - s.Eps) * trial
					seen["τ"]++
				}
			}
			reduction := violation - tau*gd
			if trial := reduction / (tau * dd); !(xi <= trial) {
				xi = math.Min((1-s.Eps)*xi, trial)
				seen["ξ"]++
			}
			beta := s.Beta
			if s.Decay > 0 {
				beta *= math.Pow(math.Max(1, float64(k)/float64(s.DecayAfter)), -s.Decay)
			}
			unit := tau*s.L + s.Gamma
			least := beta * xi * tau / unit
			initial := beta * reduction / (unit * dd)
			shifted := initial - 4*violation/(unit*dd)
			alpha, branch := shifted, "α̃"
			if initial < 1 {
				alpha, branch = initial, "α_init"
			} else if shifted <= 1 {
				alpha, branch = 1, "1"
			}
			if alpha < least {
				alpha, branch = least, "α_min"
			} else if most := least + s.Theta*beta*beta; alpha > most {
				alpha, branch = most, "α_min + θβ²"
			}
			seen[branch]++
			floats.AddScaled(x, alpha, d)
		})
	}
	t.Log(seen)
	for _, branch := range []string{"τ", "ξ", "α_init", "1", "α̃", "α_min", "α_min + θβ²"} {
		if seen[branch] == 0 {
			t.Errorf("no step had %s", branch)
		}
	}
}

func TestSLQPMAsWritten(t *testing.T) {
	for _, options := range []map[string]any{
		{"rho": 4, "p_rho": 0.35, "eta": 0.4, "p_eta": 0.1, "alpha": 0.7},
		// α_k is 1 at first
		{"rho": 2, "p_rho": 0.5, "eta": 0.3, "p_eta": 0.2, "alpha": 5, "p_alpha": 0.6, "decay": 0.3, "decay_after": 7},
	} {
		method, err := solver.Make("slqpm", options)
		if err != nil {
			t.Fatal(err)
		}
		s := method.(*solver.SLQPM)
		p := equalities(2)
		draws := newSampler(p)
		zero := make([]float64, 2)
		var d, before []float64
		rho := 0.0
		compareSteps(t, p, method, 60, func(x []float64, k int) {
			draws.draw(16)
			if k > 1 { // at the point before, the penalty is that of the point before
				floats.Sub(d, draws.lagrangian(before, zero, rho))
				floats.Scale(1-math.Min(1, s.Alpha*math.Pow(float64(k), -s.PAlpha)), d)
			} else {
				d = make([]float64, len(x))
			}
			rho = s.Rho * math.Pow(float64(k), s.PRho)
			floats.Add(d, draws.lagrangian(x, zero, rho))
			before = append(before[:0], x...)
			eta := s.Eta / (rho * math.Pow(float64(k+1), s.PEta))
			if s.Decay > 0 {
				eta *= math.Pow(math.Max(1, float64(k)/float64(s.DecayAfter)), -s.Decay)
			}
			floats.AddScaled(x, -eta, d)
		})
	}
}

func TestStocIALMAsWritten(t *testing.T) {
	capped, free := 0, 0
	for _, options := range []map[string]any{
		{"beta0": 5, "growth": 1.1, "l_f": 5, "l_c": 5, "gamma": 10, "eta": 0.5, "inner": 4, "first_batch": 40},
		{"beta0": 3, "growth": 1.5, "l_f": 5, "l_c": 5, "gamma": 0.05, "eta": 0.3, "inner": 3, "first_batch": 40, "post_batch": 50, "decay": 0.3, "decay_after": 5},
	} {
		method, err := solver.Make("stoc-ialm", options)
		if err != nil {
			t.Fatal(err)
		}
		s := method.(*solver.StocIALM)
		p := equalities(2)
		draws := newSampler(p)
		var d, before []float64
		y := make([]float64, 2)
		outer, inner := 0, 0
		first := s.Eta // η₀ L
		compareSteps(t, p, method, 60, func(x []float64, k int) {
			beta := s.Beta0 * math.Pow(s.Growth, float64(outer))
			lipschitz := s.Lf + beta*s.Lc*s.Lc
			eta := func(t int) float64 { return first / lipschitz * math.Pow(4/float64(t+4), 1./3) }
			post := inner == s.Inner*(outer+1)
			switch {
			case post:
				draws.draw(s.PostBatch)
				d = draws.lagrangian(x, y, beta)
				floats.AddScaled(x, -1/lipschitz, d)
			case inner == 0:
				draws.draw(s.FirstBatch)
				d = draws.lagrangian(x, y, beta)
			default:
				draws.draw(s.Batch)
				el := 4 * eta(inner-1) * eta(inner-1) * lipschitz * lipschitz
				a := math.Min(1, math.Max(0, (1+6*el-eta(inner)/eta(inner-1))/(1+el)))
				floats.Sub(d, draws.lagrangian(before, y, beta))
				floats.Scale(1-a, d)
				floats.Add(d, draws.lagrangian(x, y, beta))
			}
			if !post {
				before = append(before[:0], x...)
				floats.AddScaled(x, -eta(inner), d)
				inner++
			}
			if post || (s.PostBatch == 0 && inner == s.Inner*(outer+1)) {
				var b problem.Batch
				c := make([]float64, 2)
				p.DrawConstraint(&b, s.MultiplierBatch, draws.streams.Aux)
				p.Evaluate(&problem.Values{Constraint: c}, x, &b)
				number := float64(outer + 1)
				w := beta
				if gamma := s.Gamma * s.Beta0 / (beta * number * number) / floats.Norm(c, 2); gamma < 1 {
					w *= gamma
					capped++
				} else {
					free++
				}
				floats.AddScaled(y, w, c)
				outer, inner = outer+1, 0
				if s.Decay > 0 {
					first = s.Eta * math.Pow(math.Max(1, float64(k)/float64(s.DecayAfter)), -s.Decay)
				}
			}
		})
	}
	if capped < 2 || free < 2 {
		t.Errorf("%d updates of the multiplier capped, %d not", capped, free)
	}
}
