// Package results stores an experiment on disk and reads it back. A folder of results holds
//
//	README.txt            what each file is
//	spec.json             the experiment, all defaults filled in
//	meta.json             where, when and with what it was run
//	reference.json        the reference optimum, where one was computed
//	run/CELL.json         one finished run
//	trajectory/CELL.csv   its recorded points
//	runs.csv              one row per finished run, for reading and for other programs
//
// A cell is one run of one method on a problem, or the best of the method's candidates
// there, with all candidates tried. Every file appears complete or not at all (write, then
// rename), run/CELL.json after its trajectory, and runs.csv is derived from them, so a process
// killed at any moment loses only the runs that it had not finished. Apart from meta.json and
// the seconds the files of an experiment are the same, bit for bit, whenever and in whatever
// order its runs are done.
//
// Numbers are written in the fewest digits that read back as the same bits. A number that
// isn't finite is an empty cell of a CSV file and reads back as NaN.
//
// Read next: store.go for the folder, summary.go for the tables made of it.
package results

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// Status says how a run ended. The names are the names of package solver, and Failed.
type Status string

// The endings of a finished run.
const (
	Converged Status = "converged" // a tolerance was reached
	Exhausted Status = "budget"    // samples or iterations ran out
	Diverged  Status = "diverged"  // the iterates left the finite numbers
	Failed    Status = "failed"    // Run.Error says why
)

// Run is a finished run of a method.
type Run struct {
	Cell    string `json:"cell"`              // its file name, see Cell
	Problem string `json:"problem,omitempty"` // its name, in an experiment on several
	Method  string `json:"method"`            // the method's name
	Label   string `json:"label"`             // the method's name in tables and legends
	Seed    uint64 `json:"seed"`
	Index   int    `json:"run"` // number of the run among the runs of its seed
	Status  Status `json:"status"`
	Error   string `json:"error,omitempty"` // why a run failed

	Params     []Param  `json:"params"` // all options, in the method's order
	Iterations int      `json:"iterations"`
	Counters   Counters `json:"counters"`
	Seconds    float64  `json:"seconds"` // the method's own time

	// Score is what a candidate of a tuning is judged by, smaller is better.
	Score Number `json:"score,omitzero"`

	// Trials are all candidates of a run that was chosen among them, in their order.
	Trials []Trial `json:"trials,omitempty"`

	Points []Point `json:"-"` // recorded points in order of samples
}

// Param is an option of a method.
type Param struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Count is the use made of one oracle.
type Count struct {
	Calls       int64 `json:"calls"`       // evaluations of a batch
	Samples     int64 `json:"samples"`     // samples charged to the budget
	Evaluations int64 `json:"evaluations"` // samples evaluated, again at every point
}

// Counters counts the use of the four oracles.
type Counters struct {
	Objective  Count `json:"objective"`
	Gradient   Count `json:"gradient"`
	Constraint Count `json:"constraint"`
	Jacobian   Count `json:"jacobian"`
}

// Samples is what a run spent of its budget, N_∇f + N_c + N_∇c.
func (c Counters) Samples() int64 {
	return c.Gradient.Samples + c.Constraint.Samples + c.Jacobian.Samples
}

// Point is a recorded iterate with exact values. A quantity that the method doesn't have,
// or that isn't finite, is NaN.
type Point struct {
	Samples int64   // spent so far
	Passes  float64 // the same in passes over the data
	Seconds float64 // the method's own time so far

	Objective       float64
	Constraint      []float64 // c_1, …, c_m, feasible where ≤ 0; m ≥ 1
	Stationarity    float64   // the terms of the KKT residual
	Feasibility     float64
	Complementarity float64

	Step       float64   // step size η
	Rho        float64   // penalty or merit parameter
	SigmaMin   float64   // smallest singular value of the Jacobian estimate
	Multiplier []float64 // y_1, …, y_m
}

// LargestConstraint is max c_i.
func (p Point) LargestConstraint() float64 { return slices.Max(p.Constraint) }

// KKT is the norm of the three terms of the KKT residual.
func (p Point) KKT() float64 {
	return math.Hypot(math.Hypot(p.Stationarity, p.Feasibility), p.Complementarity)
}

// EndedBadly reports whether a run ended without a result.
func (r Run) EndedBadly() bool { return r.Status == Diverged || r.Status == Failed }

// Reached is the first recorded point with a KKT residual of at most the tolerance, −1 if there
// is none. A run that ended badly has not reached it.
func (r Run) Reached(tolerance float64) int {
	if r.EndedBadly() {
		return -1
	}
	return slices.IndexFunc(r.Points, func(p Point) bool { return p.KKT() <= tolerance })
}

// Final is the last recorded point; for a run without points, a point full of NaN.
func (r Run) Final() Point {
	if len(r.Points) == 0 {
		return unknownPoint()
	}
	return r.Points[len(r.Points)-1]
}

// Best is the first recorded point with the smallest KKT residual. For a run without any
// residual it is a point full of NaN.
func (r Run) Best() Point {
	best := unknownPoint()
	for _, p := range r.Points {
		if k := p.KKT(); k < best.KKT() || !math.IsNaN(k) && math.IsNaN(best.KKT()) {
			best = p
		}
	}
	return best
}

func unknownPoint() Point {
	nan := math.NaN()
	return Point{
		Passes: nan, Seconds: nan,
		Objective: nan, Constraint: []float64{nan},
		Stationarity: nan, Feasibility: nan, Complementarity: nan,
		Step: nan, Rho: nan, SigmaMin: nan, Multiplier: []float64{nan},
	}
}

// Cell names a run after its label, seed and number and after everything that decides its
// outcome: spec is any value with a JSON form, in which the order of keys doesn't matter.
// The name is a valid file name on every system: of a long label it has the beginning.
func Cell(label string, seed uint64, index int, spec any) (string, error) {
	text, err := canonical(map[string]any{"label": label, "seed": seed, "run": index, "spec": spec})
	if err != nil {
		return "", fmt.Errorf("cell of %s: %w", label, err)
	}
	const most = 100 // bytes of 255, with what temporary files have before and behind
	readable := notInNames.ReplaceAllString(strings.ToLower(label), "-")
	return fmt.Sprintf("%s-seed%d-run%d-%.6x", readable[:min(most, len(readable))], seed, index, sha256.Sum256(text)), nil
}

var notInNames = regexp.MustCompile(`[^a-z0-9_-]`)

// canonical is the JSON form of a value with sorted keys and without a choice of white
// space: equal values have equal bytes.
func canonical(value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var generic any
	if err := d.Decode(&generic); err != nil {
		return nil, err
	}
	return encode(generic)
}

// encode is a JSON file.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return b.Bytes(), err
}
