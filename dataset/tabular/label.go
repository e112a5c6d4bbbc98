package tabular

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// Class returns the class of a value, −1 or +1, and 0 for a value without a meaning.
func (l LabelSpec) Class(value string) int8 {
	switch {
	case hasLabel(l.Positive, value):
		return 1
	case hasLabel(l.Negative, value) || len(l.Negative) == 0:
		return -1
	}
	return 0
}

// Names returns the class of a value that is in the lists, in any spelling, and 0 for others:
// conditions of numbers don't count.
func (l LabelSpec) Names(value string) int8 {
	switch {
	case isLabel(l.Positive, value):
		return 1
	case isLabel(l.Negative, value):
		return -1
	}
	return 0
}

// Rule describes which values mean −1 and which +1.
func (l LabelSpec) Rule() string {
	negative := "others"
	switch conditions := OtherNumbers(l.Positive, nil); {
	case len(conditions) > 1 && slices.Equal(l.Negative, conditions): // each of which positive numbers may meet, too
		negative = "other numbers"
	case len(l.Negative) > 0:
		negative = textfile.QuoteAll(l.Negative)
	}
	return fmt.Sprintf("%s: %s → −1, %s → +1", l.Column, negative, textfile.QuoteAll(l.Positive))
}

// Completed fills in which levels mean +1, if that is clear, and which mean −1.
func (l LabelSpec) Completed(levels []string) LabelSpec {
	levels = slices.DeleteFunc(slices.Clone(levels), func(level string) bool { return hasLabel(l.Skip, level) })
	if len(l.Positive) == 0 && twoLabels(levels) {
		l.Positive = positiveOf(DistinctLabels(levels))
	}
	if len(l.Positive) == 0 || len(l.Negative) > 0 {
		return l
	}
	if l.Negative = OtherNumbers(l.Positive, levels); l.Negative != nil {
		return l // the conditions cover all numbers
	}
	l.Positive = slices.Clone(l.Positive)
	for _, level := range levels {
		switch {
		case slices.Contains(l.Positive, level):
		case isLabel(l.Positive, level): // in another spelling
			l.Positive = append(l.Positive, level)
		default:
			l.Negative = append(l.Negative, level)
		}
	}
	return l
}

// positiveOf returns the level, of two, that means +1; nil if that is not clear.
func positiveOf(levels []string) []string {
	if values, _, _, ok := numparse.ReadAll(levels, 0); ok && values[1] != values[2] {
		if values[1] > values[2] {
			return levels[:1]
		}
		return levels[1:]
	}
	if word, ok := PositiveWord(levels); ok {
		return []string{word}
	}
	return nil
}

// labelKey is what is compared of a label's value: not its case, nor how a number is written.
// Programs write 1 as 1.0 where labels are missing. The test rows of Adult have a point behind
// their labels.
func labelKey(value string) string {
	if number, ok := numparse.ParsePlain(value); ok {
		return numparse.Format(number + 0) // −0 is 0
	}
	return strings.ToLower(strings.TrimSuffix(value, "."))
}

// hasLabel reports whether a value is one of a list, or a number that meets one of its conditions.
func hasLabel(list []string, value string) bool {
	return isLabel(list, value) || slices.ContainsFunc(list, func(v string) bool { return meets(value, v) })
}

// isLabel reports whether a value is one of a list, in any spelling.
func isLabel(list []string, value string) bool {
	return slices.Contains(list, value) || slices.ContainsFunc(list,
		func(v string) bool { return labelKey(v) == labelKey(value) })
}

// complements are the conditions of all other numbers.
var complements = map[string]string{">=": "<", "<=": ">", ">": "<=", "<": ">="}

// condition cuts a label such as ">0" or "<= 3.5". It is not ok if that is no condition of numbers,
// such as ">50K".
func condition(label string) (comparison string, bound float64, ok bool) {
	for _, comparison := range []string{">=", "<=", ">", "<"} { // the longer ones first
		if rest, found := strings.CutPrefix(label, comparison); found {
			bound, ok = numparse.ParsePlain(strings.TrimSpace(rest))
			return comparison, bound, ok
		}
	}
	return "", 0, false
}

// meets reports whether a value is a number that meets a condition.
func meets(value, label string) bool {
	comparison, bound, isCondition := condition(label)
	if !isCondition {
		return false
	}
	number, ok := numparse.ParsePlain(value)
	if !ok {
		return false
	}
	switch comparison {
	case ">":
		return number > bound
	case ">=":
		return number >= bound
	case "<":
		return number < bound
	}
	return number <= bound
}

// OtherNumbers returns the conditions of the numbers that meet none of those in a list, nil if it
// has none. What is a level itself is no condition.
func OtherNumbers(list, levels []string) (conditions []string) {
	for _, label := range list {
		if comparison, _, ok := condition(label); ok && !slices.Contains(levels, label) {
			conditions = append(conditions, complements[comparison]+strings.TrimPrefix(label, comparison))
		}
	}
	return conditions
}

// DistinctLabels returns the different labels among values, in a spelling of each: three at most.
// Wherever labels or decisions are read, more than two have no meaning until it is declared which
// are positive.
func DistinctLabels(values []string) (labels []string) {
	for _, v := range values {
		if len(labels) < 3 && !hasLabel(labels, v) {
			labels = append(labels, v)
		}
	}
	return labels
}

// Words returns the one value of each class. It is not ok where a class has several, a blank, or a
// condition of numbers.
func (l LabelSpec) Words() (positive, negative string, ok bool) {
	p, n := DistinctLabels(l.Positive), DistinctLabels(l.Negative)
	if len(p) != 1 || len(n) != 1 || p[0] == "" || n[0] == "" || OtherNumbers([]string{p[0], n[0]}, nil) != nil {
		return "", "", false
	}
	return p[0], n[0], true
}

// UsualLabels returns what 0 and 1, −1 and 1, or true and false mean. It is not ok if there are
// other values.
func UsualLabels(values []string) (l LabelSpec, ok bool) {
	for _, pair := range [][2]string{{"0", "1"}, {"-1", "1"}, {"false", "true"}} {
		l = LabelSpec{Positive: []string{pair[1]}, Negative: []string{pair[0]}}
		if !slices.ContainsFunc(values, func(v string) bool { return l.Names(v) == 0 }) {
			return l, true
		}
	}
	return l, false
}

// twoLabels reports whether values are two labels, in whatever spelling.
func twoLabels(values []string) bool { return len(DistinctLabels(values)) == 2 }

// decisionWords are pairs of words, in any case, for positive and negative decisions and outcomes
// that need no explanation.
var decisionWords = strings.Fields(`
	yes/no y/n true/false t/f positive/negative ja/nein oui/non pass/fail passed/failed
	accept/reject accepted/rejected accepted/refused accepted/declined
	approve/deny approved/denied approved/rejected approved/refused approved/declined
	grant/deny granted/denied granted/refused
	admit/reject admitted/rejected hire/reject hired/rejected selected/rejected`)

// IsTruth reports whether a value is true or false, in any case.
func IsTruth(value string) bool {
	return strings.EqualFold(value, "true") || strings.EqualFold(value, "false")
}

// PositiveWord returns the positive one of one or two words; "" if there is only the negative
// one. ok is false if the words are no known pair.
func PositiveWord(words []string) (word string, ok bool) {
	for _, pair := range decisionWords {
		yes, no, _ := strings.Cut(pair, "/")
		if slices.ContainsFunc(words, func(w string) bool { return !strings.EqualFold(w, yes) && !strings.EqualFold(w, no) }) {
			continue
		}
		if k := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, yes) }); k >= 0 {
			return words[k], true
		}
		return "", true
	}
	return "", false
}
