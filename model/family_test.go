package model_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/model"
)

// recount is the value of a specification by its words: what it says of rates of decisions that are
// counted row by row. It is not ok if there is nothing to compare.
func recount(d *dataset.Dataset, decisions []float64, c model.GroupConstraint) (value float64, ok bool) {
	rate := func(name string, in func(i int) bool) (float64, bool) {
		sum, total := 0.0, 0.0
		for i, y := range d.Y {
			if !in(i) || name == "tpr" && y < 0 || (name == "fpr" || name == "tnr") && y > 0 {
				continue
			}
			hit := decisions[i] > 0
			switch name {
			case "tnr":
				hit = !hit
			case "accuracy":
				hit = hit == (y > 0)
			case "error_rate":
				hit = hit != (y > 0)
			}
			w := 1.0
			if d.Weights != nil && c.Kind != model.HeldShare {
				w = d.Weights[i]
			}
			if total += w; hit {
				sum += w
			}
		}
		return sum / total, total > 0
	}
	all := func(int) bool { return true }
	// parts are the rows of each value of a column, or of one and of the others.
	parts := func(spec string, others bool) (in []func(int) bool) {
		column, value, one := strings.Cut(spec, "=")
		if column == "" {
			return append(in, all)
		}
		a := d.Attribute(column)
		for code, level := range a.Levels {
			if !one || level == value {
				in = append(in, func(i int) bool { return a.Codes.At(i) == code })
			}
		}
		if one && others {
			in = append(in, func(i int) bool { return a.Levels[a.Codes.At(i)] != value })
		}
		return in
	}
	if c.Kind == model.HeldShare {
		in := parts(c.Group, false)[0]
		held, sum := 0.0, 0.0
		for i, v := range decisions {
			sum += v
			if in(i) {
				held += v
			}
		}
		return held / sum, true
	}
	var values []float64
	for _, r := range c.Rates() {
		found := false
		for _, level := range parts(c.Within, true) {
			var rates []float64
			for _, group := range parts(c.Group, c.Kind.Compares()) {
				if v, ok := rate(r.Name, func(i int) bool { return level(i) && group(i) }); ok {
					rates = append(rates, v)
				}
			}
			if len(rates) < 2 && c.Kind.Compares() || len(rates) == 0 {
				continue
			}
			low, high := slices.Min(rates), slices.Max(rates)
			found = true
			switch {
			case c.Kind == model.Difference:
				values = append(values, high-low)
			case c.Kind == model.Ratio && high == 0:
				values = append(values, 1)
			case c.Kind == model.Ratio:
				values = append(values, low/high)
			case c.Kind == model.AtLeast:
				values = append(values, low)
			default:
				values = append(values, high)
			}
		}
		if !found {
			return 0, false
		}
	}
	if c.Kind.FromBelow() {
		return slices.Min(values), true
	}
	return slices.Max(values), true
}

// TestFamiliesAreTheirDefinitions: of random decisions, the value of a requirement of every family
// is what its rows say, counted one by one; and it holds where the value is within the bound, but for
// groups of which one decision is more than it.
func TestFamiliesAreTheirDefinitions(t *testing.T) {
	judged := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		d := people(t)
		rows := d.Rows()
		codes := rapid.SliceOfN(rapid.IntRange(0, 2), rows, rows).Draw(t, "h")
		h := dataset.Attribute{Name: "h", Levels: []string{"x", "y", "z"}, Codes: dataset.CodesOf(codes...)}
		d.Attributes = append(d.Attributes, h)
		f := rapid.SampledFrom(model.Families).Draw(t, "family")
		c := f.For("g", rapid.Float64Range(0.05, 0.95).Draw(t, "level"))
		if f.Of != nil {
			c.Rate = rapid.SampledFrom(f.Of).Draw(t, "rate")
		}
		if f.Kind == model.HeldShare || rapid.Bool().Draw(t, "one group") {
			c.Group = "g=" + d.Attributes[0].Levels[0]
		} else if f.Everyone && rapid.Bool().Draw(t, "everyone") {
			c.Group = ""
		}
		if f.Kind != model.HeldShare {
			c.Within = rapid.SampledFrom([]string{"", "h", "h=" + h.Levels[0]}).Draw(t, "within")
		}
		if again, err := model.ParseConstraint(c.String()); err != nil || again != model.Constraint(c) {
			t.Fatalf("%s is read as %v, %v", c, again, err)
		}
		decisions := drawValues(t, rows, model.Decisions)
		want, ok := recount(d, decisions, c)
		r, err := model.NewRequirement(c, d, model.Decisions)
		if err != nil {
			if ok && !strings.Contains(err.Error(), "belong") && !strings.Contains(err.Error(), "only") {
				t.Fatalf("%s: %v, want the value %v", c, err, want)
			}
			return
		}
		judged[f.Name]++
		j := r.Judge(decisions)
		const rounding = 1e-9
		if j.Undefined {
			if slices.Max(decisions) > 0 && f.Kind == model.HeldShare {
				t.Fatalf("%s is undefined", c)
			}
			return
		}
		if !ok || math.Abs(j.Achieved-want) > rounding {
			t.Fatalf("%s has the value %v, want %v, %v", c, j.Achieved, want, ok)
		}
		within := want <= c.Level
		if f.Kind.FromBelow() {
			within = want >= c.Level
		}
		if holds := j.Excess <= 0; holds != within && len(j.WithinOneDecision) == 0 && math.Abs(want-c.Level) > rounding {
			t.Fatalf("%s with the value %v holds: %v (excess %v)", c, want, holds, j.Excess)
		}
	})
	for _, f := range model.Families {
		if judged[f.Name] == 0 && !testing.Short() { // of few draws some families have none
			t.Errorf("%s was never judged", f.Name)
		}
	}
}

// TestFamiliesSayWhatIsWrong.
func TestFamiliesSayWhatIsWrong(t *testing.T) {
	for spec, want := range map[string]string{
		"min-rate:group=g,min=0.9":                         "of is missing, want a form like min-rate:group=sex,of=tpr,min=0.7",
		"min-rate:group=g,of=recall,min=0.9":               `of is "recall", must be tpr, selection_rate, tnr, accuracy`,
		"min-rate:group=g,of=tpr,bound=0.9":                `unknown key "bound", want group, of, min, within, min-rows`,
		"max-selection:bound=1.5":                          `bound is "1.5", must be a number in (0, 1)`,
		"error-parity:bound=0.1":                           "group is missing",
		"share:group=1,omega=0.3,within=g":                 `unknown key "within", want group, omega`,
		"demographic-parity:group=g,bound=0.1,within==a":   `within "=a" names no column`,
		"demographic-parity:group=g,bound=0.1,within=":     "within has no value",
		"demographic-parity:group=g,bound=0.1,within=nope": `has no attribute "nope", it has "g"`,
		"demographic-parity:group=g,bound=0.1,within=g":    "no level of g has rows of two groups",
	} {
		c, err := model.ParseConstraint(spec)
		if err == nil {
			_, err = model.NewRequirement(c, random(100, 3, 1), model.Decisions)
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), spec) {
			t.Errorf("%s: error %q, want %s", spec, fmt.Sprint(err), want)
		}
	}
}
