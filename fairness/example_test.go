package fairness_test

import (
	"fmt"

	"github.com/fairtrain/fairtrain/fairness"
)

func ExampleNewFrame() {
	predictions := fairness.Predictions{
		Scores:    []float64{0.9, 0.5, 0.2, 0.8, 0.5, 0.4, 0.3, 0.1},
		Threshold: 0.5,
		Labels:    []int8{1, -1, 1, 1, 1, -1, -1, -1},
	}
	women := fairness.Group{Name: "women", Member: []bool{true, true, true, false, false, false, false, false}}
	options := fairness.DefaultFrameOptions()
	options.Metrics, _ = fairness.FindMetrics("tpr")

	frame, err := fairness.NewFrame(predictions, []fairness.Group{women}, options)
	if err != nil {
		fmt.Println(err)
		return
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

func ExampleCompareShares() {
	for _, selected := range []float64{0, 30} {
		difference, ratio := fairness.CompareShares([]fairness.Share{{Cases: 0, Rows: 20}, {Cases: selected, Rows: 100}}, 0.95)
		fmt.Printf("difference %v, between %v and %v\n", difference.Value, difference.Low, difference.High)
		fmt.Printf("ratio %v, between %v and %v\n", ratio.Value, ratio.Low, ratio.High)
	}
	// Output:
	// difference 0.0000, between 0.0000 and 0.1684
	// ratio –, between 0.0000 and 1.0000
	// difference 0.3000, between 0.1102 and 0.3998
	// ratio 0.0000, between 0.0000 and 0.5870
}
