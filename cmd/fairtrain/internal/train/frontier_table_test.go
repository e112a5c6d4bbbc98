package train

import (
	"slices"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/classifier"
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
	r := &frontier.Report{On: train.Decisions, Unconstrained: points[0], Points: points[1:]}
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
		table := text(t, results.Markdown, none, point)
		named := slices.Contains(strings.Fields(table), test.loss)
		if noted := strings.Contains(table, "objectives of different losses"); named != test.differ || noted != test.differ {
			t.Errorf("losses robust and %s: named is %v, noted %v\n%s", test.loss, named, noted, table)
		}
		if table := text(t, results.Text, none, point); strings.Contains(table, "objective") ||
			strings.Contains(table, "loss") {
			t.Errorf("the text has objectives or losses:\n%s", table)
		}
		if table := text(t, results.CSV, none, point); !strings.Contains(table,
			"0.1,false,false,0.1,converged,"+test.loss+",") {
			t.Errorf("CSV lacks the loss %s:\n%s", test.loss, table)
		}
	}
}

// TestFrontierTrainedFor: a row says for which bound its classifier was trained if that is another
// one.
func TestFrontierTrainedFor(t *testing.T) {
	none, own, borrowed := pointOf(train.Logistic, fairness.Undefined(),
		0.7), pointOf(train.Logistic, 0.05, 0.6), pointOf(train.Logistic, 0.1, 0.6)
	if table := text(t, results.Text, none, own, borrowed); strings.Contains(table, "trained for") {
		t.Errorf("each classifier stands at its own bound:\n%s", table)
	}
	if table := text(t, results.CSV, none, own); !strings.Contains(table, "0.05,false,false,0.05,") {
		t.Errorf("CSV lacks the bound trained for:\n%s", table)
	}
	borrowed.TrainedFor = &own.Bound
	for format, want := range map[results.TableFormat]string{
		results.Text: "0.1    0.05 ", results.Markdown: "| 0.1 | 0.05 |", results.CSV: "0.1,false,false,0.05,",
	} {
		if table := text(t, format, none, own, borrowed); !strings.Contains(table, want) ||
			!strings.Contains(table, "trained for") {
			t.Errorf("%s lacks %q:\n%s", format, want, table)
		}
	}
}

// TestFrontierMoreAccurate: a note says why a constrained classifier has the higher accuracy, where
// that is why.
func TestFrontierMoreAccurate(t *testing.T) {
	none, worse, better := pointOf(train.Logistic, fairness.Undefined(),
		0.7), pointOf(train.Logistic, 0.1, 0.6), pointOf(train.Logistic, 0.1, 0.8)
	costly := pointOf(train.Logistic, 0.1, 0.8)
	costly.Report.Costs = &classifier.Costs{WrongPositive: 0.1, Missed: 0.9}
	for name, test := range map[string]struct {
		point *frontier.Point
		want  bool
	}{"less accurate": {worse, false}, "more accurate": {better, true}, "chosen by costs": {costly, false}} {
		if table := text(t, results.Text, none, test.point); strings.Contains(table, "single fit") != test.want {
			t.Errorf("%s: noted is %v\n%s", name, !test.want, table)
		}
	}
}
