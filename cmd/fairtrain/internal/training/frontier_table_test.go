package training

import (
	"slices"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/frontier"
)

// pointOf is a classifier of a loss at a bound.
func pointOf(loss string, bound, accuracy fairness.Value) *frontier.Point {
	figures := &fairness.Report{Metrics: fairness.Metrics{Accuracy: accuracy}}
	return &frontier.Point{Bound: bound, Report: &train.Report{
		Status: solver.Converged, Loss: loss, Train: &train.Figures{Report: figures},
	}}
}

// text writes the table of a frontier.
func text(t *testing.T, format results.TableFormat, points ...*frontier.Point) string {
	t.Helper()
	var b strings.Builder
	r := &frontier.Report{Unconstrained: points[0], Points: points[1:]}
	if err := frontierTable(r, format).Write(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestFrontierLosses: nobody takes objectives of two losses for figures to compare.
func TestFrontierLosses(t *testing.T) {
	none := pointOf(train.Robust, fairness.Undefined(), 0.7)
	for _, test := range []struct {
		loss   string
		differ bool
	}{{train.Robust, false}, {train.Logistic, true}} {
		point := pointOf(test.loss, 0.1, 0.6)
		for _, format := range []results.TableFormat{results.Text, results.Markdown} {
			table := text(t, format, none, point)
			named := slices.Contains(strings.Fields(table), test.loss)
			if noted := strings.Contains(table, "objectives of different losses"); named != test.differ || noted != test.differ {
				t.Errorf("%s, losses robust and %s: named is %v, noted %v\n%s", format, test.loss, named, noted, table)
			}
		}
		if table := text(t, results.CSV, none, point); !strings.Contains(table, "0.1,false,false,converged,"+test.loss+",") {
			t.Errorf("CSV lacks the loss %s:\n%s", test.loss, table)
		}
	}
}
