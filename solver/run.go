package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/problem"
)

// Output selects the point that a run returns.
type Output string

// The choices of Output.
const (
	Last   Output = "last"   // the final iterate
	Best   Output = "best"   // the recorded iterate with the smallest Residual
	Random Output = "random" // x_R, R uniform on the iterations done (the paper's theory)
)

// Settings are the driver's limits. A limit of 0 is no limit. One of the first two must be set.
type Settings struct {
	MaxSamples    int64 // N_sam, checked before every step
	MaxIterations int

	// Records is the number of points, evenly spaced in samples, at which recorders are
	// called. If it or MaxSamples is 0, recorders are called after every step. The start, the
	// end and iterates with exact values are always recorded.
	Records int

	Output Output // "" means Last
}

// Validate reports the first setting that is out of range.
func (s Settings) Validate() error {
	switch {
	case s.MaxSamples < 0 || s.MaxIterations < 0 || s.Records < 0:
		return fmt.Errorf("solver: a limit is negative: %+v", s)
	case s.MaxSamples == 0 && s.MaxIterations == 0:
		return errors.New("solver: no limit on samples or iterations")
	}
	switch s.Output {
	case "", Last, Best, Random:
		return nil
	}
	return fmt.Errorf("solver: output is %q, must be %q, %q or %q", s.Output, Last, Best, Random)
}

// Result is the end of a run.
type Result struct {
	Method     string // its name
	Status     Status
	X          []float64 // the point that Settings.Output selects; Best after divergence
	Y          []float64 // the multiplier estimate at the end
	Iterations int
	Counters   problem.Counters
	Elapsed    time.Duration // the method's own time
}

// Run minimises p by method from p's starting point until a recorder is satisfied or a limit is
// reached. The method sees p through counters. The clock stops while recorders run. An error means
// that the run could not be carried out (invalid options, a problem with inequalities or without
// constraints, a failing recorder). Divergence and cancellation are no errors: Result.Status says
// how the run ended.
func Run(ctx context.Context, p problem.Problem, method Method, settings Settings, streams Streams, recorders ...Recorder) (*Result, error) {
	if err := errors.Join(settings.Validate(), Validate(method)); err != nil {
		return nil, err
	}
	n, m := p.Dims()
	if m < 1 {
		return nil, errors.New("solver: no constraint, and methods take problems with one at least, such as 0 = 0")
	}
	if k := len(p.Inequalities()); k > 0 {
		return nil, fmt.Errorf("solver: %d of the %d constraints are inequalities, and methods solve equalities; problem.NewStandard gives inequalities slacks", k, m)
	}
	r := &run{
		counted:   problem.NewCounted(p),
		method:    method,
		settings:  settings,
		recorders: recorders,
		it:        Iterate{X: make([]float64, n), Y: make([]float64, m), Diag: noDiagnostics()},
		best:      math.Inf(1),
		bestX:     make([]float64, n),
	}
	p.Start(r.it.X)
	if settings.Output == Random {
		r.random = slices.Clone(r.it.X)
	}
	copy(r.bestX, r.it.X)
	status, err := r.loop(ctx, streams)
	if err != nil {
		return nil, err
	}
	x := r.it.X
	switch {
	case status == Diverged || settings.Output == Best && r.best < math.Inf(1):
		x = r.bestX
	case settings.Output == Random:
		x = r.random
	}
	return &Result{
		Method: method.Name(),
		Status: status, X: x, Y: r.it.Y,
		Iterations: r.it.K, Counters: r.counted.Counters, Elapsed: r.elapsed,
	}, nil
}

// run is the state of one call of Run.
type run struct {
	counted   *problem.Counted
	method    Method
	settings  Settings
	recorders []Recorder
	it        Iterate
	elapsed   time.Duration
	recorded  uint64    // records on the schedule so far
	random    []float64 // a point drawn from the points so far, for that output
	best      float64   // smallest residual recorded
	bestX     []float64 // the point with it, at first the start
}

func (r *run) loop(ctx context.Context, streams Streams) (Status, error) {
	begin := time.Now()
	if err := r.method.Init(r.counted, streams, &r.it); err != nil {
		return "", fmt.Errorf("%s: %w", r.method.Name(), err)
	}
	r.elapsed = time.Since(begin)
	if stop, err := r.record(); err != nil || stop {
		return Converged, err
	}
	for !r.exhausted() {
		if ctx.Err() != nil {
			_, err := r.record()
			return Interrupted, err
		}
		if r.settings.Output == Random && streams.Aux.IntN(r.it.K+1) == 0 {
			copy(r.random, r.it.X) // reservoir sampling: uniform over the steps so far
		}
		begin := time.Now()
		r.it.Exact = nil
		err := r.method.Step(&r.it)
		r.elapsed += time.Since(begin)
		if errors.Is(err, ErrStalled) { // it took no step
			return Exhausted, nil
		}
		r.it.K++
		if errors.Is(err, ErrDiverged) || err == nil && !linalg.Finite(r.it.X) {
			return Diverged, nil
		}
		if err != nil {
			return "", fmt.Errorf("%s: step %d: %w", r.method.Name(), r.it.K, err)
		}
		if r.due() {
			if stop, err := r.record(); err != nil || stop {
				return Converged, err
			}
		}
	}
	return Exhausted, nil
}

func (r *run) exhausted() bool {
	s := &r.settings
	return s.MaxSamples > 0 && r.counted.Counters.Samples() >= s.MaxSamples ||
		s.MaxIterations > 0 && r.it.K >= s.MaxIterations
}

// due reports whether the schedule asks for a record after the step just done.
func (r *run) due() bool {
	if r.it.Exact != nil || r.settings.Records == 0 || r.settings.MaxSamples == 0 || r.exhausted() {
		return true
	}
	high, low := bits.Mul64(uint64(r.counted.Counters.Samples()), uint64(r.settings.Records))
	reached, _ := bits.Div64(high, low, uint64(r.settings.MaxSamples))
	if reached > r.recorded {
		r.recorded = reached
		return true
	}
	return false
}

func (r *run) record() (bool, error) {
	if len(r.recorders) == 0 {
		return false, nil
	}
	s := Snapshot{Iterate: &r.it, Counters: r.counted.Counters, Elapsed: r.elapsed, Residual: math.Inf(1)}
	stop := false
	for _, record := range r.recorders {
		satisfied, err := record(&s)
		if err != nil {
			return false, err
		}
		stop = stop || satisfied
	}
	if s.Residual < r.best {
		r.best = s.Residual
		copy(r.bestX, r.it.X)
	}
	return stop, nil
}
