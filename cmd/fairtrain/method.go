package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/solver"
)

// methods lists the methods that train offers, with their default options.
func methods() []solver.Method {
	return []solver.Method{
		solver.DefaultFSFO(),
		solver.DefaultSSQP(),
		solver.DefaultSLQPM(),
		solver.DefaultPStorm(),
		solver.DefaultStocIALM(),
	}
}

func methodNames() []string {
	var names []string
	for _, m := range methods() {
		names = append(names, m.Name())
	}
	return names
}

func methodByName(name string) (method solver.Method, ok bool) {
	all := methods()
	i := slices.IndexFunc(all, func(m solver.Method) bool { return m.Name() == name })
	if i < 0 {
		return nil, false
	}
	return all[i], true
}

// parseMethod returns a method with its options set from KEY=VALUE pairs.
func parseMethod(name string, pairs []string) (solver.Method, error) {
	method, ok := methodByName(name)
	if !ok {
		return nil, usagef("--solver is %q, must be one of %s", name, strings.Join(methodNames(), ", "))
	}
	hint := fmt.Sprintf("fairtrain help %s lists the options", name)
	for _, pair := range pairs {
		key, text, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, usage(fmt.Errorf("--set %q is not KEY=VALUE", pair), hint)
		}
		var value any = text
		if number, err := strconv.ParseFloat(text, 64); err == nil {
			value = number
		}
		if err := solver.Set(method, key, value); err != nil {
			return nil, usage(fmt.Errorf("--set: %w", err), hint)
		}
	}
	if err := solver.Validate(method); err != nil {
		return nil, usage(err, hint)
	}
	return method, nil
}

// notableOptions returns the options that shape a method or differ from their defaults.
func notableOptions(method solver.Method) []string {
	usual, _ := methodByName(method.Name())
	defaults := usual.Params()
	var notable []string
	for i, o := range method.Params() {
		if len(o.Choices) > 0 || o.Current() != defaults[i].Current() {
			notable = append(notable, o.Name+" "+o.Current())
		}
	}
	return notable
}

// methodHelp lists the options of a method.
func methodHelp(method solver.Method) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "Options of %s, as in: fairtrain train --solver %[1]s --set KEY=VALUE\n", method.Name())
	for _, o := range method.Params() {
		fmt.Fprintf(&b, "\n  %s=%s  (%s)\n      %s\n", o.Name, o.Current(), o.Range(), o.Doc)
	}
	return b.Bytes()
}
