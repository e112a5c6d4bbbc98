// Package constraint trains under a constraint of its own: among the rows with a negative
// label, the mean score of group 71 may exceed the others' by at most 0.05, so that the
// group is not accepted by mistake more often.
package constraint

import (
	"context"
	"fmt"
	"log"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
)

// falseAlarms bounds a difference of means over the negatives. A constraint is a weight
// for every row of the data and a constant: c(x) is the mean of weight·score, plus the
// constant, and must not be positive.
type falseAlarms struct {
	group int
	bound float64
}

func (c falseAlarms) String() string { return fmt.Sprintf("false-alarms(%d)", c.group) }

func (c falseAlarms) Inequalities(s *dataset.Dataset) ([]model.Inequality, error) {
	groups, err := dataset.FindGroups(s, fmt.Sprint(c.group))
	if err != nil {
		return nil, err
	}
	g := groups[0]
	var members, others float64
	for i, y := range s.Y {
		switch {
		case y > 0:
		case g.Member[i]:
			members++
		default:
			others++
		}
	}
	if members == 0 || others == 0 {
		return nil, fmt.Errorf("%s: a side has no negative labels", c)
	}
	row := model.Inequality{Name: c.String(), Weight: make([]float64, s.Rows()), Constant: -c.bound}
	for i, y := range s.Y {
		switch {
		case y > 0:
		case g.Member[i]:
			row.Weight[i] = float64(s.Rows()) / members
		default:
			row.Weight[i] = -float64(s.Rows()) / others
		}
	}
	return []model.Inequality{row}, nil
}

func Example() {
	o := train.DefaultOptions()
	o.Data = census.Train()
	o.Constraints = []model.Constraint{
		model.Share.For("71", 0), // mean score at least the mean over all
		falseAlarms{group: 71, bound: 0.02},
	}
	report, _, err := train.Run(context.Background(), o)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range report.Constraints {
		fmt.Printf("%s: holds %v, binding %v\n", c.Name, c.Satisfied, c.Multiplier > 0.01)
	}
	// Output:
	// share(71): holds true, binding true
	// false-alarms(71): holds true, binding true
}
