package fairtrain_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/sparse"
)

// TestReadme runs the shell commands of README.md as a reader would, in one folder, with
// the program built from this tree and the user's files replaced by parts of the
// synthetic data.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) < 4 {
		t.Fatalf("README.md has %d shell blocks, the pattern must be wrong", len(blocks))
	}
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", filepath.Join(dir, "fairtrain"), "./cmd/fairtrain").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	writeRows(t, dir)
	for _, block := range blocks {
		if reason := skipped(block[1]); reason != "" {
			t.Logf("not run, %s:\n%s", reason, block[1])
			continue
		}
		script := strings.ReplaceAll(block[1], "go run ./cmd/fairtrain", "fairtrain")
		cmd := exec.Command("sh", "-e", "-c", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "XDG_STATE_HOME="+filepath.Join(dir, "state"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v:\n%s\n%s", err, script, out)
		}
	}
}

// skipped says why a block of the README can't be run here.
func skipped(script string) string {
	switch {
	case strings.Contains(script, "go test"):
		return "it would run itself"
	case script == "go run ./cmd/fairtrain train\n":
		return "the session train_synthetic runs it, and so does the block on reports, with a report"
	case strings.Contains(script, "data get"):
		return "it downloads"
	case strings.Contains(script, "compare --preset paper-a9a --smoke"):
		return "TestFrozenComparison of the command runs it with -long"
	}
	return ""
}

// writeRows writes the files that the README supposes its reader to have.
func writeRows(t *testing.T, dir string) {
	t.Helper()
	people := "age,sex,job,hired\n"
	for i := range 400 {
		sex, hired := [2]string{"f", "m"}[i%2], [2]string{"no", "yes"}[(i/3+i/7*i%2)%2]
		people += fmt.Sprintf("%d,%s,%s,%s\n", 18+i*7%50, sex, [3]string{"cook", "clerk", "smith"}[i%3], hired)
	}
	if err := os.WriteFile(filepath.Join(dir, "people.csv"), []byte(people), 0o644); err != nil {
		t.Fatal(err)
	}
	train, test := census.Synthetic()
	for name, d := range map[string]*dataset.Dataset{"rows.libsvm": half(train, 0), "more.libsvm": half(test, 0), "new.libsvm": test, "fresh.libsvm": half(test, 1)} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := libsvm.Write(f, d); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// half returns every other row of d, from the first or the second on.
func half(d *dataset.Dataset, first int) *dataset.Dataset {
	var b sparse.Builder
	for i := first; i < d.Rows(); i += 2 {
		var cols []int
		var values []float64
		for j, v := range d.X.Row(i) {
			cols, values = append(cols, j), append(values, v)
		}
		b.Add(d.Y[i], cols, values)
	}
	part := *d
	part.X, part.Y = b.Finish(d.Features())
	return &part
}
