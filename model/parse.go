package model

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
)

const (
	wordNone  = "none"
	wordShare = "share" // in place of a level: the group's share of the rows

	keyGroup, keyOf, keyWithin, keyMinRows = "group", "of", "within", "min-rows"
)

// ParseConstraint reads a specification KIND:KEY=VALUE,…
//
//	demographic-parity:group=G,bound=E   selection rates differ by at most E
//	equal-opportunity:group=G,bound=E    true positive rates do
//	predictive-equality:group=G,bound=E  false positive rates do
//	equalized-odds:group=G,bound=E       both do
//	error-parity:group=G,bound=E         error rates do
//	rate-ratio:group=G,min=R             the lowest selection rate is at least R times the highest
//	min-rate:group=G,of=RATE,min=R       the RATE of each group is at least R
//	max-selection:bound=R                the selection rate is at most R
//	bounded-group-loss:group=G,bound=E   the error of each group is at most E
//	share:group=G,omega=W                see HeldShare; W may be the word share
//	none                                 see Unconstrained
//
// All but share take within=COLUMN: groups are compared among the rows of each of its values. What
// compares groups takes min-rows=N: groups of fewer rows are left out, see GroupConstraint.
// G names groups as in dataset.FindGroups: a feature number counted from 1, column=value,
// column=A|B for some values, a column for all of them, a range such as age<25 or age[25,45], or a
// combination such as sex*race. A comma ends a value only if KEY= follows. Errors say what is
// allowed.
func ParseConstraint(spec string) (Constraint, error) {
	name, rest, _ := strings.Cut(spec, ":")
	if name == wordNone {
		if rest != "" {
			return nil, fmt.Errorf("constraint %q: none has no keys", spec)
		}
		return Unconstrained(), nil
	}
	k := slices.IndexFunc(Families, func(f *Family) bool { return f.Name == name })
	if k < 0 {
		known := []string{wordNone}
		for _, f := range Families {
			known = append(known, f.Name)
		}
		slices.Sort(known)
		return nil, fmt.Errorf("constraint %q: unknown kind %q; known are %s", spec, name, strings.Join(known, ", "))
	}
	return Families[k].parse(spec, rest)
}

// parse reads the KEY=VALUE pairs of a specification.
func (f *Family) parse(spec, list string) (Constraint, error) {
	fail := func(format string, args ...any) (Constraint, error) {
		return nil, fmt.Errorf("constraint %q: %s, want a form like %s", spec, fmt.Sprintf(format, args...), f.Example)
	}
	level := levels[f.Kind]
	keys, values := f.keys(), map[string]string{}
	for _, pair := range splitPairs(list) {
		key, value, ok := strings.Cut(pair, "=")
		switch {
		case !ok:
			return fail("%q is not KEY=VALUE", pair)
		case !slices.Contains(keys, key):
			return nil, fmt.Errorf("constraint %q: unknown key %q, want %s", spec, key, strings.Join(keys, ", "))
		case values[key] != "":
			return fail("%s is given twice", key)
		case value == "":
			return fail("%s has no value", key)
		case (key == keyGroup || key == keyWithin) && slices.Contains(dataset.AttributesIn(value), ""):
			return fail("%s %q names no column", key, value)
		}
		values[key] = value
	}
	for _, key := range keys {
		if optional := key == keyWithin || key == keyMinRows || key == keyGroup && f.Everyone; values[key] == "" && !optional {
			return fail("%s is missing", key)
		}
	}
	c := GroupConstraint{Family: f, Group: values[keyGroup], Within: values[keyWithin]}
	if f.Of != nil {
		k := slices.IndexFunc(f.Of, func(r *Rate) bool { return r.Name == values[keyOf] })
		if k < 0 {
			return fail("of is %q, must be %s", values[keyOf], strings.Join(f.ratesOf(), ", "))
		}
		c.Rate = f.Of[k]
	}
	if text := values[keyMinRows]; text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fail("%s is %q, must be a whole number from 1 on", keyMinRows, text)
		}
		c.MinRows = n
	}
	text, or := values[level.key], ""
	if f.Kind == HeldShare {
		if text == wordShare {
			return c, nil
		}
		or = " or the word " + wordShare
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !level.allowed(x) {
		return fail("%s is %q, must be a number in %s%s", level.key, text, level.interval, or)
	}
	return c.WithLevel(x), nil
}

// keys are those of specifications.
func (f *Family) keys() []string {
	keys := []string{keyGroup, levels[f.Kind].key}
	if f.Of != nil {
		keys = []string{keyGroup, keyOf, levels[f.Kind].key}
	}
	if f.Kind != HeldShare {
		keys = append(keys, keyWithin, keyMinRows)
	}
	return keys
}

// ratesOf names what of= can be.
func (f *Family) ratesOf() (names []string) {
	for _, r := range f.Of {
		names = append(names, r.Name)
	}
	return names
}

// nextPair matches the comma before a further KEY=VALUE. Other commas belong to the value.
var nextPair = regexp.MustCompile(`,[a-z-]+=`)

func splitPairs(list string) []string {
	var pairs []string
	start := 0
	for _, at := range nextPair.FindAllStringIndex(list, -1) {
		pairs = append(pairs, list[start:at[0]])
		start = at[0] + 1
	}
	return append(pairs, list[start:])
}
