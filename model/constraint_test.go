package model_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/internal/datatest"
	"github.com/fairtrain/fairtrain/model"
)

// scores are σ(a_iᵀx) at a random x, and the members of the group of feature 1.
func scores(s *dataset.Dataset) (sigma []float64, member []bool) {
	r := rand.New(rand.NewPCG(9, 9))
	x := make([]float64, s.Features())
	for j := range x {
		x[j] = r.NormFloat64()
	}
	for i := range s.Rows() {
		t, in := 0.0, false
		for j, v := range s.X.Row(i) {
			t += v * x[j]
			in = in || j == 0
		}
		sigma = append(sigma, 1/(1+math.Exp(-t)))
		member = append(member, in)
	}
	return sigma, member
}

// evaluate returns (1/|S|) Σ w_i σ_i + b for every row of the constraint.
func evaluate(t *testing.T, c model.Constraint, s *dataset.Dataset, sigma []float64) []float64 {
	t.Helper()
	rows, err := c.Inequalities(s)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float64, len(rows))
	for k, row := range rows {
		for i := range sigma {
			values[k] += row.Of(i) * sigma[i] / float64(len(sigma))
		}
		values[k] += row.Constant
	}
	return values
}

// TestConstraintsAreTheirDefinitions compares weights with what they are to express.
func TestConstraintsAreTheirDefinitions(t *testing.T) {
	s := random(200, 6, 4)
	sigma, member := scores(s)
	var all, group, members float64
	for i, sig := range sigma {
		all += sig
		if member[i] {
			group += sig
			members++
		}
	}
	n := float64(s.Rows())
	difference := group/members - (all-group)/(n-members)
	for _, test := range []struct {
		constraint model.Constraint
		want       []float64
	}{
		{model.Share.For("1", 0.3), []float64{(0.3*all - group) / n}},
		// The group's mean score is at least that of all: weighted by the group's size.
		{model.Share.For("1", 0), []float64{members / n * (all/n - group/members)}},
		{model.DemographicParity.For("1", 0.02), []float64{difference - 0.02, -difference - 0.02}},
		{model.Unconstrained(), []float64{-1}},
	} {
		got := evaluate(t, test.constraint, s, sigma)
		if len(got) != len(test.want) {
			t.Errorf("%s has %d rows, want %d", test.constraint, len(got), len(test.want))
			continue
		}
		for k := range got {
			if !(math.Abs(got[k]-test.want[k]) <= 1e-14) {
				t.Errorf("%s: row %d is %v, want %v", test.constraint, k, got[k], test.want[k])
			}
		}
	}
}

func TestParseConstraint(t *testing.T) {
	for spec, want := range map[string]model.Constraint{
		"share:group=71,omega=0.3":                model.Share.For("71", 0.3),
		"share:omega=share,group=71":              model.Share.For("71", 0),
		"demographic-parity:group=2,bound=0":      model.DemographicParity.For("2", 0),
		"demographic-parity:group=2,bound=0.125":  model.DemographicParity.For("2", 0.125),
		"none":                                    model.Unconstrained(),
		"rate-ratio:group=age[25,45]*sex,min=0.8": model.RateRatio.For("age[25,45]*sex", 0.8),
		"share:omega=0.3,group=job=cook, or chef": model.Share.For("job=cook, or chef", 0.3),
	} {
		got, err := model.ParseConstraint(spec)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		if diff := cmp.Diff(want.String(), got.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", spec, diff)
		}
	}
}

// TestParseConstraintSaysWhatIsAllowed tests that every error names the specification and
// the way out.
func TestParseConstraintSaysWhatIsAllowed(t *testing.T) {
	for spec, want := range map[string]string{
		"":                                     `unknown kind ""; known are bounded-group-loss, demographic-parity, equal-opportunity, equalized-odds, error-parity, max-selection, min-rate, none, predictive-equality, rate-ratio, share`,
		"shares:group=1":                       `unknown kind "shares"; known are bounded-group-loss, demographic-parity, equal-opportunity, equalized-odds, error-parity, max-selection, min-rate, none, predictive-equality, rate-ratio, share`,
		"share":                                `"" is not KEY=VALUE, want a form like share:group=71,omega=0.3`,
		"share:group":                          `"group" is not KEY=VALUE`,
		"share:group=1":                        `omega is missing`,
		"share:group=1,omega=0.3,bound=1":      `unknown key "bound", want group, omega`,
		"share:group=1,group=2,omega=0.3":      `group is given twice`,
		"share:group=,omega=0.3":               `group has no value`,
		"share:group=1,omega=0":                `omega is "0", must be a number in (0, 1) or the word share`,
		"share:group=1,omega=1":                `omega is "1", must be`,
		"share:group=1,omega=NaN":              `omega is "NaN", must be`,
		"demographic-parity:group=1":           `bound is missing`,
		"demographic-parity:group=1,bound=":    `bound has no value`,
		"demographic-parity:group=1,bound=1":   `bound is "1", must be a number in [0, 1), want`,
		"demographic-parity:group=1,bound=7%":  `bound is "7%", must be a number in [0, 1)`,
		"rate-ratio:group=1,min=80":            `must be a number in (0, 1]`,
		"demographic-parity:group=1,bound=nan": `must be a number in [0, 1), want`,
		"none:group=1":                         `none has no keys`,
	} {
		c, err := model.ParseConstraint(spec)
		if err == nil {
			t.Errorf("%q: parsed as %s", spec, c)
			continue
		}
		if !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), spec) {
			t.Errorf("%q: error %q, want the specification and %q", spec, err, want)
		}
	}
}

// TestSpecificationsReadBack tests that String writes what ParseConstraint reads.
func TestSpecificationsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		group := rapid.StringMatching(`[1-9][0-9]{0,8}|[a-z]+=[A-Za-z ]+(\*[a-z]+(=[<>0-9=]+|\[[0-9]+,[0-9]+\]))?`).Draw(t, "group")
		level := rapid.Float64Range(math.SmallestNonzeroFloat64, math.Nextafter(1, 0)).Draw(t, "level")
		want := rapid.SampledFrom([]model.Constraint{
			model.Share.For(group, level),
			model.Share.For(group, 0),
			model.DemographicParity.For(group, level),
			model.EqualOpportunity.For(group, level),
			model.EqualizedOdds.For(group, level),
			model.RateRatio.For(group, level),
			model.BoundedGroupLoss.For(group, level),
		}).Draw(t, "constraint")
		got, err := model.ParseConstraint(want.String())
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Fatalf("%s was read as %s", want, got)
		}
	})
}

var constraintSeeds = []string{
	"share:group=71,omega=0.3", "demographic-parity:group=2,bound=1e-3", "none", "share:,=:omega=share",
}

func FuzzParseConstraint(f *testing.F) { datatest.Fuzz(f, constraintSeeds, checkConstraint) }

// checkConstraint expects that a constraint that is read can be written and read again.
func checkConstraint(t *testing.T, spec string) {
	c, err := model.ParseConstraint(spec)
	if err != nil {
		return
	}
	again, err := model.ParseConstraint(c.String())
	if err != nil || again != c {
		t.Errorf("%q is %s, which reads back as %v, %v", spec, c, again, err)
	}
}
