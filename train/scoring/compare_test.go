package scoring_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train/scoring"
	"github.com/fairtrain/fairtrain/train/scoring/scoringtest"
)

// TestChanges: rows here, rows in shards and the margins of rows say the same. Rows that lack a group
// are passed over.
func TestChanges(t *testing.T) {
	d := census.Train()
	lacking := d.Pick([]int{0}, "a single row")
	c := scoringtest.Classifier(d)
	c.Unconstrained = slices.Clone(c.Weights)
	c.Unconstrained[70] += 2 // feature 71
	c.UnconstrainedIntercept = new(c.Intercept - 0.3)
	constraints := []model.Constraint{model.EqualizedOdds.For("71", 0.1), model.DemographicParity.For("64", 0.1)}
	on := func(model.Constraint) string { return model.Decisions }
	var margins [2][]float64
	for side, by := range []*classifier.Classifier{c.Before(), c} {
		margins[side] = make([]float64, d.Rows())
		if err := by.Scores(margins[side], d.X); err != nil {
			t.Fatal(err)
		}
		floats.AddConst(-by.Threshold, margins[side])
	}
	rows := []scoring.Rows{{Role: "a", Data: lacking}, {Role: "b", Data: d}}
	here, err := scoring.Changes(c, constraints, on, rows...)
	if err != nil {
		t.Fatal(err)
	}
	people := here.People
	if people.Role != "b" || len(people.Groups) != 4 || people.All.Changed() == 0 || len(here.SideEffects) != 3+4 {
		t.Errorf("%+v with %d side effects", here.People, len(here.SideEffects))
	}
	for name, rows := range map[string]scoring.Rows{
		"in shards":  {Role: "b", Data: scoringtest.Sampled(d), Shards: scoringtest.InShards(d)},
		"by margins": {Role: "b", Data: d, Margins: margins},
	} {
		got, err := scoring.Changes(c, constraints, on, rows)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(here, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			t.Errorf("-here +%s:\n%s", name, diff)
		}
	}
	everybody := []model.Constraint{model.MaxSelection.For("", 0.2)}
	all, err := scoring.Changes(c, everybody, on, rows...)
	if err != nil || all.People.Role != "a" || len(all.People.Groups)+len(all.SideEffects) > 0 {
		t.Errorf("%v: %+v without groups", err, all)
	}
	if c.UnconstrainedIntercept = nil; c.Before() != nil { // as in older files
		t.Error("decisions before, of which nothing is known")
	}
}
