package model_test

import (
	"slices"
	"testing"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/model"
)

// TestNoRowOfLabel leaves out groups of which no row counts, in training too; there is no requirement if
// only one group is left.
func TestNoRowOfLabel(t *testing.T) {
	d := &dataset.Dataset{Name: "held out", Attributes: []dataset.Attribute{{
		Name: "g", Levels: []string{"a", "b", "c"}, Codes: dataset.CodesOf(0, 1, 2),
	}}}
	var b sparse.Builder
	for _, label := range []int8{1, 1, -1} {
		b.Add(label, []int{0}, nil)
	}
	d.X, d.Y = b.Finish(1)
	r, err := model.NewRequirement(model.EqualOpportunity.For("g", 0.1), d, model.Decisions)
	if err != nil || !slices.Equal(r.Unjudged, []string{"g=c"}) {
		t.Errorf("without the group c: %+v, error %v", r, err)
	}
	if rows, err := model.EqualOpportunity.For("g", 0.1).Inequalities(d); err != nil || len(rows) != 2 {
		t.Errorf("%d inequalities of a and b, error %v", len(rows), err)
	}
	for _, c := range []model.Constraint{model.EqualizedOdds.For("g", 0.1), model.RateRatio.For("h", 0.8), model.Share.For("h", 0.5)} {
		if r, err := model.NewRequirement(c, d, model.Decisions); err == nil || r != nil {
			t.Errorf("%s: requirement %+v, error %v", c, r, err)
		}
	}
}

// TestWithout names groups that other rows have and these have not.
func TestWithout(t *testing.T) {
	rows := func(groups ...int) *dataset.Dataset {
		var b sparse.Builder
		for k := range groups {
			b.Add([]int8{1, -1}[k%2], []int{0}, nil)
		}
		d := &dataset.Dataset{Name: "rows", Attributes: []dataset.Attribute{{Name: "g", Levels: []string{"a", "b", "c"}, Codes: dataset.CodesOf(groups...)}}}
		d.X, d.Y = b.Finish(1)
		return d
	}
	all, some := rows(0, 0, 1, 1, 2, 2), rows(0, 0, 1, 1, 0, 2) // the last one of c is negative
	none := rows(0, 0, 1, 1)
	for _, test := range []struct {
		c    model.Constraint
		on   *dataset.Dataset
		want []string
	}{
		{model.DemographicParity.For("g", 0.1), all, nil},
		{model.DemographicParity.For("g", 0.1), none, []string{"g=c"}},
		{model.EqualOpportunity.For("g", 0.1), some, []string{"g=c"}},
		{model.EqualizedOdds.For("g", 0.1), none, []string{"g=c"}},
		{model.BoundedGroupLoss.For("g", 0.1), none, []string{"g=c"}},
	} {
		asked, err := model.NewRequirement(test.c, all, model.Scores)
		if err != nil {
			t.Fatal(err)
		}
		held, err := model.NewRequirement(test.c, test.on, model.Scores)
		if err != nil {
			t.Fatal(err)
		}
		if got := held.Without(asked); !slices.Equal(got, test.want) {
			t.Errorf("%s: without %v, want %v", test.c, got, test.want)
		}
	}
}
