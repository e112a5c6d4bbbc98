package fairness_test

import (
	"fmt"
	"log"

	"github.com/fairtrain/fairtrain/fairness"
)

func ExampleJudged_Frame() {
	predictions := fairness.Predictions{
		Scores:    []float64{0.9, 0.5, 0.2, 0.8, 0.5, 0.4, 0.3, 0.1},
		Threshold: 0.5,
		Labels:    []int8{1, -1, 1, 1, 1, -1, -1, -1},
	}
	women := fairness.Group{Name: "women", Member: []bool{true, true, true, false, false, false, false, false}}
	options := fairness.DefaultFrameOptions()
	options.Metrics, _ = fairness.FindMetrics("tpr")

	rows, err := predictions.By([]fairness.Group{women})
	if err != nil {
		log.Fatal(err)
	}
	frame, err := rows.Frame(options)
	if err != nil {
		log.Fatal(err)
	}
	for _, group := range frame.Metrics[0].Groups {
		fmt.Printf("%s: %v, between %v and %v\n", group.Name, group.Value, group.Low, group.High)
	}
	fmt.Println("difference:", frame.Metrics[0].Difference.Value)
	fmt.Println(frame.Warnings[1].Message)
	// Output:
	// women: 0.5000, between 0.0126 and 0.9874
	// others: 1.0000, between 0.1581 and 1.0000
	// difference: 0.5000
	// group women: 3 rows, fewer than 30: not statistically significant (2 of them positive)
}
