package train

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// TestRunToPass trains for a tighter bound, and reports on the bound that was asked for.
func TestRunToPass(t *testing.T) {
	fresh, rows := census.Train(), census.Test()
	for _, bound := range []float64{0.1, 0.6} {
		o := DefaultOptions()
		o.Data, o.Tolerance = rows, 0.01
		o.Constraints = []model.Constraint{model.DemographicParity.For("72", bound)}
		r, trained, aims, err := RunToPass(t.Context(), o, HoldoutTest{Rows: fresh.Rows(), Confidence: 0.95, Power: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		q := r.Requirements[0]
		aim := aims.Constraints[0].(model.GroupConstraint).Level
		if !(aims.Power >= 0.85) {
			t.Errorf("bound %v: power %v", bound, aims.Power)
		}
		if q.Bound != bound || !(aim < bound) || !(*q.Train <= aim) || !q.Satisfied {
			t.Errorf("bound %v: trained for %v, achieved %v, reported bound %v", bound, aim, *q.Train, q.Bound)
		}
		tested, e := evidenceOf(t, o, trained, fresh)
		if g, err := guarantee.Test(tested, e, 0.95); err != nil || !g.Holds {
			t.Errorf("bound %v: %+v (%v)", bound, g, err)
		}
	}
}

// evidenceOf returns what a model does on rows, for the tests of the options.
func evidenceOf(t *testing.T, o Options, c *classifier.Classifier, fresh *dataset.Dataset) ([]guarantee.Requirement, guarantee.Rows) {
	t.Helper()
	tested, err := o.Tested()
	if err != nil {
		t.Fatal(err)
	}
	scores := make([]float64, fresh.Rows())
	if err := c.Scores(scores, fresh.X); err != nil {
		t.Fatal(err)
	}
	e, err := scoring.Evidence(fresh, scores, c.Threshold, tested)
	if err != nil {
		t.Fatal(err)
	}
	return tested, e
}

// TestPowerByFolds compares the power that cross-validation states with that on many other people.
func TestPowerByFolds(t *testing.T) {
	const runs, most = 4, 0.1 // twice the standard error of the mean over runs, and the trials
	people := drawn(t, 30_000, 99)
	stated, realised := 0.0, 0.0
	for seed := range uint64(runs) {
		o := learned(t, 800, seed+1)
		o.Constraints = []model.Constraint{model.DemographicParity.For("g", 0.15)}
		r, trained, aims, err := RunToPass(t.Context(), o, HoldoutTest{Rows: 1000, Confidence: 0.95, Power: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		chosen := r.Settings[slices.IndexFunc(r.Settings, func(s *Setting) bool { return s.Chosen })]
		if level := aims.Constraints[0].(model.GroupConstraint).Level; level != brief(0.15*chosen.Inner) || aims.Power != chosen.Chance {
			t.Errorf("trained for %v with power %v, chosen %+v", level, aims.Power, chosen)
		}
		fresh, err := o.Encoding.Apply(people, nil)
		if err != nil {
			t.Fatal(err)
		}
		tested, e := evidenceOf(t, o, trained, fresh)
		passes, err := guarantee.Chance(tested, e, 1000, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("trained for %v: power %v, realised %v", aims.Constraints, aims.Power, passes)
		stated, realised = stated+aims.Power/runs, realised+passes/runs
	}
	if math.Abs(stated-realised) > most || realised < 0.8 {
		t.Errorf("a power of %.3f is stated, %.3f is realised", stated, realised)
	}
}

// TestRunToPassInterrupted ends the context during the second run, for the bound that was asked
// for. What the first one found is interrupted, too.
func TestRunToPassInterrupted(t *testing.T) {
	fresh, rows := census.Train(), census.Test()
	c, err := model.ParseConstraint("bounded-group-loss:group=72,bound=0.05") // which nothing reaches
	if err != nil {
		t.Fatal(err)
	}
	run := func(stopAt int) (r *Report, trained *classifier.Classifier, calls int) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		o := DefaultOptions()
		o.Data, o.Tolerance, o.MaxPasses, o.Constraints = rows, 0.01, 20, []model.Constraint{c}
		o.Progress = func(Progress) {
			if calls++; calls == stopAt {
				stop()
			}
		}
		r, trained, _, err := RunToPass(ctx, o, HoldoutTest{Rows: fresh.Rows(), Confidence: 0.95, Power: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		return r, trained, calls
	}
	whole, _, calls := run(0)
	if whole.Satisfied() {
		t.Fatal("the bound is reached, so that there is no second run")
	}
	for _, last := range []int{calls - 1, calls} {
		if r, trained, _ := run(last); r.Status != solver.Interrupted || trained.Training.Status != "interrupted" {
			t.Errorf("ended at %d of %d: %s, of the model %s", last, calls, r.Status, trained.Training.Status)
		}
	}
}

// TestToPass: bounds are aimed at that training may reach.
func TestToPass(t *testing.T) {
	for _, test := range []struct {
		spec        string
		rows        int
		least, most float64 // of the aim
	}{
		{"demographic-parity:group=72,bound=0.1", 16281, 0.05, 0.09},
		{"demographic-parity:group=72,bound=0.1", 200, 0.01, 0.01},
		{"rate-ratio:group=72,min=0.75", 200, 0.975, 0.975},
		{"bounded-group-loss:group=72,bound=0.5", 100, 0.25, 0.5},
		{"share:group=72,omega=0.5", 10, 0.75, 0.75},
	} {
		o := DefaultOptions()
		o.Data = census.Test()
		c, err := model.ParseConstraint(test.spec)
		if err != nil {
			t.Fatal(err)
		}
		o.Constraints, o.Tolerance = []model.Constraint{c}, 0.01
		_, trained, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		task, err := newTask(o)
		if err != nil {
			t.Fatal(err)
		}
		aims, err := task.toPass(trained, HoldoutTest{Rows: test.rows, Confidence: 0.95, Power: 0.9})
		if err != nil {
			t.Fatal(err)
		}
		if aim := aims[0].(model.GroupConstraint).Level; !(aim >= test.least-1e-12 && aim <= test.most+1e-12) {
			t.Errorf("%s on %d rows: aim %v, want from %v to %v", test.spec, test.rows, aim, test.least, test.most)
		}
	}
}

// TestTested: a test of scores says nothing about decisions.
func TestTested(t *testing.T) {
	for _, test := range []struct {
		on, spec string
		ok       bool
	}{
		{"", "bounded-group-loss:group=72,bound=0.5", true},
		{Decisions, "bounded-group-loss:group=72,bound=0.5", true},
		{Decisions, "share:group=72,omega=0.3", false},
		{Scores, "demographic-parity:group=72,bound=0.1", true},
		{"", "none", false},
	} {
		c, err := model.ParseConstraint(test.spec)
		if err != nil {
			t.Fatal(err)
		}
		o := DefaultOptions()
		o.Constraints, o.On = []model.Constraint{c}, test.on
		if _, err := o.Tested(); (err == nil) != test.ok {
			t.Errorf("%s on %q: %v", test.spec, test.on, err)
		}
	}
}
