package input

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset/table"
)

// scoreReader takes the values of the column of scores: numbers, all with a percent sign or all without, or decisions
// in words.
type scoreReader struct {
	named   []string // positive decisions, if somebody has named them
	numbers []float64
	percent bool     // all numbers are percentages; they are stored as shares
	words   []string // two at most, beside positive ones that are named
	codes   []int8   // index into words, one a row
	many    bool     // there are more words
}

// add takes the next value.
func (r *scoreReader) add(value string) error {
	number, percent, isNumber := scoreIn(value)
	switch {
	case isNumber && len(r.words) == 0 && (r.numbers == nil || percent == r.percent):
		r.numbers, r.percent = append(r.numbers, number), percent
		return nil
	case strings.TrimSpace(value) != "" && slices.Contains(missingValues, value):
		return fmt.Errorf("value %q stands for none, expected %s", value, r.expected())
	case isNumber || r.numbers != nil || strings.TrimSpace(value) == "":
		return fmt.Errorf("value %q, expected %s", value, r.expected())
	}
	code := slices.IndexFunc(r.words, func(word string) bool { return sameWord(word, value) })
	if code < 0 {
		isNamed := func(word string) bool {
			return slices.ContainsFunc(r.named, func(named string) bool { return sameWord(word, named) })
		}
		if len(r.words) >= 2 && !isNamed(value) && slices.ContainsFunc(r.words, func(word string) bool { return !isNamed(word) }) || len(r.words) > math.MaxInt8 {
			r.many = true
			return fmt.Errorf("value %q, expected %s", value, r.expected())
		}
		code = len(r.words)
		r.words = append(r.words, strings.Clone(value))
	}
	r.codes = append(r.codes, int8(code))
	return nil
}

// adviceOnWords says what to do with more than two words.
const adviceOnWords = "--positive VALUE, once for each, names the positive decisions; all others must be one value"

// missingValues stand for no value.
var missingValues = table.DefaultMissing()

// scoreIn reads a number, or a percentage as a share. No score has thousands, so that a comma is the mark of its
// decimals.
func scoreIn(value string) (number float64, percent, ok bool) {
	value, percent = strings.CutSuffix(value, "%")
	if percent {
		value = strings.TrimSpace(value)
	}
	value = strings.Replace(value, ",", ".", 1)
	if percent { // in decimal digits: divided by 100, 39.9 is not 0.399
		digits, exponent, _ := strings.Cut(strings.ToLower(value), "e")
		power, err := strconv.Atoi(cmp.Or(exponent, "0"))
		if err != nil {
			return 0, true, false
		}
		value = digits + "e" + strconv.Itoa(power-2)
	}
	number, err := strconv.ParseFloat(value, 64)
	return number, percent, err == nil && !math.IsNaN(number) && !math.IsInf(number, 0)
}

// sameWord reports whether two words are equal, or differ by capitals and are usual words of decisions.
func sameWord(a, b string) bool {
	if a == b || !strings.EqualFold(a, b) { // most values of a file end here
		return a == b
	}
	_, known := table.PositiveWord([]string{a})
	return known
}

// values are the decisions that there are, nil for scores.
func (r *scoreReader) values() []string {
	if r.words != nil {
		return r.words
	}
	var list []string
	for _, number := range r.different() {
		list = append(list, strconv.FormatFloat(number, 'g', -1, 64))
	}
	return list
}

// has reports whether a value is one of the decisions.
func (r *scoreReader) has(value string) bool {
	number, err := strconv.ParseFloat(value, 64)
	return slices.ContainsFunc(r.words, func(word string) bool { return sameWord(word, value) }) || err == nil && slices.Contains(r.different(), number)
}

// expected says what may come next.
func (r *scoreReader) expected() string {
	switch {
	case r.percent:
		return "a percentage, as the values before it"
	case r.numbers != nil:
		return "a number"
	case len(r.words) == 1:
		return fmt.Sprintf("a word, as %q before it", r.words[0])
	case len(r.words) >= 2:
		var list []string
		for _, word := range r.words {
			list = append(list, strconv.Quote(word))
		}
		return strings.Join(list, " or ")
	}
	return "a score or a decision"
}

// scores returns the scores; decisions are 1 if positive and 0 if not.
func (r *scoreReader) scores(label table.LabelSpec) ([]float64, error) {
	if r.words == nil {
		return r.numericScores(label)
	}
	ones, err := r.positive(slices.Concat(r.named, label.Positive), label.Negative)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(r.codes))
	for i, code := range r.codes {
		if slices.Contains(ones, r.words[code]) {
			scores[i] = 1
		}
	}
	return scores, nil
}

// positive returns the words of positive decisions, none if no decision is positive.
func (r *scoreReader) positive(positive, negative []string) ([]string, error) {
	var ones, zeros, others []string
	for _, word := range r.words {
		is := func(named string) bool { return sameWord(word, named) }
		switch {
		case slices.ContainsFunc(positive, is):
			ones = append(ones, word)
			continue
		case slices.ContainsFunc(negative, is):
			zeros = append(zeros, word)
		}
		others = append(others, word)
	}
	switch {
	case len(ones) >= 1 && len(others) > 1:
		return nil, command.Advise(fmt.Errorf("beside the positive %s there are %s, expected one", quoted(ones), quoted(others)), adviceOnWords)
	case len(ones) >= 1:
		return ones, nil
	case len(zeros) == 1: // then the other one is, if there is one
		return slices.DeleteFunc(slices.Clone(r.words), func(word string) bool { return word == zeros[0] }), nil
	}
	if word, ok := table.PositiveWord(r.words); ok && len(zeros) == 0 {
		return []string{word}, nil
	}
	return nil, command.Advise(fmt.Errorf("which decision is the positive one? the values are %s", quoted(r.words)), "--positive VALUE says it; it may be given for labels and decisions")
}

// numericScores returns scores in [0, 1]. Of numbers that are decisions, 1 takes the place of the positive one and 0 that
// of the other.
func (r *scoreReader) numericScores(label table.LabelSpec) ([]float64, error) {
	if len(r.numbers) == 0 {
		return nil, errors.New("no scores")
	}
	different := r.different()
	if one, ok := positiveNumber(different, r.named, label); ok {
		for i, s := range r.numbers {
			r.numbers[i] = 0
			if s == one {
				r.numbers[i] = 1
			}
		}
	}
	for i, s := range r.numbers {
		if !(s >= 0 && s <= 1) {
			return nil, command.Advise(fmt.Errorf("the score of row %d is %v, must be in [0, 1], or all be -1 or 1", i+1, s), adviceOnScores(different))
		}
	}
	return r.numbers, nil
}

// adviceOnScores says what to do with numbers that are no scores; different are the different ones, if they may be decisions.
func adviceOnScores(different []float64) string {
	if different != nil {
		return "of two numbers that are decisions, --positive NUMBER says which is the positive one"
	}
	return "scores from 0 to 100 are read if each has a percent sign, or is divided by 100; of log-odds x, 1/(1 + exp(-x)) is a score"
}

// different returns the numbers that there are, each once, if they may be decisions: whole, and two at most. Otherwise it
// returns nil.
func (r *scoreReader) different() (list []float64) {
	for _, number := range r.numbers {
		switch {
		case slices.Contains(list, number):
		case len(list) == 2 || number != math.Trunc(number):
			return nil
		default:
			list = append(list, number)
		}
	}
	return list
}

// positiveNumber returns which of two numbers, or of one, stands for a positive decision. ok is false if these are not known
// to be decisions. They are if one of them is named as positive, if they are the numbers of the labels, or if they are -1 and 1.
func positiveNumber(different []float64, named []string, label table.LabelSpec) (one float64, ok bool) {
	if different == nil {
		return 0, false
	}
	ones := numbersIn(named)
	said := slices.DeleteFunc(slices.Clone(different), func(v float64) bool { return !slices.Contains(ones, v) })
	if len(said) == 1 {
		return said[0], true
	}
	positive, negative := numbersIn(label.Positive), numbersIn(label.Negative)
	coding := slices.Concat(positive, negative)
	if len(positive) == 1 && len(negative) == 1 && !slices.ContainsFunc(different, func(v float64) bool { return !slices.Contains(coding, v) }) {
		return positive[0], true
	}
	return 1, !slices.ContainsFunc(different, func(v float64) bool { return math.Abs(v) != 1 })
}

// numbersIn returns the numbers among values, each once.
func numbersIn(values []string) (numbers []float64) {
	for _, value := range values {
		if v, err := strconv.ParseFloat(value, 64); err == nil && !slices.Contains(numbers, v) {
			numbers = append(numbers, v)
		}
	}
	return numbers
}
