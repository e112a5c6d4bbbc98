package model

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// kind is a constraint that ParseConstraint knows.
type kind struct {
	keys    []string
	example string
	make    func(a arguments) (Constraint, error)
}

// allowed lists the keys.
func (k kind) allowed() string {
	if len(k.keys) == 0 {
		return "none"
	}
	return strings.Join(k.keys, ", ")
}

var kinds = map[string]kind{
	"share": {
		keys:    []string{"group", "omega"},
		example: "share:group=71,omega=0.3",
		make: func(a arguments) (Constraint, error) {
			c := Share{Group: a.values["group"]}
			if a.values["omega"] == "share" {
				return c, nil
			}
			var err error
			c.Omega, err = a.number("omega", "a number in (0, 1) or the word share", func(x float64) bool { return x > 0 && x < 1 })
			return c, err
		},
	},
	"demographic-parity": difference("demographic-parity:group=71,bound=0.02", func(group string, bound float64) Constraint {
		return DemographicParity{group, bound}
	}),
	"equal-opportunity": difference("equal-opportunity:group=sex,bound=0.02", func(group string, bound float64) Constraint {
		return EqualOpportunity{group, bound}
	}),
	"equalized-odds": difference("equalized-odds:group=sex,bound=0.05", func(group string, bound float64) Constraint {
		return EqualizedOdds{group, bound}
	}),
	"rate-ratio": {
		keys:    []string{"group", "min"},
		example: "rate-ratio:group=sex,min=0.8",
		make: func(a arguments) (Constraint, error) {
			least, err := a.number("min", "a number in (0, 1]", func(x float64) bool { return x > 0 && x <= 1 })
			return RateRatio{a.values["group"], least}, err
		},
	},
	"bounded-group-loss": {
		keys:    []string{"group", "bound"},
		example: "bounded-group-loss:group=sex,bound=0.3",
		make: func(a arguments) (Constraint, error) {
			bound, err := a.number("bound", "a number in (0, 1)", func(x float64) bool { return x > 0 && x < 1 })
			return BoundedGroupLoss{a.values["group"], bound}, err
		},
	},
	"none": {example: "none", make: func(arguments) (Constraint, error) { return Unconstrained(), nil }},
}

// difference is the kind of a constraint that bounds differences between groups.
func difference(example string, make func(group string, bound float64) Constraint) kind {
	return kind{
		keys:    []string{"group", "bound"},
		example: example,
		make: func(a arguments) (Constraint, error) {
			bound, err := a.number("bound", "a number in [0, 1)", func(x float64) bool { return x >= 0 && x < 1 })
			return make(a.values["group"], bound), err
		},
	}
}

// ParseConstraint reads a specification KIND:KEY=VALUE,…
//
//	share:group=G,omega=W               see Share; W may be the word share
//	demographic-parity:group=G,bound=E  see DemographicParity
//	equal-opportunity:group=G,bound=E   see EqualOpportunity
//	equalized-odds:group=G,bound=E      see EqualizedOdds
//	rate-ratio:group=G,min=R            see RateRatio
//	bounded-group-loss:group=G,bound=E  see BoundedGroupLoss
//	none                                see Unconstrained
//
// G names groups as in dataset.FindGroups: a feature number counted from 1, column=value,
// a column for all of its values, a range such as age<25 or age[25,45], or a combination
// such as sex*race. A comma ends a
// value only if KEY= follows. Errors say what is allowed.
func ParseConstraint(spec string) (Constraint, error) {
	name, rest, _ := strings.Cut(spec, ":")
	k, ok := kinds[name]
	if !ok {
		known := strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")
		return nil, fmt.Errorf("constraint %q: unknown kind %q; known are %s", spec, name, known)
	}
	a := arguments{spec: spec, kind: k, values: map[string]string{}}
	if err := a.parse(rest); err != nil {
		return nil, err
	}
	return k.make(a)
}

// arguments are the KEY=VALUE pairs of a specification.
type arguments struct {
	spec   string
	kind   kind
	values map[string]string
}

func (a arguments) parse(list string) error {
	if list == "" && len(a.kind.keys) == 0 {
		return nil
	}
	for _, pair := range splitPairs(list) {
		key, value, ok := strings.Cut(pair, "=")
		switch {
		case !ok:
			return a.errorf("%q is not KEY=VALUE", pair)
		case !slices.Contains(a.kind.keys, key):
			return fmt.Errorf("constraint %q: unknown key %q, want %s", a.spec, key, a.kind.allowed())
		case a.values[key] != "":
			return a.errorf("%s is given twice", key)
		case value == "":
			return a.errorf("%s has no value", key)
		}
		a.values[key] = value
	}
	for _, key := range a.kind.keys {
		if a.values[key] == "" {
			return a.errorf("%s is missing", key)
		}
	}
	return nil
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

func (a arguments) errorf(format string, args ...any) error {
	return fmt.Errorf("constraint %q: %s, want a form like %s", a.spec, fmt.Sprintf(format, args...), a.kind.example)
}

func (a arguments) number(key, want string, allowed func(float64) bool) (float64, error) {
	x, err := strconv.ParseFloat(a.values[key], 64)
	if err != nil || !allowed(x) {
		return 0, a.errorf("%s is %q, must be %s", key, a.values[key], want)
	}
	return x, nil
}
