package solver

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/problem"
)

// methods lists the methods with their default options, in the order in which tables and
// legends show them.
var methods = []func() Method{
	func() Method { return DefaultFSFO() },
	func() Method { return DefaultFiniteSum() },
	func() Method { return DefaultSSQP() },
	func() Method { return DefaultSLQPM() },
	func() Method { return DefaultStocIALM() },
	func() Method { return DefaultAdaptive() },
	func() Method { return DefaultSGD() },
	func() Method { return DefaultSQP() },
}

// New returns the method of the given name with its default options.
func New(name string) (Method, error) {
	for _, create := range methods {
		if m := create(); m.Name() == name {
			return m, nil
		}
	}
	return nil, fmt.Errorf("no method %q; there are %s", name, strings.Join(Names(), ", "))
}

// Names lists the methods.
func Names() []string {
	var names []string
	for _, create := range methods {
		names = append(names, create().Name())
	}
	return names
}

// Make returns the method that commands and files mean by a name and options. Validate checks
// the ranges of the options. If an option is wrong, Make returns the method with the error.
func Make(name string, options map[string]any) (Method, error) {
	name, options = today(name, options)
	m, err := New(name)
	if err != nil {
		return nil, err
	}
	var errs []error
	params := m.Params()
	for _, option := range slices.Sorted(maps.Keys(options)) {
		err := set(m, params, option, options[option])
		if err != nil && name == finiteSum && hasOption(DefaultFSFO(), option) {
			err = fmt.Errorf("%w; fsfo has %s, with rule = fixed or theory", err, option)
		}
		errs = append(errs, err)
	}
	return m, errors.Join(errs...)
}

// Known returns the constants of the paper's assumptions that a method uses and that are known, once it has begun.
func Known(m Method) []problem.Constant {
	if k, ok := m.(interface{ Known() problem.Constants }); ok {
		return k.Known().Known()
	}
	return nil
}

func hasOption(m Method, name string) bool {
	return slices.ContainsFunc(m.Params(), func(p Param) bool { return p.Name == name })
}

const (
	fsfo      = "fsfo"
	finiteSum = "finite-sum"
)

// today translates names and options of earlier versions. The method FiniteSum was once the
// rule "finite-sum" of FSFO, and the default rule. So the option rule tells the two methods
// apart, whichever of their names is given.
func today(name string, options map[string]any) (string, map[string]any) {
	if name != fsfo && name != finiteSum {
		return name, options
	}
	if rule, ok := options["rule"]; ok && rule != finiteSum {
		return fsfo, options
	}
	options = maps.Clone(options)
	delete(options, "rule")
	return finiteSum, options
}

// Family is the name that JSON has always had for a method: "fsfo" stands for FiniteSum too.
func Family(m Method) string {
	if _, ok := m.(*FiniteSum); ok {
		return fsfo
	}
	return m.Name()
}
