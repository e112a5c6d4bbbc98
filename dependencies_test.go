package fairtrain_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDependencies compares the list of modules in docs/dependencies.md with go.mod, and
// those that it calls parts of the program, of tests or of tools with what imports them.
func TestDependencies(t *testing.T) {
	text, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\S+) \| (program|tests|tools) \| \S.* \|$`).FindAllStringSubmatch(string(text), -1) {
		if listed[row[1]] != "" {
			t.Errorf("%s is listed twice", row[1])
		}
		listed[row[1]] = row[2]
	}

	program := modules(t, "./cmd/fairtrain")
	tests := modules(t, "-test", "./...")
	var file struct{ Require []struct{ Path string } }
	if err := json.Unmarshal(output(t, "mod", "edit", "-json"), &file); err != nil {
		t.Fatal(err)
	}
	required := map[string]string{}
	for _, r := range file.Require {
		switch {
		case program[r.Path]:
			required[r.Path] = "program"
		case tests[r.Path]:
			required[r.Path] = "tests"
		default:
			required[r.Path] = "tools"
		}
	}
	if diff := cmp.Diff(required, listed); diff != "" {
		t.Errorf("(-go.mod +docs/dependencies.md)\n%s", diff)
	}
}

// modules returns the modules of everything that packages import.
func modules(t *testing.T, args ...string) map[string]bool {
	t.Helper()
	paths := map[string]bool{}
	list := output(t, append([]string{"list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}"}, args...)...)
	for path := range strings.FieldsSeq(string(list)) {
		paths[path] = true
	}
	return paths
}

// output runs a command of go.
func output(t *testing.T, args ...string) []byte {
	t.Helper()
	text, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return text
}
