package train

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/internal/linalg"
	"github.com/fairtrain/fairtrain/kkt"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/model/orders"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
)

// tryMonotone solves a problem whose weights keep orders (dataset.Order). The method sees one without
// orders, in which some neighbours are tied. Then neighbours that came out of order are tied, those
// whose tie has a negative multiplier are parted, and it runs again, until the point satisfies the
// KKT conditions: a primal-dual active set (Hintermüller, Ito, Kunisch 2002).
func (g *stage) tryMonotone(ctx context.Context, fair *model.Fair) (*attempt, error) {
	const most = 30 // runs
	n, _ := fair.Dims()
	round, x, spent := *g, make([]float64, n), effort{}
	ties := orders.TiesAt(x, nil)
	if g.Model.Start != nil {
		fair.Start(x)
		ties = orders.TiesAt(x, g.Data.Orders)
	}
	for k := 1; ; k++ {
		a, err := round.try(ctx, fair, ties)
		if err != nil {
			return nil, err
		}
		spent.add(a.effort)
		round.MaxPasses = g.MaxPasses - problem.Passes(fair, spent.samples)
		next := a.ties()
		switch {
		case a.scaled <= g.Tolerance:
			a.status = solver.Converged
		case k < most && round.MaxPasses > 0 && !cut(a.status) && !slices.Equal(next.Of, ties.Of):
			round.Model.Start, ties = a.classifier(), next
			if fair, err = fair.With(round.Model); err != nil {
				return nil, err
			}
			continue
		case a.status == solver.Converged: // but for the orders
			a.status = solver.Exhausted
		}
		a.effort, a.rounds, a.stage = spent, 1, g
		return a, nil
	}
}

// ties returns the ties that seem to be those of a solution: after a step against the gradient of
// the Lagrangian, as long as the curvature of the mean loss at most allows.
func (a *attempt) ties() *problem.Ties {
	y := lagrangian(a.values, a.residual.Multiplier)
	floats.Div(y, a.fair.Units()) // once more: those of the values are of features in their units
	floats.SubTo(y, a.x, y)
	orders.Keep(y, a.stage.Data.Orders)
	return orders.TiesAt(y, a.stage.Data.Orders)
}

// lagrangian returns the gradient of the Lagrangian without orders.
func lagrangian(v *problem.Values, multiplier []float64) []float64 {
	l := slices.Clone(v.Gradient)
	blas64.Gemv(blas.Trans, 1, v.Jacobian, linalg.Vector(multiplier), 1, linalg.Vector(l))
	return l
}

// residual returns the KKT residual of a problem at x, where it has the values v, and the
// multipliers of the orders (orders.Multipliers). Those of the constraints suit the problem in
// which equal neighbours are tied.
func (g *stage) residual(p *model.Fair, v *problem.Values, x []float64) (r kkt.Residual, multipliers [][]float64) {
	if len(g.Data.Orders) == 0 {
		return kkt.NewEvaluator(p).Residual(v), nil
	}
	ties := orders.TiesAt(x, g.Data.Orders)
	tied, err := problem.NewTied(p, ties)
	if err != nil {
		panic(err) // a Fair has no bounds
	}
	values := problem.NewValues(tied.Dims())
	copy(values.Constraint, v.Constraint)
	ties.Derivatives(values, v)
	r = kkt.NewEvaluator(tied).Residual(values)
	left := lagrangian(v, r.Multiplier)
	multipliers = orders.Multipliers(left, x, g.Data.Orders)
	r.Stationarity = floats.Norm(left, 2)
	return r, multipliers
}

// monotone says in which numbers the score is monotone, and where that binds.
func (a *attempt) monotone() []classifier.Monotone {
	var list []classifier.Monotone
	for k, o := range a.stage.Data.Orders {
		m := classifier.Monotone{Column: o.Column, Direction: tabular.Rising, Steps: o.End - o.First - 1}
		if o.Falls {
			m.Direction = tabular.Falling
		}
		for _, u := range a.orders[k] {
			if u > 0 {
				m.Binding++
			}
		}
		if o.Column != a.stage.Score || m.Binding > 0 { // else it goes without saying
			list = append(list, m)
		}
	}
	return list
}
