package words

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/train"
)

// Warnings are what a reader of the verdict on a run must know, the most important first.
func Warnings(r *train.Report) []string {
	list := []string{}
	say := func(text string) {
		if text != "" {
			list = append(list, text)
		}
	}
	sets := judgedSets(r)
	say(Trivial(r))
	if len(r.InOneFold) > 0 {
		say(fmt.Sprintf("Too few rows of %s for cross-validation: nothing is known of decisions on unseen rows. merge in a schema joins small groups.", And(r.InOneFold)))
	}
	say(Leaks(r.Leaks))
	say(Proxies(r.Proxies))
	for _, s := range sets {
		if positives := s.Positives / (s.Positives + s.Negatives); r.Costs == nil {
			say(NoBetter(People(s.role, s.Rows), s.Rows, s.Accuracy, max(positives, 1-positives), s.SelectionRate, positives))
		}
	}
	for k := range r.Shifts {
		say(Shift(&r.Shifts[k], ""))
	}
	const roundoff = 1e-9
	if r.Train.TPR >= 1-roundoff && r.Train.FPR <= roundoff {
		say("Every decision on the training rows is correct, as it will hardly be for other people: held-out rows (--validation, --test) show that. Weights have no natural size then; a penalty (--l2) gives them one.")
	}
	if r.Weighted {
		say("The rows have weights: rates and accuracies count each row by its weight.")
	}
	for _, l := range r.LeftOut {
		for _, text := range LeftOut(l) {
			say(text + ".")
		}
	}
	return list
}

// judgedSet is rows with labels.
type judgedSet struct {
	role Role
	*train.Figures
}

func judgedSets(r *train.Report) []judgedSet {
	return slices.DeleteFunc([]judgedSet{{Training, r.Train}, {Validation, r.Validation}, {Held, r.Test}}, func(s judgedSet) bool {
		return s.Figures == nil || !s.Accuracy.Defined()
	})
}

// Trivial says, before any verdict, that decisions are constant or nearly so, and what may change
// that; "" if they are not.
func Trivial(r *train.Report) string {
	const enough = 30 // of others than those trained on
	list := Findings(r)
	for _, s := range judgedSets(r) {
		text := Constant(People(s.role, s.Rows), float64(s.SelectionRate), s.Rows, list)
		if text == "" || s.role != Training && s.Rows < enough {
			continue
		}
		positives := s.Positives / (s.Positives + s.Negatives)
		if len(list) > 0 && slices.ContainsFunc(Costs(r), func(c Cost) bool { // the baseline decides otherwise
			return c.Role == s.role && math.Abs(float64(c.Gain)) > 0.01
		}) {
			text += " The constraint is the reason: a looser bound"
			if slices.ContainsFunc(list, func(f Finding) bool { return f.Group != "" }) {
				text += ", larger groups (group=COLUMN=A|B, or merge in a schema) or min-rows=N in it"
			}
			return text + " may lead to other decisions."
		}
		more, of := "more", "lower"
		if s.SelectionRate > 0.5 {
			more, of = "fewer", "higher"
		}
		return fmt.Sprintf("%s %s of them have the positive label: a %s --threshold, such as %.2g, selects %s.",
			text, Percent.Text(positives), of, float64(positives), more)
	}
	return ""
}

// LeftOut says which rows a comparison of groups is not about.
func LeftOut(l dataset.LeftOut) (texts []string) {
	if l.InNone > 0 {
		texts = append(texts, fmt.Sprintf("the groups of %s leave out %d of the %d rows: the comparison is not about these people", l.Groups, l.InNone, l.Rows))
	}
	if l.Unknown > 0 {
		texts = append(texts, fmt.Sprintf("%d of the %d rows lack a value that %s is about, and count as others", l.Unknown, l.Rows, l.Groups))
	}
	return texts
}

// Drift says what rows have that the training rows had not, or far less often. An example is a
// value of a person.
func Drift(d *encoding.Drift, withExample bool) string {
	of := fmt.Sprintf("%s: %d of %d rows ", d.Column, d.Rows, d.Of)
	switch d.Kind {
	case encoding.NewLevels:
		example := ""
		if withExample {
			example = fmt.Sprintf(" such as %q,", d.Example)
		}
		return of + "have values not seen in training," + example + " which count as no level"
	case encoding.NewlyMissing:
		as := "average ones"
		if d.IsCategory {
			as = "no level"
		}
		return of + "have no value, unlike nearly all training rows, and count as " + as
	case encoding.OutOfRange, encoding.FarOut:
		const few = 2 // rows that may be unusual without another unit
		far := ""
		if d.Kind == encoding.FarOut {
			far = "far "
		}
		text := of + fmt.Sprintf("are "+far+"outside %s–%s, the range of the training rows", numparse.Format(d.Range[0]), numparse.Format(d.Range[1]))
		if d.Rows > d.Of/2 && (d.Kind == encoding.FarOut || d.Of > few) {
			text += ": perhaps it is in another unit"
		}
		return text
	case encoding.NewGroups:
		return of + "are of groups not seen in training, or hardly"
	case encoding.RareLevels:
		return of + fmt.Sprintf("have values that were rare in training, or not there: %.2g %% of its rows had such", 100*d.TrainingShare)
	default:
		return fmt.Sprintf("%s has the mean %.4g and the standard deviation %.4g here, %.4g and %.4g in training: perhaps it is in another unit",
			d.Column, d.Mean, d.SD, d.TrainingMean, d.TrainingSD)
	}
}

// Leaks says what columns that alone tell the label mean; "" if there are none.
func Leaks(leaks []classifier.Leak) string {
	var names []string
	for _, l := range leaks {
		names = append(names, fmt.Sprintf("%s (AUC %.3f)", l.Column, l.AUC))
	}
	const meaning = " If that is known only after the decision, or is the label in other words, the model is of no use for new people."
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0] + " alone tells the label." + meaning
	}
	return "Each of these columns alone tells the label: " + strings.Join(names, ", ") + "." + meaning
}

// Proxies names strong proxies for sensitive attributes; "" if there are none.
func Proxies(proxies []classifier.Proxy) string {
	var names []string
	for _, p := range proxies {
		names = append(names, fmt.Sprintf("%s for %s (AUC %.3f)", p.Column, p.Group, p.AUC))
	}
	const most = 5
	if n := len(names); n > most {
		names = append(names[:most], fmt.Sprintf("%d more", n-most))
	}
	if names == nil {
		return ""
	}
	return "The model has strong proxies for a sensitive attribute that is excluded: " +
		And(names) + ". Without them (--drop) it does not know the groups."
}

// Shift says by which category decisions differ; about stands before numbers of people that are
// rounded.
func Shift(s *classifier.Shift, about string) string {
	rate := func(v float64) string { return Percent.Text(fairness.Value(v)) }
	level := func(l classifier.LevelRate) string {
		return fmt.Sprintf("%s for %s (%s%s training rows)", rate(l.Rate), l.Level, about, Thousands(l.Rows))
	}
	return fmt.Sprintf("The constraint shifts decisions by %s, which it does not bound: selection rates go from %s to %s. In the unconstrained baseline they go from %s to %s.",
		s.Column, level(s.Lowest), level(s.Highest), rate(s.FreeLowest), rate(s.FreeHighest))
}
