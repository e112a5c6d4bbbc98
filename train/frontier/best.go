package frontier

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/fairtrain/fairtrain/internal/jobs"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// run is what training for one bound leads to.
type run struct {
	*Point
	Kept []float64 `json:"kept"` // the bounds of the frontier that the decisions keep; see kept
}

func init() { jobs.Register(&run{}) }

type plainRun run

// GobEncode encodes the run as JSON: gob itself drops pointers to numbers that are 0.
func (r *run) GobEncode() ([]byte, error) { return json.Marshal((*plainRun)(r)) }

// GobDecode reads what GobEncode has written.
func (r *run) GobDecode(text []byte) error { return json.Unmarshal(text, (*plainRun)(r)) }

// kept returns the bounds that the decisions of a classifier keep. It returns none for constraints
// on scores, where the objective is what is minimal and accuracy chooses nothing, none for a
// run that diverged, whose classifier nobody is given, and none where the bound is one for rows that
// training has not seen.
func (f *frontier) kept(found *train.Outcome) ([]float64, error) {
	r := found.Report
	if !r.OnDecisions() || r.Aim == train.AimUnseen || r.Status == solver.Diverged {
		return nil, nil
	}
	on := cmp.Or(f.options.ConstraintData, f.options.Data)
	var kept []float64
	for _, bound := range f.bounds {
		j, err := found.JudgeDecisions(f.constraint.WithLevel(bound), on)
		if err != nil {
			return nil, fmt.Errorf("bound %v: %w", bound, err)
		}
		if j != nil && j.Excess <= 0 { // a bound that is out of range ends its own run
			kept = append(kept, bound)
		}
	}
	return kept, nil
}

// best returns a point for the bound of each run. It has the classifier of that run, unless another
// run found one that keeps the bound, too, and is better on the rows to train on. Training looks
// for the best decisions under a bound, but not exactly: what it finds under a tighter bound may be
// better than what it finds under a looser one.
func best(runs []*run) []*Point {
	var points []*Point
	for _, own := range runs {
		keeps := func(r *run) bool { return slices.Contains(r.Kept, float64(own.Bound)) }
		chosen := own
		for _, other := range runs {
			if keeps(other) && (!keeps(chosen) || other.merit(other.Report.Train) > chosen.merit(chosen.Report.Train)) {
				chosen = other
			}
		}
		p := *chosen.Point
		if p.Bound, p.Chosen = own.Bound, own.Chosen; chosen != own {
			p.TrainedFor = &chosen.Bound
		}
		points = append(points, &p)
	}
	return points
}
