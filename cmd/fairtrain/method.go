package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/solver"
)

// parseMethod returns a method with its options set from KEY=VALUE pairs.
func parseMethod(name string, pairs []string) (solver.Method, error) {
	options := map[string]any{}
	for _, pair := range pairs {
		key, text, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, usage(fmt.Errorf("--set %q is not KEY=VALUE", pair), "fairtrain help METHOD lists the options of a method")
		}
		options[key] = text
		if number, err := strconv.ParseFloat(text, 64); err == nil {
			options[key] = number
		}
	}
	method, err := solver.Make(name, options)
	if method == nil {
		return nil, usage(fmt.Errorf("--solver: %w", err))
	}
	hint := fmt.Sprintf("fairtrain help %s lists the options", method.Name())
	if err != nil {
		return nil, usage(fmt.Errorf("--set: %w", err), hint)
	}
	if err := solver.Validate(method); err != nil {
		return nil, usage(err, hint)
	}
	return method, nil
}

// notableOptions returns the options that shape a method or differ from their defaults.
func notableOptions(method solver.Method) []string {
	defaults := map[string]string{}
	if usual, err := solver.New(method.Name()); err == nil {
		for _, o := range usual.Params() {
			defaults[o.Name] = o.Current()
		}
	}
	var notable []string
	for _, o := range method.Params() {
		if len(o.Choices) > 0 || o.Current() != defaults[o.Name] {
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
