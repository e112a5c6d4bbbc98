// Package solver holds stochastic first-order methods for constrained problems and the
// driver that runs them:
//
//	FSFO       Fletcher's-augmented-Lagrangian method (Cui, Shi, Wang, Xiao), fsfo.go
//	Adaptive   FSFO's direction with steps that are measured on the way, adaptive.go
//	FiniteSum  FSFO's direction with full passes and steps of its own, finitesum.go
//	SSQP       stochastic sequential quadratic optimisation (Shen, Zeng, Zhou), ssqp.go
//	SLQPM      single-loop quadratic penalty with momentum (Alacaoglu, Wright), slqpm.go
//	StocIALM   stochastic inexact augmented Lagrangian (Li et al.), stocialm.go
//	SGD        the objective alone, the yardstick "no fairness", sgd.go
//	SQP        sequential quadratic programming on exact values, sqp.go, its steps sqpstep.go
//
// Package reference below it has a deterministic method on exact values, to compare with.
//
// A method owns its mathematics only: Init allocates all memory, Step does one
// iteration. Run owns the loop: budgets, clock, records, cancellation, divergence.
// Methods see problems in standard form (equalities and variables x_j ≥ 0, see package
// problem) and nothing of data or models.
//
// Read run.go next, then fsfo.go, which is the paper's algorithm box.
package solver

import (
	"errors"
	"math"
	"math/rand/v2"
	"time"

	"github.com/fairtrain/fairtrain/internal/rng"
	"github.com/fairtrain/fairtrain/problem"
)

// Method is an optimisation method. Its exported fields are its options.
type Method interface {
	// Name is the method's name on the command line and in result files.
	Name() string
	// Params lists every option with its range (see Validate and Make).
	Params() []Param
	// Init allocates the method's memory for p. The iterate arrives with X at the
	// starting point and Y allocated.
	Init(p problem.Problem, s Streams, it *Iterate) error
	// Step does one iteration, updating the iterate in place, without allocating.
	// It returns ErrDiverged or ErrStalled when it can't go on.
	Step(it *Iterate) error
}

// ErrDiverged is returned by Step when the iterates have left the finite numbers.
var ErrDiverged = errors.New("the iterates diverged")

// Iterate is the state that a method shows to the driver and to recorders.
type Iterate struct {
	K    int       // steps done
	X    []float64 // the point, length n
	Y    []float64 // multiplier estimate λ, length m
	Diag Diagnostics

	// Exact holds the exact values at X if the last step computed them, and is nil otherwise.
	Exact *problem.Values
}

// Diagnostics are figures of a method's last step, NaN where it has no such figure.
type Diagnostics struct {
	Eta       float64 // step size: η, or SSQP's α
	Rho       float64 // merit or penalty parameter: ρ, β or SSQP's τ
	SigmaMin  float64 // μ_min, the smallest singular value of the estimated Jacobian of free variables
	Direction float64 // norm of the direction
	BadEvents float64 // FSFO's steps so far with μ_min < ν/2
	Xi        float64 // SSQP's ratio parameter ξ
	Outer     float64 // Stoc-iALM's outer iteration
}

// noDiagnostics are the diagnostics before the first step.
func noDiagnostics() Diagnostics {
	nan := math.NaN()
	return Diagnostics{nan, nan, nan, nan, nan, nan, nan}
}

// Streams are a run's random numbers, one stream per role, so that two methods given
// equal streams draw the same first batches.
type Streams struct {
	Objective, Constraint, Jacobian, Aux *rand.Rand
}

// NewStreams returns the streams of the given run of a seed.
func NewStreams(seed uint64, run int) Streams {
	stream := func(role string) *rand.Rand { return rng.New(seed, "run", run, role) }
	return Streams{
		Objective:  stream("objective"),
		Constraint: stream("constraint"),
		Jacobian:   stream("jacobian"),
		Aux:        stream("aux"),
	}
}

// Status says how a run ended.
type Status string

// The endings of a run.
const (
	Converged   Status = "converged"   // a recorder was satisfied
	Exhausted   Status = "budget"      // samples or iterations ran out, or ErrStalled
	Diverged    Status = "diverged"    // non-finite iterates
	Interrupted Status = "interrupted" // the context was cancelled
)

// Snapshot is what recorders see. It is valid during the call only.
type Snapshot struct {
	Iterate  *Iterate
	Counters problem.Counters
	Elapsed  time.Duration // the method's own time, records excluded

	// Residual is a measure of optimality, if a recorder sets it. The driver keeps the iterate
	// with the smallest Residual.
	Residual float64
}

// Recorder observes a run. Returning true ends the run as converged.
type Recorder func(*Snapshot) (stop bool, err error)
