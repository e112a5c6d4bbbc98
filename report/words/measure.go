package words

import (
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/train"
)

// Measure has the words for what a constraint bounds.
type Measure struct {
	Name string // in a heading
	say  string // before the figure: "selection rates of sex differ by"
	must string // before "at most" or "at least"
	Form        // of the figure
	Axis string // of a picture
}

// Shortfall is what a test is about where a group is to have its share of the rows.
const Shortfall = "mean_score_shortfall"

// Words are the words for the measure of the finding.
func (f *Finding) Words() Measure {
	of := ofGroups(f.Group)
	name := strings.ReplaceAll(f.Measure, "_", " ")
	differ := func(rates, by string) Measure {
		return Measure{"Difference of " + rates, rates + " differ by" + by, rates + " must differ by", Points, "difference, in percentage points"}
	}
	is := func(what string, form Form, axis string) Measure {
		return Measure{Capital(what), what + " is", what + " must be", form, axis}
	}
	switch {
	case f.Measure == "equalized_odds_difference" && f.On == train.Scores:
		return differ("mean scores of positives and of negatives"+of, " up to")
	case f.Measure == "equalized_odds_difference":
		return differ("true and false positive rates"+of, " up to")
	case f.Measure == "share":
		return is("the share of group "+f.Group+" in all "+f.shared(), Percent, "share in all "+f.shared())
	case f.Measure == "largest_group_loss":
		return is("the largest expected error by"+strings.TrimPrefix(of, " of"), Percent, "expected error")
	case strings.HasSuffix(f.Measure, "_ratio"):
		return is("the lowest "+strings.TrimSuffix(name, " ratio")+of+" divided by the highest",
			Ratio, "lowest rate divided by the highest")
	case strings.HasSuffix(f.Measure, "_difference"):
		rates := strings.Replace(strings.TrimSuffix(name, " difference"), "rate", "rates", 1)
		return differ(strings.Replace(rates, "score", "scores", 1)+of, "")
	}
	if f.Measure == "value" {
		return is(f.Spec, Decimal, "value")
	}
	return is("the "+name+of, Percent, name)
}

// ofGroups is " of sex", empty for all rows.
func ofGroups(spec string) string {
	if spec == "" { // all rows
		return ""
	}
	if _, err := strconv.Atoi(spec); err == nil { // the number of a feature
		return " of group " + spec
	}
	return " of " + spec
}

// shared is what a share is of.
func (f *Finding) shared() string {
	if f.On == train.Decisions {
		return "positive decisions"
	}
	return "scores"
}

// Short is the measure in a table: "selection rate difference of sex".
func (f *Finding) Short() string {
	switch f.Measure {
	case "share":
		return "share of " + f.Group + " in " + f.shared()
	case "value":
		return f.Spec
	}
	short := strings.ReplaceAll(f.Measure, "_", " ")
	if f.Group != "" {
		short += " of " + f.Group
	}
	return short
}

// lacking says why the value is undefined.
func (f *Finding) lacking(v *Value) string {
	if v.Nobody {
		return "no decision is positive there"
	}
	if f.isRate() || f.Measure == "share" {
		return "they have nobody of the group"
	}
	return "fewer than two groups have such people there"
}

// compares reports whether the measure is a difference or ratio of the rates of groups.
func (f *Finding) compares() bool {
	return strings.HasSuffix(f.Measure, "_difference") || strings.HasSuffix(f.Measure, "_ratio")
}

// isRate reports whether the measure is a rate itself, that of the worst group, and not a difference or
// ratio of rates.
func (f *Finding) isRate() bool {
	return !f.compares() && f.Measure != "share" && f.Measure != "value"
}

// Limit says on which side of its bound a constraint is met.
func (f *Finding) Limit() string {
	if f.AtLeast {
		return "at least "
	}
	return "at most "
}

// Bounds is the bound with its side.
func (f *Finding) Bounds() string {
	return f.Limit() + f.Words().Form.Bound(fairness.Value(f.Bound))
}

// Outward is how the confidence limit of a test is rounded.
func (f *Finding) Outward() Direction {
	if f.AtLeast {
		return Downward
	}
	return Upward
}

// ConfidenceLimit is the limit of a test that the value is of.
func (f *Finding) ConfidenceLimit(v Value) fairness.Value {
	if f.AtLeast {
		return v.Low
	}
	return v.High
}
