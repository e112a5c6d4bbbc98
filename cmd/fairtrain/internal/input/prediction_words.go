package input

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset/table"
)

// scoreReader takes the values of the column of scores: numbers, or decisions in words.
type scoreReader struct {
	numbers []float64
	words   []string // one or two
	codes   []int8   // index into words, one a row
}

// add takes the next value.
func (r *scoreReader) add(value string) error {
	// No score has thousands, so that a comma is the mark of its decimals.
	number, err := strconv.ParseFloat(strings.Replace(value, ",", ".", 1), 64)
	isNumber := err == nil && !math.IsNaN(number) && !math.IsInf(number, 0)
	switch {
	case isNumber && len(r.words) == 0:
		r.numbers = append(r.numbers, number)
		return nil
	case isNumber || r.numbers != nil || strings.TrimSpace(value) == "":
		return fmt.Errorf("value %q, expected %s", value, r.expected())
	}
	code := slices.Index(r.words, value)
	if code < 0 {
		if len(r.words) == 2 {
			return fmt.Errorf("value %q, expected %s", value, r.expected())
		}
		code = len(r.words)
		r.words = append(r.words, strings.Clone(value))
	}
	r.codes = append(r.codes, int8(code))
	return nil
}

// expected says what may come next.
func (r *scoreReader) expected() string {
	switch {
	case r.numbers != nil:
		return "a number"
	case len(r.words) == 2:
		return fmt.Sprintf("%q or %q", r.words[0], r.words[1])
	case len(r.words) == 1:
		return fmt.Sprintf("a word, as %q before it", r.words[0])
	}
	return "a score or a decision"
}

// scores returns the scores; decisions are 1 if positive and 0 if not. positive and
// negative are words that have a meaning already.
func (r *scoreReader) scores(positive, negative []string) ([]float64, error) {
	if r.words == nil {
		return numericScores(r.numbers)
	}
	one, err := r.positive(positive, negative)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(r.codes))
	for i, code := range r.codes {
		if r.words[code] == one {
			scores[i] = 1
		}
	}
	return scores, nil
}

// positive returns the word of positive decisions, "" if no decision is positive.
func (r *scoreReader) positive(positive, negative []string) (string, error) {
	var ones, zeros []string
	for _, word := range r.words {
		switch {
		case slices.Contains(positive, word):
			ones = append(ones, word)
		case slices.Contains(negative, word):
			zeros = append(zeros, word)
		}
	}
	switch {
	case len(ones) == 2:
		return "", fmt.Errorf("%q and %q can't both be positive", r.words[0], r.words[1])
	case len(ones) == 1:
		return ones[0], nil
	case len(zeros) == 1 && len(r.words) == 2: // then the other one is
		return r.words[1-slices.Index(r.words, zeros[0])], nil
	case len(zeros) == 1:
		return "", nil
	}
	if word, ok := table.PositiveWord(r.words); ok && len(zeros) == 0 {
		return word, nil
	}
	return "", command.Advise(fmt.Errorf("which decision is the positive one? the values are %s", quoted(r.words)), "--positive VALUE says it; it may be given for labels and decisions")
}

// numericScores returns scores in [0, 1]. If all values are −1 or 1, they are decisions,
// and 0 takes the place of −1.
func numericScores(scores []float64) ([]float64, error) {
	if !slices.ContainsFunc(scores, func(s float64) bool { return math.Abs(s) != 1 }) {
		for i, s := range scores {
			scores[i] = max(s, 0)
		}
	}
	for i, s := range scores {
		if !(s >= 0 && s <= 1) {
			return nil, fmt.Errorf("the score of row %d is %v, must be in [0, 1], or all be -1 or 1", i+1, s)
		}
	}
	if len(scores) == 0 {
		return nil, errors.New("no scores")
	}
	return scores, nil
}
