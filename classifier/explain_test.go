package classifier

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// people are rows of every kind of column: two of three have the job nurse, one has no pay.
const people = `sex,job,pay,height,age,y
f,nurse,1000,1.5,20,1
f,nurse,3000,1.7,30,0
m,cook,1000,1.9,40,0
m,nurse,3000,1.7,50,1
m,cook,,1.6,60,0
f,nurse,2000,1.8,70,1
`

// encode reads a CSV file, learns its encoding and applies it.
func encode(t testing.TB, text string, s *tabular.Schema) (*encoding.Encoding, *dataset.Dataset) {
	t.Helper()
	rows, err := tabular.Read(strings.NewReader(text), s, tabular.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := encoding.Learn(rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := e.Apply(rows, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e, d
}

// peopleModel returns a model of the people with the given weights, repeated, and its rows.
func peopleModel(t testing.TB, text string, weights ...float64) (*Classifier, *dataset.Dataset) {
	t.Helper()
	s := &tabular.Schema{
		MinCount: 1, Label: tabular.LabelSpec{Column: "y", Positive: []string{"1"}},
		Groups: []tabular.GroupSpec{{Column: "sex"}, {Column: "job"}},
		Columns: []tabular.ColumnSpec{
			{Name: "sex", As: tabular.Drop, Reason: "told apart"},
			{Name: "job", As: tabular.OneHot},
			{Name: "pay", As: tabular.Standardise},
			{Name: "height", As: tabular.Raw},
			{Name: "age", As: tabular.Bins, Bins: 2},
		},
		Crosses: []string{"sex*job"},
	}
	e, d := encode(t, text, s)
	c := &Classifier{
		Features:  Features{Kind: CSV, Count: e.Width(), Names: e.Names(), Encoding: e},
		Intercept: 0.25, Threshold: 0.5, Training: Training{Loss: "logistic"},
	}
	for j := range e.Width() {
		c.Weights = append(c.Weights, weights[j%len(weights)])
	}
	var err error
	if c.Reference, err = c.Features.Measure(d, nil); err != nil {
		t.Fatal(err)
	}
	return c, d
}

// TestExplainInOriginalUnits: the effect of a change of the raw row is what the explanation
// says, for a number's unit and deviation and for every level against another.
func TestExplainInOriginalUnits(t *testing.T) {
	c, _ := peopleModel(t, people, 0.5, -0.25, 0.125, 2, -1, 0.75, -0.5, 0.3)
	logOdds := func(row string) float64 {
		t.Helper()
		d, err := c.Features.Encoding.Read(strings.NewReader("sex,job,pay,height,age,y\n"+row+",1\n"), tabular.Options{})
		if err != nil {
			t.Fatal(err)
		}
		score := make([]float64, 1)
		if err := c.Scores(score, d.X); err != nil {
			t.Fatal(err)
		}
		return math.Log(score[0] / (1 - score[0]))
	}
	effects := map[string]Effect{}
	for _, column := range c.Explain(nil).Columns {
		for _, e := range column.Effects {
			effects[e.Feature] = e
		}
	}
	sd := math.Sqrt(800_000) // of 1000, 3000, 1000, 3000, 2000
	// The sex x is in no group, so that nothing but the column changes.
	for feature, change := range map[string]struct{ before, from, to string }{
		"job=cook":      {"job=nurse", "x,nurse,1000,1.5,20", "x,cook,1000,1.5,20"},
		"pay":           {"", "x,nurse,1000,1.5,20", "x,nurse,1001,1.5,20"},
		"pay=(missing)": {"", "x,nurse,2000,1.5,20", "x,nurse,,1.5,20"},
		"height":        {"", "x,nurse,1000,1,20", "x,nurse,1000,2,20"},
		"age >= 50":     {"age < 50", "x,nurse,1000,1,20", "x,nurse,1000,1,99"},
	} {
		got, want := effects[feature], logOdds(change.to)-logOdds(change.from)
		if math.Abs(got.LogOdds-effects[change.before].LogOdds-want) > 1e-9 || math.Abs(*got.OddsRatio-math.Exp(got.LogOdds)) > 1e-9 {
			t.Errorf("%s: log-odds %v and odds ratio %v, want %v and its exponential", feature,
				got.LogOdds, *got.OddsRatio, want)
		}
	}
	if got, want := effects["pay"], c.Weights[2]; math.Abs(*got.SD-sd) > 1e-9 || math.Abs(*got.LogOddsSD-want) > 1e-12 {
		t.Errorf("pay: sd %v and log-odds per sd %v, want %v and %v", *got.SD, *got.LogOddsSD, sd, want)
	}
	if *effects["job=nurse"].Share != 4.0/6 || math.Abs(4*effects["job=nurse"].LogOdds+2*effects["job=cook"].LogOdds) > 1e-12 {
		t.Errorf("the mean effect of a level is not 0: %+v", effects["job=nurse"])
	}
}

// TestExplainAddsUp: the constant and the effects of a row's values are the log-odds of its score,
// also of values that no training row has.
func TestExplainAddsUp(t *testing.T) {
	c, _ := peopleModel(t, people, 0.5, -0.25, 0.125, 2, -1, 0.75, -0.5, 0.3)
	e := c.Explain(nil)
	effect := func(feature string, value float64) float64 {
		t.Helper()
		for _, column := range e.Columns {
			for _, f := range column.Effects {
				switch {
				case f.Feature != feature:
				case f.From != nil:
					return f.LogOdds * (value - *f.From)
				default:
					return f.LogOdds
				}
			}
		}
		t.Fatalf("no effect of %s", feature)
		return 0
	}
	for _, test := range []struct {
		sex, job, pay, height, age string
		features                   []string
	}{
		{"f", "nurse", "1000", "1.5", "20", []string{"sex=f*job=nurse", "job=nurse", "pay", "height", "age < 50"}},
		{"m", "cook", "?", "1.9", "60", []string{"sex=m*job=cook", "job=cook", "pay=(missing)", "height", "age >= 50"}},
		{"x", "king", "2500", "0", "?", []string{"sex*job=(other)", "job=(other)", "pay", "height", "age >= 50"}},
		{"x", "?", "-7", "?", "49", []string{"sex*job=(other)", "job=(other)", "pay", "age < 50"}}, // a missing height is the mean
	} {
		row := strings.Join([]string{test.sex, test.job, test.pay, test.height, test.age, "1"}, ",")
		d, err := c.Features.Encoding.Read(strings.NewReader("sex,job,pay,height,age,y\n"+row+"\n"), tabular.Options{})
		if err != nil {
			t.Fatal(err)
		}
		score := make([]float64, 1)
		if err := c.Scores(score, d.X); err != nil {
			t.Fatal(err)
		}
		got := e.Constant
		for _, feature := range test.features {
			value, _ := strconv.ParseFloat(map[string]string{"pay": test.pay, "height": test.height}[feature], 64)
			got += effect(feature, value)
		}
		if want := math.Log(score[0] / (1 - score[0])); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: the effects add up to %v, the score has the log-odds %v", row, got, want)
		}
	}
}

func TestExplainMarks(t *testing.T) {
	c, _ := peopleModel(t, people, 1)
	e := c.Explain([]string{"sex"})
	groups := map[string][]string{}
	for _, column := range e.Columns {
		if len(column.Groups) > 0 {
			groups[column.Column] = column.Groups
		}
	}
	if diff := cmp.Diff(map[string][]string{"job": {"job"}, "sex*job": {"job", "sex"}}, groups); diff != "" {
		t.Errorf("groups used (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]DroppedColumn{{"sex", "told apart"}}, e.Dropped); diff != "" {
		t.Errorf("dropped (-want +got)\n%s", diff)
	}
	c.Constraints = []Constraint{{On: "scores"}}
	e = c.Explain(nil)
	if e.Probability || e.Columns[0].Effects[0].OddsRatio != nil {
		t.Error("scores that constraints bound have odds ratios")
	}
	c.Reference = nil
	if e = c.Explain(nil); e.Reference != nil || e.Columns[0].Effects[0].Share != nil {
		t.Error("an older model has shares")
	}
	if _, err := c.Contributions(); !errors.Is(err, ErrNoReference) {
		t.Errorf("contributions of an older model: error %v", err)
	}
}

// TestContributionsAddUp: of any model and row, to 1e-9; and reasons are the least of them.
func TestContributionsAddUp(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		weights := rapid.SliceOfN(rapid.Float64Range(-5, 5), 15, 15).Draw(r, "weights")
		c, _ := peopleModel(t, people, weights...)
		number := rapid.Float64Range(-1e4, 1e4)
		row := fmt.Sprintf("%s,%s,%v,%v,%v", rapid.SampledFrom([]string{"f", "m", "?"}).Draw(r, "sex"),
			rapid.SampledFrom([]string{"nurse", "cook", "king", "?"}).Draw(r, "job"),
			number.Draw(r, "pay"), rapid.Float64Range(0, 3).Draw(r, "height"), number.Draw(r, "age"))
		if rapid.Bool().Draw(r, "missing") {
			row = "f,nurse,?,1,?"
		}
		d, err := c.Features.Encoding.Read(strings.NewReader("sex,job,pay,height,age,y\n"+row+",1\n"), tabular.Options{})
		if err != nil {
			r.Fatal(err)
		}
		s, err := c.Contributions()
		if err != nil {
			r.Fatal(err)
		}
		amount := make([]float64, len(s.Columns))
		s.Of(amount, d.X, 0)
		sum, margin := s.Margin, c.Intercept
		negative := 0
		for _, v := range amount {
			sum += v
			if v < -1e-9 {
				negative++
			}
		}
		for j, v := range d.X.Row(0) {
			margin += c.Weights[j] * v
		}
		if math.Abs(sum-margin) > 1e-9 {
			r.Fatalf("contributions and the reference add up to %v, the log-odds are %v", sum, margin)
		}
		if s.Score() != sigmoid(s.Margin) {
			r.Fatalf("score %v of the margin %v", s.Score(), s.Margin)
		}
		reasons := s.Against(d.X, nil, 0, 2)
		if len(reasons) != min(2, negative) {
			r.Fatalf("%d reasons of %d contributions below 0", len(reasons), negative)
		}
		for k, reason := range reasons {
			above := 0
			for _, v := range amount {
				if v < reason.Amount {
					above++
				}
			}
			if above > k || reason.Amount >= 0 {
				r.Fatalf("reason %d is %v, of %v", k, reason, amount)
			}
		}
	})
}

func TestReasonsSayTheValue(t *testing.T) {
	c, d := peopleModel(t, people, -1)
	s, err := c.Contributions()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	all := make([]int, len(s.Columns))
	for k := range all {
		all[k] = k
	}
	for i := range d.Rows() {
		for _, value := range s.values(d.X, i, all) {
			got[value] = true
		}
	}
	for _, want := range []string{"job=nurse", "job=cook", "pay=1000", "pay=2000", "pay=(missing)", "height=1.7", "age < 50", "age >= 50", "sex=f*job=nurse"} {
		if !got[want] {
			t.Errorf("no row has %q, but %v", want, got)
		}
	}
	cross := &s.Columns[len(s.Columns)-1]
	if got := c.Features.value(cross, make([]float64, cross.End-cross.First)); got != "sex*job=(other)" {
		t.Errorf("a group without a feature is %q", got)
	}
	libsvm := Features{Kind: LIBSVM, Count: 2}
	if got := libsvm.value(&Column{Name: "2", First: 1, End: 2}, []float64{0.5}); got != "2=0.5" {
		t.Errorf("feature 2 is %s", got)
	}
}

// TestReferenceKeepsPeopleTogether: counts are rounded, and figures of few people are 0.
func TestReferenceKeepsPeopleTogether(t *testing.T) {
	var rows []map[int]float64
	for i := range 100 {
		row := map[int]float64{}
		if i < 2 {
			row[1] = 1 // rounds to 0
		}
		if i < 58 {
			row[2] = 1 // rounds to 60
		}
		if i < 4 {
			row[3] = 7 // fewer than 5
		}
		if i < 50 {
			row[4] = 2
		}
		rows = append(rows, row)
	}
	f := Features{Kind: LIBSVM, Count: 5}
	d := &dataset.Dataset{X: matrix(4, rows...), Y: make([]int8, 100)}
	r, err := f.Measure(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &Reference{
		Rows: 100, MinCount: 5, Mean: []float64{0, 0.6, 0, 1, 0}, SD: []float64{0, math.Sqrt(0.24), 0, 1, 0},
		Groups: []string{}, Proxies: []Proxy{},
	}
	if diff := cmp.Diff(want, r, cmpopts.EquateApprox(0, 1e-15)); diff != "" {
		t.Errorf("reference (-want +got)\n%s", diff)
	}
	f.Count = 3
	if _, err := f.Measure(d, nil); err == nil || err.Error() != "the data have 4 features, the model has 3" {
		t.Errorf("error %v", err)
	}
}

func TestReadReferenceErrors(t *testing.T) {
	c, _ := peopleModel(t, people, 1)
	for name, test := range map[string]struct {
		spoil func(r map[string]any)
		want  string
	}{
		"too short": {func(r map[string]any) { r["mean"] = []float64{1} }, "reference: mean has 1 and sd has 10 entries for 10 features"},
		"no rows":   {func(r map[string]any) { r["rows"] = 0 }, "reference: rows is 0"},
		"words":     {func(r map[string]any) { r["mean"] = "1" }, "reference.mean: found string"},
		"unknown":   {func(r map[string]any) { r["people"] = 1 }, `unknown field "people"`},
	} {
		var file map[string]any
		if err := json.Unmarshal([]byte(written(t, c)), &file); err != nil {
			t.Fatal(err)
		}
		test.spoil(file["reference"].(map[string]any))
		content, err := json.Marshal(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read(strings.NewReader(string(content)), "m.json"); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", name, err, test.want)
		}
	}
}

func TestOddsText(t *testing.T) {
	for ratio, want := range map[float64]string{1: "1", 2.71828: "2.72", 1.0000282: "1.00003", 0.99991: "0.9999", 1234: "1.23e+03", 1 + 1e-15: "1.000000000000001"} {
		if got := OddsText(ratio, 3); got != want {
			t.Errorf("%v is %s, want %s", ratio, got, want)
		}
	}
}
