package frontier_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/jobs"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/frontier"
)

var invented = sync.OnceValues(func() (train, test *dataset.Dataset) { return census.Train(), census.Test() })

// synthetic returns the options for some rows of the synthetic census.
func synthetic(t testing.TB, specs ...string) train.Options {
	t.Helper()
	_, data := invented()
	_, data, err := dataset.Split(data, 0.5, 2)
	if err != nil {
		t.Fatal(err)
	}
	o := train.DefaultOptions()
	if o.TestData, o.Data, err = dataset.Split(data, 0.25, 1); err != nil {
		t.Fatal(err)
	}
	for _, spec := range specs {
		c, err := model.ParseConstraint(spec)
		if err != nil {
			t.Fatal(err)
		}
		o.Constraints = append(o.Constraints, c)
	}
	return o
}

func finiteSum() (solver.Method, error) { return solver.DefaultFiniteSum(), nil }

func traced(t testing.TB, o train.Options, by jobs.Executor, bounds ...float64) *frontier.Report {
	t.Helper()
	r, err := frontier.Trace(t.Context(), o, bounds, frontier.Settings{Method: finiteSum, Executor: by})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFrontier checks that a tighter bound is not cheaper on scores, whose problems have
// optima, and that every point on decisions is what Run finds.
func TestFrontier(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	for _, test := range []struct {
		spec    string
		on      string
		bounds  []float64
		tighter float64 // the sign of the change of a bound that makes it tighter
	}{
		{"demographic-parity:group=71,bound=0.02", train.Scores, []float64{0.1, 0.01, 0.02, 0}, -1},
		{"rate-ratio:group=71,min=0.8", train.Scores, []float64{0.6, 0.9}, +1},
		{"share:group=71,omega=0.3", "", []float64{0.2, 0.25, 0.35}, +1},
		{"equalized-odds:group=72,bound=0.05", "", nil, -1},
	} {
		t.Run(test.spec, func(t *testing.T) {
			o := synthetic(t, test.spec)
			o.Model.Intercept, o.On = true, test.on
			if o.Tolerance = 1e-4; test.bounds == nil { // on decisions, to be found once more
				o.Tolerance = 1e-2
			}
			f := traced(t, o, nil, test.bounds...)
			points := slices.Clone(f.Points)
			if test.tighter < 0 {
				slices.Reverse(points)
			}
			last := f.Unconstrained
			for i, p := range points {
				if i > 0 && !(float64(p.Bound-last.Bound)*test.tighter > 0) {
					t.Errorf("bounds %v and %v are out of order", last.Bound, p.Bound)
				}
				if p.Chosen != strings.HasSuffix(test.spec, "="+jsonText(t, p.Bound)) {
					t.Errorf("bound %v: chosen is %v", p.Bound, p.Chosen)
				}
				if p.Report.Status != solver.Converged {
					t.Errorf("bound %v: %s", p.Bound, p.Report.Status)
				}
				if f.On == train.Scores && !(p.Report.Objective >= last.Report.Objective-1e-4) {
					t.Errorf("objective %v at the bound %v, %v at the looser bound %v",
						p.Report.Objective, p.Bound, last.Report.Objective, last.Bound)
				}
				last = p

				o.Constraints = []model.Constraint{synthetic(t, test.spec).Constraints[0].(model.GroupConstraint).WithLevel(float64(p.Bound))}
				o.Method = solver.DefaultFiniteSum()
				want, _, err := train.Run(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				if f.On == train.Scores { // found from another start
					const optimum = 1e-3
					if math.Abs(want.Objective-p.Report.Objective) > optimum {
						t.Errorf("bound %v: objective %v, of Run %v", p.Bound, p.Report.Objective, want.Objective)
					}
					continue
				}
				want.Seconds, p.Report.Seconds = 0, 0
				if diff := cmp.Diff(jsonText(t, want), jsonText(t, p.Report)); diff != "" {
					t.Errorf("bound %v is not what Run returns:\n%s", p.Bound, diff)
				}
			}
			if first, last := f.Unconstrained.Report.Objective, last.Report.Objective; f.On == train.Scores && !(last > first+1e-3) {
				t.Errorf("the tightest bound costs nothing: objective %v, %v without a constraint", last, first)
			}
		})
	}
}

func jsonText(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestFrontierJobs finds the same with runs one after the other and side by side.
func TestFrontierJobs(t *testing.T) {
	o := synthetic(t, "equalized-odds:group=71,bound=0.02")
	o.Tolerance = 0.01
	var texts [2]string
	for i := range texts {
		f := traced(t, o, jobs.Local(1+i), 0.1)
		for _, p := range append(f.Points, f.Unconstrained) {
			p.Report.Seconds = 0
		}
		texts[i] = jsonText(t, f)
	}
	if diff := cmp.Diff(texts[0], texts[1]); diff != "" {
		t.Errorf("one job (-), two jobs (+):\n%s", diff)
	}
}

// TestFrontierDisparity compares the disparities with the figures of the reports.
func TestFrontierDisparity(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	meanScores := func(r *fairness.Report) fairness.Value {
		return r.Difference(func(m *fairness.Metrics) fairness.Value { return m.MeanScore })
	}
	none := func(*fairness.Report) fairness.Value { return fairness.Undefined() }
	for _, test := range []struct {
		spec, name        string
		decisions, scores func(r *fairness.Report) fairness.Value
		onDecisions       bool
	}{
		{
			"demographic-parity:group=71,bound=0.1", "demographic parity difference",
			func(r *fairness.Report) fairness.Value { return r.DemographicParityDifference }, meanScores, true,
		},
		{
			"share:group=71,omega=0.1", "demographic parity difference",
			func(r *fairness.Report) fairness.Value { return r.DemographicParityDifference }, meanScores, false,
		},
		{
			"equal-opportunity:group=71,bound=0.1", "equal opportunity difference",
			func(r *fairness.Report) fairness.Value { return r.EqualOpportunityDifference }, none, true,
		},
		{
			"equalized-odds:group=71,bound=0.1", "equalized odds difference",
			func(r *fairness.Report) fairness.Value { return r.EqualizedOddsDifference }, none, true,
		},
		{
			"rate-ratio:group=71,min=0.8", "demographic parity ratio",
			func(r *fairness.Report) fairness.Value { return r.DemographicParityRatio }, none, true,
		},
		{
			"bounded-group-loss:group=71,bound=0.3", "largest error of a group",
			func(r *fairness.Report) fairness.Value { return 1 - r.Groups[0].Accuracy }, none, false,
		},
	} {
		near := cmp.Comparer(func(a, b fairness.Value) bool {
			return math.Abs(float64(a-b)) < 1e-12 || !a.Defined() && !b.Defined()
		})
		o := synthetic(t, test.spec)
		o.Tolerance = 0.1 // figures of any classifiers
		f := traced(t, o, nil)
		if f.Disparity != test.name || len(f.Points) != 1 || f.Constraint != test.spec ||
			(f.On == train.Decisions) != test.onDecisions {
			t.Errorf("%s: %d points on %s of %s for %s", test.spec, len(f.Points), f.On, f.Disparity, f.Constraint)
		}
		for _, p := range append(f.Points, f.Unconstrained) {
			for _, set := range []struct {
				got    frontier.Disparity
				report *fairness.Report
			}{{p.Train, p.Report.Train.Report}, {p.Test, p.Report.Test.Report}} {
				want := frontier.Disparity{Decisions: test.decisions(set.report), Scores: test.scores(set.report)}
				if !cmp.Equal(set.got, want, near) || !set.got.Decisions.Defined() {
					t.Errorf("%s, bound %v: disparity %+v, want %+v", test.spec, p.Bound, set.got, want)
				}
			}
		}
	}
}

// TestFrontierOnDecisions bounds decisions on the rows to train on.
func TestFrontierOnDecisions(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	o := synthetic(t, "demographic-parity:group=71,bound=0.02")
	o.On, o.TestData = train.Decisions, nil
	f := traced(t, o, nil, 0.05)
	if f.On != train.Decisions || f.Unconstrained.Test.Decisions.Defined() {
		t.Errorf("on %s, test disparity %v", f.On, f.Unconstrained.Test.Decisions)
	}
	for _, p := range f.Points {
		if !(p.Train.Decisions <= p.Bound) {
			t.Errorf("bound %v: disparity %v", p.Bound, p.Train.Decisions)
		}
	}
	if !(f.Unconstrained.Train.Decisions > 0.05) {
		t.Errorf("disparity %v without a constraint", f.Unconstrained.Train.Decisions)
	}
}

// TestFrontierOfDecisionsRises: what a tight bound leads to is a choice under a loose one, too.
func TestFrontierOfDecisionsRises(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	for _, spec := range []string{"demographic-parity:group=71,bound=0.1", "rate-ratio:group=71,min=0.8"} {
		_, data := invented()
		data, _, err := dataset.Split(data, 0.02, 3)
		if err != nil {
			t.Fatal(err)
		}
		o := synthetic(t, spec)
		o.Data, o.TestData, o.Tolerance = data, nil, 1e-2
		points := traced(t, o, nil, 0.001, 0.01, 0.05, 0.2, 0.3, 0.5, 0.9).Points
		if strings.HasPrefix(spec, "rate-ratio") {
			slices.Reverse(points)
		}
		borrowed := 0
		for i, p := range points {
			q := p.Report.Requirements[0]
			q.Bound = float64(p.Bound)
			if !q.Holds(*q.Train) && len(q.WithinOneDecision) == 0 {
				t.Errorf("%s, bound %v: %v", spec, p.Bound, *q.Train)
			}
			if p.TrainedFor != nil {
				borrowed++
				if !strings.HasSuffix(q.Spec, "="+jsonText(t, p.TrainedFor)) {
					t.Errorf("%s, bound %v: trained for %v, and the report is about %s", spec,
						p.Bound, *p.TrainedFor, q.Spec)
				}
			}
			if i > 0 && !(p.Report.Train.Accuracy >= points[i-1].Report.Train.Accuracy) {
				t.Errorf("%s: accuracy %v at the bound %v, %v at %v", spec, p.Report.Train.Accuracy,
					p.Bound, points[i-1].Report.Train.Accuracy, points[i-1].Bound)
			}
		}
		if borrowed == 0 {
			t.Errorf("%s: each bound has its own classifier, so this tests nothing", spec)
		}
	}
}

// TestFrontierKeepsFailures has points whose runs end early, or find no feasible point.
func TestFrontierKeepsFailures(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	o := synthetic(t, "demographic-parity:group=71,bound=0.01")
	o.MaxPasses = 1
	for _, p := range traced(t, o, nil, 0.02).Points {
		if p.Report.Status != solver.Exhausted {
			t.Errorf("bound %v: %s after a pass", p.Bound, p.Report.Status)
		}
	}
	o = synthetic(t, "bounded-group-loss:group=71,bound=0.3")
	o.MaxPasses = 50
	points := traced(t, o, nil, 0.001).Points
	if points[0].Report.Status != train.NotReached || points[1].Report.Status != solver.Converged {
		t.Errorf("losses of at most 0.001: %s, 0.3: %s", points[0].Report.Status, points[1].Report.Status)
	}
}

func TestFrontierErrors(t *testing.T) {
	const parity = "demographic-parity:group=71,bound=0.01"
	failing := errors.New("no method")
	for _, test := range []struct {
		want   string
		specs  []string
		bounds []float64
		method func() (solver.Method, error)
	}{
		{"varies the bound of one constraint, found 0", nil, nil, finiteSum},
		{"varies the bound of one constraint, found 2", []string{parity, parity}, nil, finiteSum},
		{"constraint none has no bound to vary", []string{"none"}, nil, finiteSum},
		{"share:group=71,omega=share depends on the rows", []string{"share:group=71,omega=share"}, nil, finiteSum},
		{"a bound is not a number", []string{parity}, []float64{math.NaN()}, finiteSum},
		{"bound 1: constraint demographic-parity:group=71,bound=1: bound is 1", []string{parity}, []float64{1}, finiteSum},
		{"no method", []string{parity}, nil, func() (solver.Method, error) { return nil, failing }},
	} {
		_, err := frontier.Trace(t.Context(), synthetic(t, test.specs...), test.bounds,
			frontier.Settings{Method: test.method})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
	}
}

// TestFrontierCancelled is cancelled after the first run.
func TestFrontierCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var told []int
	_, err := frontier.Trace(ctx, synthetic(t, "demographic-parity:group=71,bound=0.01"),
		[]float64{0, 0.1}, frontier.Settings{
			Method: finiteSum,
			Progress: func(ended, total int) {
				told = append(told, ended, total)
				cancel()
			},
		})
	if !errors.Is(err, context.Canceled) || !slices.Equal(told, []int{1, 4}) {
		t.Errorf("error %v after %v", err, told)
	}
}

// TestFrontierOfOneScale: the classifier without a constraint on scores has scores like those of a
// bound that does not matter.
func TestFrontierOfOneScale(t *testing.T) {
	o := synthetic(t, "demographic-parity:group=71,bound=0.9")
	o.On, o.Loss, o.Model.L2 = train.Scores, train.Logistic, 0.05
	r := traced(t, o, nil)
	const near = 1e-3
	for name, of := range map[string]func(*frontier.Point) fairness.Value{
		"log loss":   func(p *frontier.Point) fairness.Value { return p.Report.Train.LogLoss },
		"disparity":  func(p *frontier.Point) fairness.Value { return p.Train.Scores },
		"mean score": func(p *frontier.Point) fairness.Value { return p.Report.Train.MeanScore },
	} {
		if without, loose := float64(of(r.Unconstrained)), float64(of(r.Points[0])); math.Abs(without-loose) > near {
			t.Errorf("%s %v without the constraint, %v with a loose one", name, without, loose)
		}
	}
}

// TestErrorOfStart: an error in the solution that all classifiers start from is that of each of
// them.
func TestErrorOfStart(t *testing.T) {
	c, err := model.ParseConstraint("demographic-parity:group=71,bound=0.02")
	if err != nil {
		t.Fatal(err)
	}
	o := train.DefaultOptions()
	o.Data, o.Constraints, o.Model.L2 = census.Train(), []model.Constraint{c}, -1
	job, err := frontier.New(o, []float64{0.05}, frontier.Settings{Method: func() (solver.Method, error) { return solver.DefaultFiniteSum(), nil }})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []int{0, 1, 0, 1} {
		if _, err := job.Do(t.Context(), part); err == nil || !strings.Contains(err.Error(), "l2 is -1") {
			t.Errorf("bound %d: error %v", part, err)
		}
	}
}
