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
)

// ParseConstraint reads a specification KIND:KEY=VALUE,…
//
//	share:group=G,omega=W               see HeldShare; W may be the word share
//	demographic-parity:group=G,bound=E  see DemographicParity
//	equal-opportunity:group=G,bound=E   see EqualOpportunity
//	equalized-odds:group=G,bound=E      see EqualizedOdds
//	rate-ratio:group=G,min=R            see Ratio
//	bounded-group-loss:group=G,bound=E  see Loss
//	none                                see Unconstrained
//
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
	keys, values := []string{"group", level.key}, map[string]string{}
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
		case key == "group" && slices.Contains(dataset.AttributesIn(value), ""):
			return fail("group %q names no column", value)
		}
		values[key] = value
	}
	for _, key := range keys {
		if values[key] == "" {
			return fail("%s is missing", key)
		}
	}
	text, or := values[level.key], ""
	if f.Kind == HeldShare {
		if text == wordShare {
			return f.For(values["group"], 0), nil
		}
		or = " or the word " + wordShare
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !level.allowed(x) {
		return fail("%s is %q, must be a number in %s%s", level.key, text, level.interval, or)
	}
	return f.For(values["group"], x), nil
}

// nextPair matches the comma before a further KEY=VALUE. Other commas belong to the value.
var nextPair = regexp.MustCompile(`,[a-z]+=`)

func splitPairs(list string) []string {
	var pairs []string
	start := 0
	for _, at := range nextPair.FindAllStringIndex(list, -1) {
		pairs = append(pairs, list[start:at[0]])
		start = at[0] + 1
	}
	return append(pairs, list[start:])
}
