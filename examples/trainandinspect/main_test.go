// Package trainandinspect trains a classifier on the synthetic census so that the mean
// scores of a minority and of the others differ by at most 0.01, and looks at the result.
package trainandinspect

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
)

func Example() {
	o := train.DefaultOptions()
	o.Data, o.TestData = dataset.Synthetic()
	o.Constraints = []model.Constraint{model.DemographicParity{Group: "71", Bound: 0.01}}
	o.Tolerance = 1e-4
	report, classifier, err := train.Run(context.Background(), o)
	if err != nil {
		log.Fatal(err)
	}

	fmt.Printf("%s, f = %.3f\n", report.Status, report.Objective)
	for _, c := range report.Constraints {
		fmt.Printf("%-30s holds: %v, multiplier %.2f\n", c.Name, c.Satisfied, c.Multiplier)
	}
	fmt.Printf("test accuracy %.3f\n", float64(report.Test.Accuracy))
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
	// converged, f = 0.267
	// demographic-parity(71) above   holds: true, multiplier 0.00
	// demographic-parity(71) below   holds: true, multiplier 0.09
	// test accuracy 0.838
	//   71       1563 rows, selected 0.20
	//   others  14718 rows, selected 0.19
	// raise the score: [schooling=professional schooling=doctorate partnership=married]
}
