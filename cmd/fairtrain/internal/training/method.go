package training

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/solver"
)

// parseMethod returns a method with its options set from KEY=VALUE pairs.
func parseMethod(name string, pairs []string) (solver.Method, error) {
	options := map[string]any{}
	for _, pair := range pairs {
		key, text, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, command.Usage(fmt.Errorf("--set %q is not KEY=VALUE", pair), "fairtrain help METHOD lists the options of a method")
		}
		options[key] = text
		if number, err := strconv.ParseFloat(text, 64); err == nil {
			options[key] = number
		}
	}
	if name == "fsfo" {
		completeFSFO(options)
	}
	method, err := solver.Make(name, options)
	if method == nil {
		return nil, command.Usage(fmt.Errorf("--solver: %w", err))
	}
	hint := fmt.Sprintf("fairtrain help %s lists the options", method.Name())
	if err != nil {
		return nil, command.Usage(fmt.Errorf("--set: %w", err), hint)
	}
	if err := solver.Validate(method); err != nil {
		return nil, command.Usage(err, hint)
	}
	return method, nil
}

// completeFSFO lets Algorithm 1 train on any data: its step size needs constants that data don't
// bound, so it estimates them, and its theory's batches are larger than those of the experiments
// on small problems. A step size or batch sizes that are given stand.
func completeFSFO(options map[string]any) {
	own := false // steps or batches
	for key := range options {
		own = own || key == "eta" || strings.HasPrefix(key, "batch_") || strings.HasPrefix(key, "recurse_")
	}
	if _, given := options["rule"]; !given && !own {
		options["rule"] = solver.Theory
	}
	if _, given := options["constants"]; !given {
		options["constants"] = solver.FromEstimate
	}
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
