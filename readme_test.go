package fairtrain_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/dataset/people"
)

// TestReadme runs the shell commands of README.md as a reader would, in one folder, with
// the program built from this tree and the user's files replaced by built-in data. What the first
// run prints is what README.md shows.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	for _, command := range []string{"\ngo run ./cmd/fairtrain train ", "\ngo test ./... "} { // all that a clone needs
		if !strings.Contains(string(text), command) {
			t.Errorf("README.md lacks the command %s", command)
		}
	}
	if len(blocks) < 4 {
		t.Fatalf("README.md has %d shell blocks, the pattern must be wrong", len(blocks))
	}
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o",
		filepath.Join(dir, "fairtrain"), "./cmd/fairtrain").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	writeRows(t, dir)
	for _, block := range blocks {
		if reason := skipped(block[1]); reason != "" {
			t.Logf("not run, %s:\n%s", reason, block[1])
			continue
		}
		cmd := exec.Command("sh", "-e", "-c", block[1])
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "XDG_STATE_HOME="+filepath.Join(dir, "state"))
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%v:\n%s\n%s%s", err, block[1], out, &stderr)
		}
		if shown := "```\n" + string(out) + "```\n"; block[1] == "fairtrain train\n" &&
			!strings.Contains(string(text), shown) {
			t.Errorf("README.md does not show what fairtrain train prints:\n%s", shown)
		}
	}
}

// skipped says why a block of the README can't be run here.
func skipped(script string) string {
	switch {
	case strings.Contains(script, "go test"):
		return "it would run itself"
	case strings.Contains(script, "compare --preset paper-a9a --smoke"):
		return "TestFrozenComparison of the command runs it with -long"
	}
	return ""
}

// writeRows writes the files that the README supposes its reader to have: the built-in table, and
// somebody's predictions.
func writeRows(t *testing.T, dir string) {
	t.Helper()
	predictions := "y_true,y_pred,group\n"
	for i := range 400 {
		predictions += fmt.Sprintf("%d,%d,%s\n", i%3/2, i%5/3, [2]string{"f", "m"}[i%2])
	}
	for name, text := range map[string]string{"people.csv": string(people.Table(people.TrainName)), "scores.csv": predictions} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
