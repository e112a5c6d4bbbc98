package solver

import (
	"fmt"
	"strings"
)

// methods lists the methods with their default options, in the order in which tables and
// legends show them.
var methods = []func() Method{
	func() Method { return DefaultFSFO() },
	func() Method { return DefaultSSQP() },
	func() Method { return DefaultSLQPM() },
	func() Method { return DefaultStocIALM() },
	func() Method { return DefaultPStorm() },
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
