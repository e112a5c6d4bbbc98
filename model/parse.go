package model

import (
	"fmt"
	"maps"
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
	"demographic-parity": {
		keys:    []string{"group", "bound"},
		example: "demographic-parity:group=71,bound=0.02",
		make: func(a arguments) (Constraint, error) {
			c := DemographicParity{Group: a.values["group"]}
			var err error
			c.Bound, err = a.number("bound", "a number in [0, 1)", func(x float64) bool { return x >= 0 && x < 1 })
			return c, err
		},
	},
	"none": {example: "none", make: func(arguments) (Constraint, error) { return Unconstrained(), nil }},
}

// ParseConstraint reads a specification KIND:KEY=VALUE,…
//
//	share:group=G,omega=W               see Share; W may be the word share
//	demographic-parity:group=G,bound=E  see DemographicParity
//	none                                see Unconstrained
//
// G names a group as in dataset.FindGroups: a feature number counted from 1, or
// column=value. Errors say what is allowed.
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
	for pair := range strings.SplitSeq(list, ",") {
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
