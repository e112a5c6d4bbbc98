package input

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/datatest"
)

// read reads predictions under the usual names.
func read(file string) (fairness.Predictions, []fairness.Group, error) {
	columns := Columns{label: "y_true", score: "y_pred", Groups: []string{"group"}}
	d, err := columns.Read(strings.NewReader(file), "-", tabular.Options{})
	if err != nil {
		return fairness.Predictions{}, nil, err
	}
	found, err := dataset.FindGroups(d.Dataset, columns.Groups[0])
	var groups []fairness.Group
	for _, g := range found {
		groups = append(groups, fairness.Group{Name: g.Name, Member: g.Member})
	}
	return fairness.Predictions{Scores: d.Scores, Labels: d.Y, Weights: d.Weights}, groups, err
}

// TestReadPredictions writes predictions in all the ways that are understood.
func TestReadPredictions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		labels := rapid.SampledFrom([][2]string{{"0", "1"}, {"-1", "1"}, {"-1", "+1"}, {"no", "yes"}, {"False", "True"}}).Draw(t, "labels")
		delimiter := rapid.SampledFrom([]string{",", ";", "\t", "|"}).Draw(t, "delimiter")
		order := rapid.Permutation([]int{0, 1, 2, 3}).Draw(t, "order")
		var want fairness.Predictions
		groups := []fairness.Group{{Name: "group=a"}, {Name: "group=b"}}
		var file strings.Builder
		line := func(values ...any) {
			for k, column := range order {
				if k > 0 {
					file.WriteString(delimiter)
				}
				fmt.Fprint(&file, values[column])
			}
			file.WriteString("\n")
		}
		line("y_true", "y_pred", "group", "ignored")
		for i := range rapid.IntRange(2, 20).Draw(t, "rows") {
			label := rapid.IntRange(0, 1).Draw(t, "label")
			group := rapid.IntRange(0, 1).Draw(t, "group")
			if i < 2 {
				label, group = i, i
			}
			score := rapid.Float64Range(0, 1).Draw(t, "score")
			written := fmt.Sprint(score)
			if delimiter != "," && rapid.Bool().Draw(t, "comma") {
				written = strings.Replace(written, ".", ",", 1)
			}
			want.Labels = append(want.Labels, int8(2*label-1))
			want.Scores = append(want.Scores, score)
			for g := range groups {
				groups[g].Member = append(groups[g].Member, g == group)
			}
			line(labels[label], written, "ab"[group:group+1], "x")
		}
		got, gotGroups, err := read(file.String())
		if err != nil {
			t.Fatalf("%v in\n%s", err, &file)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(groups, gotGroups); diff != "" {
			t.Fatal(diff)
		}
	})
}

var predictionSeeds = []string{
	"y_true,y_pred,group\n1,0.9,a\n0,0.1,b\n",
	"group;y_true;y_pred\na;no;-1\n;yes;1\nb;yes;1\n",
	"y_true,y_pred,group\n1,,a\n",
	"y_true,y_pred,group\n2,1e300,a\n3,NaN,b\n",
	"y_true,y_pred,group\n1,90%,a\n0,0 %,b\n",
	"\"y_true\",y_pred,group\r\n+1,\"1\",\"a\nb\"\r\n-1,0,?\r\n",
}

func FuzzReadPredictions(f *testing.F) { datatest.Fuzz(f, predictionSeeds, checkPredictions) }

// checkPredictions expects that whatever is read can be evaluated.
func checkPredictions(t *testing.T, file string) {
	predictions, groups, err := read(file)
	if err != nil {
		return
	}
	options := fairness.DefaultFrameOptions()
	options.Interval = fairness.NoInterval
	rows, err := predictions.By(groups)
	if err == nil {
		_, err = rows.Frame(options)
	}
	if err != nil {
		t.Errorf("%v, read from\n%s", err, file)
	}
}

// TestNumbersThatAreDecisions: numbers are decisions only where nobody could take them for scores,
// or says so.
func TestNumbersThatAreDecisions(t *testing.T) {
	for _, test := range []struct {
		labels   [2]string
		numbers  []string
		positive []string
		want     []float64 // nil for an error
	}{
		{[2]string{"1", "2"}, []string{"1", "2"}, []string{"2"}, []float64{0, 1}},
		{[2]string{"1", "2"}, []string{"1", "2.0"}, []string{"1"}, []float64{1, 0}},
		{[2]string{"1", "2"}, []string{"1", "1"}, []string{"2"}, []float64{0, 0}},
		{[2]string{"1", "2"}, []string{"0", "1"}, []string{"2"}, []float64{0, 1}}, // in another code than the labels
		{[2]string{"1", "2"}, []string{"1", "3"}, []string{"2"}, nil},
		{[2]string{"0", "1"}, []string{"1", "2"}, nil, nil},
		{[2]string{"0", "1"}, []string{"1", "2"}, []string{"2"}, []float64{0, 1}},
		{[2]string{"0", "1"}, []string{"0", "1"}, []string{"0"}, []float64{1, 0}},
		{[2]string{"0", "1"}, []string{"-1", "1"}, nil, []float64{0, 1}},
		{[2]string{"0", "1"}, []string{"-1", "0"}, nil, nil},
		{[2]string{"0", "1"}, []string{"0.7", "1"}, []string{"1"}, []float64{0.7, 1}}, // scores
		{[2]string{"0", "1"}, []string{"True", "false"}, nil, []float64{1, 0}},
		{[2]string{"True", "False"}, []string{"True", "False"}, []string{"False"}, []float64{0, 1}},
		{[2]string{"no", "yes"}, []string{"yes", "no"}, nil, []float64{1, 0}},
		{[2]string{"0", "1"}, []string{"yes", "no"}, nil, nil}, // words of nobody's labels
		{[2]string{"0", "1"}, []string{"yes", "no"}, []string{"yes"}, []float64{1, 0}},
		{[2]string{"0", "1"}, []string{"70%", "0.1"}, nil, nil},
		{[2]string{"0", "1"}, []string{"70%", "90%"}, nil, nil},
	} {
		columns := Columns{label: "y_true", score: "y_pred", Groups: []string{"group"}, positive: test.positive}
		file := fmt.Sprintf("y_true,y_pred,group\n%s,%s,a\n%s,%s,b\n", test.labels[0],
			test.numbers[0], test.labels[1], test.numbers[1])
		d, err := columns.Read(strings.NewReader(file), "-", tabular.Options{})
		switch {
		case (err == nil) != (test.want != nil):
			t.Errorf("%q with the positive %q: error %v", file, test.positive, err)
		case err == nil && !slices.Equal(d.Scores, test.want):
			t.Errorf("%q with the positive %q: scores %v, want %v", file, test.positive, d.Scores, test.want)
		}
	}
}

// TestThresholdOfDecisions: decisions beside the scores tell the threshold.
func TestThresholdOfDecisions(t *testing.T) {
	for file, want := range map[string]float64{
		"y_true,score,decision,group\n1,0.9,1,a\n0,0.2,-1,b\n":            0.5, // the usual one
		"y_true,score,decision,group\n1,0.9,1,a\n0,0.3,1,b\n0,0.2,-1,b\n": 0.3,
		"y_true,score,decision,group\n1,0.9,-1,a\n0,0.3,-1,b\n":           math.Nextafter(0.9, 1),
		"y_true,score,decision,group\n1,0.4,1,a\n0,0.3,1,b\n":             0.3,
		"y_true,score,decision,group\n1,1,-1,a\n0,0.3,-1,b\n":             math.Nextafter(1, 2),
		"y_true,score,decision,group\n1,1,-1,a\n0,0.3,0,b\n":              math.NaN(),
		"y_true,score,decision,group\n1,0.4,grant,a\n0,0.3,deny,b\n":      math.NaN(),
		"y_true,score,decision,group\nyes,0.4,Yes,a\nno,0.3,no,b\n":       0.4,
		// nobody knows which is positive
		"y_true,score,decision,group\n1,0.4,red,a\n0,0.3,blue,b\n":            math.NaN(),
		"y_true,score,decision,group\n1,0.4,1,a\n0,0.3,,b\n":                  math.NaN(),
		"y_true,score,decision,group\n1,0.4,2,a\n0,0.3,1,b\n":                 math.NaN(),
		"y_true,score,decision,group\n2,0.4,2,a\n1,0.3,1,b\n":                 math.NaN(),
		"y_true,y_pred,decision,group\n1,0.4,red,a\n0,0.3,,b\n":               0.5, // of another program
		"y_true,score,group\n1,0.9,a\n0,0.2,b\n":                              0.5,
		"y_true,score,decision,group\n1,0.4,1.0,a\n0,0.3,1.0,b\n0,0.2,-1.0,b": 0.3,
		"y_true,score,decision,group\n1,0.4,True,a\n0,0.3,False,b\n":          0.4,
		"y_true,y_pred,decision,group\n1,0.4,1,a\n0,0.5,0,b\n":                0.5, // of another program
		"y_true,score,decision,group\n1,0.3,1,a\n0,0.3,-1,b\n":                math.NaN(),
		"y_true,score,decision,group\n1,0.2,1,a\n0,0.3,-1,b\n0,0.1,-1,b\n":    math.NaN(),
		"y_true,score,decision,group\n1,1,1,a\n0,0,-1,b\n0,0.7,1,a\n1,1,1,b":  0.5,
	} {
		columns := Columns{label: "y_true", score: "y_pred", Groups: []string{"group"}, usual: true, decided: true}
		d, err := columns.Read(strings.NewReader(file), "-", tabular.Options{})
		switch {
		case math.IsNaN(want) != (err != nil):
			t.Errorf("%q: error %v", file, err)
		case err == nil && d.Threshold != want:
			t.Errorf("%q: threshold %v, want %v", file, d.Threshold, want)
		}
	}
}
