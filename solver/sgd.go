package solver

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/problem"
)

// SGD is stochastic gradient descent on the objective alone,
//
//	x_{k+1} = x_k − η k^(−p) ∇F(x_k; B),
//
// the yardstick "no fairness": what the objective would be without the constraints.
type SGD struct {
	Eta   float64 // η
	Decay float64 // p
	Batch int

	p     *oracle
	r     Streams
	batch problem.Batch
	g     []float64
}

// DefaultSGD returns a step of 1 decaying like k^(−1/2).
func DefaultSGD() *SGD { return &SGD{Eta: 1, Decay: 0.5, Batch: 16} }

// Name returns "sgd".
func (*SGD) Name() string { return "sgd" }

// Params lists the options.
func (s *SGD) Params() []Param {
	return []Param{
		{Name: "eta", Doc: "step factor η of η k^(−decay)", Value: &s.Eta, Min: 0, MinOpen: true, Max: inf},
		{Name: "decay", Doc: "decay exponent of the step", Value: &s.Decay, Min: 0, Max: inf},
		{Name: "batch", Doc: "batch for ∇f", Value: &s.Batch, Min: 1, Max: inf},
	}
}

// Init allocates the method's memory.
func (s *SGD) Init(p problem.Problem, streams Streams, it *Iterate) error {
	s.p, s.r = newOracle(p), streams
	s.g = make([]float64, len(it.X))
	return nil
}

// Step does one iteration.
func (s *SGD) Step(it *Iterate) error {
	s.p.DrawObjective(&s.batch, s.Batch, s.r.Objective)
	s.p.gradient(s.g, it.X, &s.batch)
	eta := s.Eta * math.Pow(float64(it.K+1), -s.Decay)
	floats.AddScaled(it.X, -eta, s.g)
	it.Diag.Eta, it.Diag.Direction = eta, floats.Norm(s.g, 2)
	return nil
}
