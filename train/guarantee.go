package train

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/model"
)

// ToGuarantee returns what a constraint requires for the people that the rows stand for:
// for their scores, or for their decisions. Shares and losses are always about scores. Of
// three or more groups any two are compared.
func ToGuarantee(c model.Constraint, on string) (guarantee.Requirement, error) {
	g, ok := c.(model.GroupConstraint)
	if !ok {
		return guarantee.Requirement{Spec: c.String()}, fmt.Errorf("constraint %s: nothing that could be guaranteed", c)
	}
	r := guarantee.Requirement{Spec: c.String(), Scores: on == Scores, Group: g.Group, Bound: g.Level}
	switch g.Kind {
	case model.Difference:
		r.Kind = guarantee.MaxDifference
	case model.Ratio:
		r.Kind = guarantee.MinRatio
	case model.Loss:
		r.Kind = guarantee.MaxLoss
	case model.HeldShare:
		r.Kind = guarantee.MinShare
	}
	if !slices.Contains(g.Labels, 0) { // which stands for all rows
		r.Labels = g.Labels
	}
	return r, nil
}

// Tested returns what the constraints require for the people that the rows stand for. Each
// is on scores or on decisions, as in training. Errors: no constraint, and a constraint for
// which there is no test.
func (o *Options) Tested() ([]guarantee.Requirement, error) {
	var list []guarantee.Requirement
	for _, c := range o.requirements() {
		r, err := ToGuarantee(c, o.on(c))
		if err != nil {
			return nil, err
		}
		if r.On() != o.on(c) {
			return nil, fmt.Errorf("constraint %s is on %s, but tests of it are on %s only", c, o.on(c), r.On())
		}
		list = append(list, r)
	}
	if len(list) == 0 {
		return nil, errors.New("no constraint that could be guaranteed")
	}
	return list, nil
}
