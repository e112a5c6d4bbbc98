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

// Register adds a method, as create returns it with its default options, to those that New, Make
// and Names know: in presets, on the command line and in comparisons it is one like any other. It
// is for a program's start. It panics if the method is called otherwise or the name is taken.
func Register(name string, create func() Method) {
	if called := create().Name(); called != name || slices.Contains(Names(), name) {
		panic(fmt.Sprintf("solver: method %q, which calls itself %q, is registered as one of %v",
			name, called, Names()))
	}
	methods = append(methods, create)
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
	m, err := New(name)
	if err != nil {
		return nil, err
	}
	var errs []error
	params := m.Params()
	for _, option := range slices.Sorted(maps.Keys(options)) {
		errs = append(errs, set(m, params, option, options[option]))
	}
	return m, errors.Join(errs...)
}

// Known returns the constants of the paper's assumptions that a method uses and that are known,
// once it has begun.
func Known(m Method) []problem.Constant {
	if k, ok := m.(interface{ Known() problem.Constants }); ok {
		return k.Known().Known()
	}
	return nil
}
