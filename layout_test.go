package fairtrain_test

import (
	"strings"
	"testing"
)

const module = "github.com/fairtrain/fairtrain/"

// rules are the architecture: what a part of the house never needs, not even through another part.
// A name stands for the package and all packages below it.
var rules = []struct {
	part   string
	except string // a package of the part that the rule is not about
	never  string // packages, separated by blanks
	why    string
}{
	{"problem", "", "dataset model solver kkt train cutest", "the contract knows neither problems nor methods"},
	{"solver", "", "dataset model fairness classifier train", "a method sees problem.Problem and nothing else"},
	{"kkt", "", "dataset model solver train", "residuals judge methods, so they share nothing with them"},
	{"model", "", "solver kkt fairness classifier train", "a problem is stated without knowing who solves it"},
	{"dataset", "", "problem model solver fairness classifier train", "rows are rows, whatever is made of them"},
	{"fairness", "", "dataset model solver classifier train", "metrics judge predictions, whoever made them"},
	{"guarantee", "", "dataset model solver classifier train", "tests judge counts, whoever made them"},
	{"cutest", "cutest/benchmark", "dataset model fairness classifier train experiment", "SIF problems know nothing of fairness"},
	{"results", "", "problem dataset model solver train experiment", "stored results outlive what made them"},
	{"plots", "", "problem dataset model solver train experiment", "figures come from what is stored"},
	{"classifier", "", "problem model solver train", "a model scores rows without what trained it"},
	{"train", "", "report results plots experiment", "training does not write for people"},
	{"internal", "", "problem dataset model solver train results cmd", "tools know nothing of the trade"},
}

// TestImports fails where a package reaches what the architecture forbids it, and where anything
// but the command line imports its libraries.
func TestImports(t *testing.T) {
	list := output(t, "list", "-f", `{{.ImportPath}}: {{join .Deps " "}}`, "./...")
	for line := range strings.Lines(string(list)) {
		name, deps, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, module)), ":")
		for dep := range strings.FieldsSeq(deps) {
			if !within(name, "cmd") && !within(name, "examples") && strings.HasPrefix(dep, "github.com/urfave/cli") {
				t.Errorf("%s reaches %s, which is for cmd alone", name, dep)
			}
			dep, ours := strings.CutPrefix(dep, module)
			if !ours {
				continue
			}
			for _, rule := range rules {
				if !within(name, rule.part) || rule.except != "" && within(name, rule.except) {
					continue
				}
				for forbidden := range strings.FieldsSeq(rule.never) {
					if within(dep, forbidden) {
						t.Errorf("%s reaches %s: %s", name, dep, rule.why)
					}
				}
			}
		}
	}
}

// within reports whether a package is another one or lies below it.
func within(name, part string) bool { return name == part || strings.HasPrefix(name, part+"/") }
