package benchmark

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/cutest"
	"github.com/fairtrain/fairtrain/internal/linalg"
)

// Rule selects the problems that enter the experiment. Those that can't enter it at all
// have inequality constraints or no constraints, no objective or a constant one, or
// values at the start that are not finite. Bounds on free variables are ignored.
type Rule int // the largest n + m, fixed variables counted

// Reason says why the rule leaves a problem out, "" if it does not.
func (r Rule) Reason(i *Instance) string {
	size := i.N + i.Fixed + i.M
	switch {
	case size > int(r):
		return fmt.Sprintf("n + m = %d is above %d", size, r)
	case i.LeftOut != "":
		return i.LeftOut
	}
	return ""
}

// Select splits instances into the ones that enter and the ones that are left out.
func (r Rule) Select(instances []*Instance) (in, out []*Instance) {
	for _, i := range instances {
		if r.Reason(i) == "" {
			in = append(in, i)
		} else {
			out = append(out, i)
		}
	}
	return in, out
}

func unbounded(v cutest.Variable) bool {
	return v.Lower <= -cutest.Infinity && v.Upper >= cutest.Infinity
}

// unsuitable says why a decoded problem can't enter the experiment.
func unsuitable(p *cutest.Problem, i *Instance) string {
	inequalities := 0
	for _, c := range p.Constraints {
		if c.Kind != cutest.Equality {
			inequalities++
		}
	}
	switch {
	case p.M() == 0:
		return "no constraints"
	case inequalities > 0:
		return fmt.Sprintf("%d of %d constraints are inequalities", inequalities, p.M())
	case !p.HasObjective:
		return "no objective"
	case i.N == 0:
		return "all variables are fixed"
	}
	e, v, x := p.NewEvaluator(), p.NewValues(), p.Start()
	e.All(v, x)
	nearby := make([]float64, len(x))
	e.Gradient(nearby, near(x))
	return unsuitableValues(v.Objective, v.Gradient, v.Constraints, v.Jacobian, nearby)
}

// near moves a point a little, in a direction without symmetry.
func near(x []float64) []float64 {
	for j := range x {
		x[j] += 0.1 * max(1, math.Abs(x[j])) * math.Sin(float64(j+1))
	}
	return x
}

// unsuitableValues says why a problem can't enter the experiment by its values at the
// start and its gradient at a point near it, in which fixed variables count.
func unsuitableValues(objective float64, gradient, constraint, jacobian, nearby []float64) string {
	for _, values := range [][]float64{{objective}, gradient, constraint, jacobian} {
		if !linalg.Finite(values) {
			return "values at the start are not finite"
		}
	}
	if floats.Norm(gradient, math.Inf(1)) == 0 && floats.Norm(nearby, math.Inf(1)) == 0 {
		return "the objective is constant"
	}
	return ""
}
