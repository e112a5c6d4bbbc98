// Package trainandinspect trains a classifier on the synthetic census so that the mean
// scores of a minority and of the others differ by at most 0.01, and looks at the result.
package trainandinspect

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
)

func Example() {
	o := train.DefaultOptions()
	o.Data, o.TestData = census.Train(), census.Test()
	o.Constraints = []model.Constraint{model.DemographicParity.For("71", 0.01)}
	o.Tolerance = 1e-4
	report, classifier, err := train.Run(context.Background(), o)
	if err != nil {
		log.Fatal(err)
	}

	fmt.Println(report.Status)
	for _, q := range report.Requirements {
		fmt.Printf("%s: %.2f, on test rows %.2f, satisfied: %v\n", q.Measure, *q.Train, *q.Test, q.Satisfied)
	}
	fmt.Printf("accuracy %.2f, %.2f unconstrained\n", float64(report.Train.Accuracy),
		report.Baselines.Unconstrained.Train.Accuracy)
	fmt.Printf("test accuracy %.2f\n", float64(report.Test.Accuracy))
	for _, g := range report.Test.Groups {
		fmt.Printf("  %-7s %5d rows, selected %.2f\n", g.Name, g.Rows, float64(g.SelectionRate))
	}

	// The weights that raise the score most.
	names := slices.Clone(o.Data.Cols)
	weight := map[string]float64{}
	for j, name := range names {
		weight[name] = classifier.Weights[j]
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(weight[b], weight[a]) })
	fmt.Println("raise the score:", names[:3])
	// Output:
	// converged
	// selection_rate_difference: 0.01, on test rows 0.01, satisfied: true
	// accuracy 0.84, 0.84 unconstrained
	// test accuracy 0.84
	//   71       1563 rows, selected 0.21
	//   others  14718 rows, selected 0.19
	// raise the score: [schooling=professional schooling=doctorate partnership=married]
}
