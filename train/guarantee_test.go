package train

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/model"
)

func TestToGuarantee(t *testing.T) {
	for spec, want := range map[string]guarantee.Requirement{
		"demographic-parity:group=71,bound=0.02": {Kind: guarantee.MaxDifference, Group: "71", Bound: 0.02},
		"equal-opportunity:group=71,bound=0.02":  {Kind: guarantee.MaxDifference, Group: "71", Bound: 0.02, Labels: []int8{1}},
		"equalized-odds:group=71,bound=0.02":     {Kind: guarantee.MaxDifference, Group: "71", Bound: 0.02, Labels: []int8{1, -1}},
		"rate-ratio:group=71,min=0.8":            {Kind: guarantee.MinRatio, Group: "71", Bound: 0.8},
		"bounded-group-loss:group=71,bound=0.3":  {Kind: guarantee.MaxRate, Rate: guarantee.Wrong, Scores: true, Group: "71", Bound: 0.3},
		"share:group=71,omega=0.3":               {Kind: guarantee.MinShare, Group: "71", Bound: 0.3},
		"share:group=71,omega=share":             {Kind: guarantee.MinShare, Group: "71"},
	} {
		c, err := model.ParseConstraint(spec)
		if err != nil {
			t.Fatal(err)
		}
		want.Spec, want.Cells = spec, want.Group
		for _, on := range []string{Decisions, Scores} {
			want.Scores = on == Scores
			got, err := ToGuarantee(c, on)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s on %s: %v\n%s", spec, on, err, diff)
			}
		}
	}
	if r, err := ToGuarantee(model.Unconstrained(), Decisions); err == nil {
		t.Errorf("no constraint is %+v", r)
	}
}
