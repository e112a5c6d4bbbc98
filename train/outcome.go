package train

import (
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/solver"
)

// How runs end, beyond the endings of a method: solver.Converged if all that was asked for
// was reached, solver.Exhausted if every requirement holds but the tolerance is not
// reached, solver.Diverged and solver.Interrupted.
const (
	// NotReached is the ending of a run whose classifier, the closest one found, violates a
	// requirement. A classifier that satisfies the requirement may exist.
	NotReached solver.Status = "not-reached"
)

// cut reports whether a method ended before it was done.
func cut(s solver.Status) bool { return s == solver.Interrupted || s == solver.Diverged }

// conclude decides how a run ended; ended is the ending of the method.
func (r *Report) conclude(ended solver.Status) {
	satisfied := r.Satisfied()
	switch {
	case cut(ended):
		r.Status = ended
	case satisfied && r.ScaledResidual <= r.Tolerance:
		r.Status = solver.Converged
	default:
		r.Status = NotReached
		if satisfied {
			r.Status = solver.Exhausted
		}
	}
}

// withheld returns the attributes that requirements are about and that no feature tells directly.
func (t *task) withheld() []string {
	if t.Encoding == nil {
		return nil
	}
	specs := model.GroupsOf(t.requirements()...)
	used := t.Encoding.UsesGroups(specs)
	return slices.DeleteFunc(dataset.AttributesIn(specs...),
		func(name string) bool { return slices.Contains(used, name) })
}

// leftOut counts the rows that the comparisons of the constraints leave out: those of races among
// women leave out all men.
func (t *task) leftOut() (list []dataset.LeftOut) {
	if t.sampled() {
		return nil
	}
	var specs []string
	for _, c := range t.requirements() {
		specs = append(specs, model.GroupsOf(c)...)
	}
	slices.Sort(specs)
	for _, spec := range slices.Compact(specs) {
		if l := t.ConstraintData.LeftOut(spec); l.InNone+l.Unknown > 0 {
			list = append(list, l)
		}
	}
	return list
}
