package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/report/digits"
	"github.com/fairtrain/fairtrain/train"
)

// measure has the words for what a requirement bounds.
type measure struct {
	name        string // of a picture
	say         string // before the figure, with the group for %s
	must        string // before "at most" or "at least"
	digits.Form        // of the figure
	axis        string // of a picture
}

func (q *Requirement) measure() measure {
	of := " of " + q.Group
	if q.feature {
		of = " of group " + q.Group + " and all others"
	}
	switch name := strings.ReplaceAll(q.Measure, "_", " "); {
	case q.Measure == "equalized_odds_difference" && q.On == train.Scores:
		rates := "mean scores of positives and of negatives" + of
		return measure{"Difference of " + rates, rates + " differ by up to", rates + " must each differ by", digits.Points, "difference, in percentage points"}
	case q.Measure == "equalized_odds_difference":
		return measure{"Difference of true and false positive rates" + of, "true and false positive rates" + of + " differ by up to", "true and false positive rates" + of + " must each differ by", digits.Points, "difference, in percentage points"}
	case q.Measure == "share":
		what := "scores"
		if q.On == train.Decisions {
			what = "positive decisions"
		}
		return measure{"Share of the group " + q.Group, "the group " + q.Group + " holds, of all " + what + ",", "the group " + q.Group + " must hold, of all " + what + ",", digits.Percent, "share of all " + what}
	case q.Measure == shortfall:
		return measure{"Mean score of all others minus that of the group " + q.Group, "the mean score of the group " + q.Group + " is below that of all others by", "the mean score of the group " + q.Group + " must be below that of all others by", digits.Points, "difference, in percentage points"}
	case q.Measure == "largest_group_loss" && q.feature: // nothing is asked for all others
		return measure{"Expected error of group " + q.Group, "the expected error of group " + q.Group + " is", "the expected error of group " + q.Group + " must be", digits.Percent, "expected error"}
	case q.Measure == "largest_group_loss":
		return measure{"Expected error of the worst group" + of, "the expected error of the worst group" + of + " is", "the expected error of every group" + of + " must be", digits.Percent, "expected error"}
	case strings.HasSuffix(q.Measure, "_ratio"):
		rate := strings.TrimSuffix(name, " ratio")
		return measure{"Least " + rate + of + " divided by the largest", "the least " + rate + of + " divided by the largest is", "the least " + rate + of + " divided by the largest must be", digits.Ratio, "least rate divided by the largest"}
	case strings.HasSuffix(q.Measure, "_difference"):
		rates := strings.Replace(strings.TrimSuffix(name, " difference"), "rate", "rates", 1)
		rates = strings.Replace(rates, "score", "scores", 1)
		return measure{"Difference of " + rates + of, rates + of + " differ by", rates + of + " must differ by", digits.Points, "difference, in percentage points"}
	}
	return measure{q.Spec, q.Spec + " is", q.Spec + " must be", digits.Value, "value"}
}

// lacking says why no figure can be given for rows, of which a is.
func (q *Requirement) lacking(a *Achieved) string {
	if a.none {
		return "no decision is positive there, for anybody"
	}
	switch q.Measure {
	case "largest_group_loss", "share":
		return "nobody is there whom it is about"
	}
	return "fewer than two groups have people there whom it is about"
}

// limit says on which side of a bound a requirement is kept.
func (q *Requirement) limit() string {
	if q.AtLeast {
		return "at least "
	}
	return "at most "
}

// bounds is the bound with its side.
func (q *Requirement) bounds() string { return q.limit() + q.measure().Bound(fairness.Value(q.Bound)) }

// shortfall is what a test is about where a group is to hold its share of the rows.
const shortfall = "mean_score_shortfall"

// judgedFor is the requirement in the form in which rows were judged by it.
func (q *Requirement) judgedFor(a Achieved) *Requirement {
	r := *q
	r.Bound = float64(a.Bound)
	if a.Measure != "" {
		r.Measure, r.AtLeast = a.Measure, false
	}
	return &r
}

// outward is how a limit is rounded that a test has shown.
func (q *Requirement) outward() digits.Direction {
	if q.AtLeast {
		return digits.Downward
	}
	return digits.Upward
}

// asked says what a requirement asks for.
func (q *Requirement) asked() string { return sentence(q.measure().must + " " + q.bounds()) }

// achieved says what was found on the rows of a result, and in which groups, and what was asked.
func achieved(q *Requirement, result int) string {
	a := q.Results[result]
	q = q.judgedFor(a)
	m := q.measure()
	value, asked := m.Beside(a.Value, a.Bound, q.AtLeast, digits.Nearest)
	text := fmt.Sprintf("%s %s (asked: %s)", m.say, value, q.limit()+asked)
	if by := a.furthestApart(); by != "" {
		text += "; " + by
	}
	return text
}

// sentence begins with a capital letter.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if first == utf8.RuneError {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

const undefined = digits.Undefined

// percent writes a share with one decimal, or with more where one decimal would look like
// none or all.
func percent(v fairness.Value) string { return digits.Percent.Text(v) }

// percentOf writes a confidence with as many digits as it has.
func percentOf(v float64) string { return strconv.FormatFloat(100*v, 'g', 10, 64) + " %" }

// signed writes a change in percentage points.
func signed(v fairness.Value) string {
	text := digits.Points.Text(v)
	if number, _ := strconv.ParseFloat(strings.TrimSuffix(text, digits.Points.Unit), 64); number > 0 {
		text = "+" + text
	}
	return strings.Replace(text, "-", "−", 1)
}

// interval writes a figure's interval, "" if it has none.
func interval(e fairness.Estimate, text func(fairness.Value) string) string {
	if !e.Low.Defined() || !e.High.Defined() {
		return ""
	}
	low := strings.TrimSuffix(strings.TrimSuffix(text(e.Low), " %"), " points")
	return low + " to " + text(e.High)
}

// thousands writes a number with commas.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for k := len(text) - 3; k > 0; k -= 3 {
		text = text[:k] + "," + text[k:]
	}
	return text
}

func and(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
