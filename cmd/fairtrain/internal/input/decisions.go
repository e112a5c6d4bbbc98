package input

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// DecisionColumn is the column of decisions in the output of predict. They are made from the scores
// beside them, by the threshold of the model.
const DecisionColumn = "decision"

// advicePositive says how labels and decisions get a meaning.
const advicePositive = "--positive VALUE says it; it may be given for labels and decisions"

// scoreColumn takes the values of a column of scores, or of decisions: numbers, or words.
type scoreColumn struct {
	positive []string // values that mean a positive decision, if somebody has named them
	numbers  []float64
	distinct []float64 // among numbers: three at most
	words    []string  // the different ones
	codes    []int     // of the rows, index into words
}

// add takes the next value. An error is about its place.
func (s *scoreColumn) add(value string) error {
	number, isNumber := scoreIn(value)
	switch {
	case isNumber && s.words == nil:
		if s.numbers = append(s.numbers, number); len(s.distinct) < 3 && !slices.Contains(s.distinct, number) {
			s.distinct = append(s.distinct, number)
		}
		return nil
	case isNumber || s.numbers != nil || slices.Contains(tabular.DefaultMissing(), value):
		return fmt.Errorf("value %q, expected %s", value, s.expected())
	}
	code := slices.Index(s.words, value)
	if code < 0 {
		code, s.words = len(s.words), append(s.words, strings.Clone(value))
		if others := s.others(); len(others) > 1 && len(others) < len(s.words) || len(others) > 2 {
			return fmt.Errorf("value %q after %s, expected two decisions (--positive VALUE, once for each, names the positive ones)", value, quoted(s.words[:code]))
		}
	}
	s.codes = append(s.codes, code)
	return nil
}

// expected says what may come next.
func (s *scoreColumn) expected() string {
	switch {
	case s.numbers != nil:
		return "a number"
	case s.words != nil:
		return "a word, as " + quoted(s.words)
	}
	return "a score from 0 to 1 or a decision"
}

// scoreIn reads a number, of which a comma may be the mark of decimals.
func scoreIn(value string) (number float64, ok bool) {
	number, err := strconv.ParseFloat(strings.Replace(value, ",", ".", 1), 64)
	return number, err == nil && !math.IsNaN(number) && !math.IsInf(number, 0)
}

// values are the different values of decisions, nil for scores.
func (s *scoreColumn) values() []string {
	if s.words != nil {
		return s.words
	}
	var values []string
	for _, number := range s.distinct {
		if len(s.distinct) > 2 || number != math.Trunc(number) {
			return nil
		}
		values = append(values, strconv.FormatFloat(number, 'g', -1, 64))
	}
	return values
}

// has reports whether a value is one of the decisions.
func (s *scoreColumn) has(value string) bool {
	return (tabular.LabelSpec{Positive: s.values()}).Names(value) > 0
}

// others are the different decisions that nobody has named as positive.
func (s *scoreColumn) others() []string {
	named := tabular.LabelSpec{Positive: s.positive}
	return tabular.DistinctLabels(slices.DeleteFunc(slices.Clone(s.values()),
		func(v string) bool { return named.Names(v) > 0 }))
}

// rule says what decisions mean. It returns nil for scores.
func (s *scoreColumn) rule(label tabular.LabelSpec) (*tabular.LabelSpec, error) {
	values, others := s.values(), s.others()
	usual, isUsual := tabular.UsualLabels(values)
	switch {
	case values == nil:
		return nil, nil
	case slices.ContainsFunc(s.positive, s.has):
		return &tabular.LabelSpec{Positive: s.positive, Negative: others}, nil
	case !slices.ContainsFunc(values, func(v string) bool { return label.Names(v) == 0 }):
		return &label, nil
	case isUsual:
		return &usual, nil
	case s.words == nil:
		return nil, nil
	}
	return nil, command.Advise(fmt.Errorf("which decision is the positive one? the values are %s",
		quoted(values)), advicePositive)
}

// scores returns the scores; decisions are 1 if positive and 0 if not.
func (s *scoreColumn) scores(label tabular.LabelSpec) ([]float64, error) {
	rule, err := s.rule(label)
	if err != nil {
		return nil, err
	}
	if rule == nil {
		return s.numbers, s.checkRange()
	}
	class := map[float64]float64{}
	for k, value := range s.values() {
		at := float64(k)
		if s.words == nil {
			at = s.distinct[k]
		}
		class[at] = max(0, float64(rule.Names(value)))
	}
	scores := make([]float64, max(len(s.numbers), len(s.codes)))
	for i := range scores {
		if s.words == nil {
			scores[i] = class[s.numbers[i]]
		} else {
			scores[i] = class[float64(s.codes[i])]
		}
	}
	return scores, nil
}

// checkRange refuses numbers that are no scores.
func (s *scoreColumn) checkRange() error {
	if len(s.numbers) == 0 {
		return errors.New("no scores")
	}
	k := slices.IndexFunc(s.numbers, func(number float64) bool { return !(number >= 0 && number <= 1) })
	switch {
	case k < 0:
		return nil
	case s.values() != nil:
		return command.Advise(fmt.Errorf("which decision is the positive one? the values are %s",
			quoted(s.values())), advicePositive)
	}
	return command.Advise(fmt.Errorf("the score of row %d is %v, must be in [0, 1], or all be decisions: two values such as 0 and 1", k+1, s.numbers[k]),
		"scores from 0 to 100 are to be divided by 100; of log-odds x, 1/(1 + exp(-x)) is a score")
}

// decisionColumn takes the values of the column of decisions beside scores.
type decisionColumn struct {
	scoreColumn
	rows int
	err  error // the first one; it counts only if the column is about the scores
}

func (d *decisionColumn) add(value string) error {
	d.rows++
	if d.err == nil {
		if err := d.scoreColumn.add(value); err != nil {
			d.err = fmt.Errorf("row %d: %w", d.rows, err)
		}
	}
	return nil
}

// threshold returns the threshold by which scores became the decisions; the usual one where there
// are no decisions, or where it makes the same of the scores.
func (d *decisionColumn) threshold(scores []float64, label tabular.LabelSpec) (float64, error) {
	if d.rows == 0 {
		return UsualThreshold, nil
	}
	threshold, err := d.split(scores, label)
	if err != nil {
		return 0, command.Advise(err, "--threshold T decides by the scores, --score-column "+DecisionColumn+" judges the decisions")
	}
	return threshold, nil
}

// split returns a threshold between the scores of positive and of other decisions.
func (d *decisionColumn) split(scores []float64, label tabular.LabelSpec) (float64, error) {
	if d.err != nil {
		return 0, d.err
	}
	if d.values() == nil {
		return 0, fmt.Errorf("the values are %v and others, expected two: 1, and 0 or -1", d.distinct)
	}
	decided, err := d.scores(label)
	if err != nil {
		return 0, err
	}
	lowest, highest := math.Inf(1), math.Inf(-1) // positive, negative
	var low, high int                            // their rows
	for i, decision := range decided {
		if s := scores[i]; decision > 0 && s < lowest {
			lowest, low = s, i
		} else if decision == 0 && s > highest {
			highest, high = s, i
		}
	}
	switch {
	case lowest <= highest:
		return 0, fmt.Errorf("no threshold makes them of the scores: row %d is positive with %v, row %d is not with %v", low+1, lowest, high+1, highest)
	case highest < UsualThreshold && UsualThreshold <= lowest:
		return UsualThreshold, nil
	case !math.IsInf(lowest, 1):
		return lowest, nil
	}
	return math.Nextafter(highest, math.Inf(1)), nil // nobody is decided positively
}
