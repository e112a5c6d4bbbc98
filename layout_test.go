package fairtrain_test

import (
	"os"
	"path/filepath"
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

// TestSizes fails where a package grows beyond what one can read in a sitting, and on assembly.
func TestSizes(t *testing.T) {
	const most = 3500 // lines without tests
	lines := map[string]int{}
	err := filepath.WalkDir(".", func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != ".":
			return filepath.SkipDir
		case strings.HasSuffix(path, ".s"):
			t.Errorf("%s is assembly", path)
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			lines[filepath.Dir(path)] += strings.Count(string(text), "\n")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range lines {
		if n > most {
			t.Errorf("package %s has %d lines, at most %d are wanted: part it by topic", name, n, most)
		}
	}
}
