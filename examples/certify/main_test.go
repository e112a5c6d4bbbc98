package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/examples/realdata"
)

// TestRun guarantees a loose bound and not a tight one, in data where the label has nothing
// to do with the group.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("x,g,y\n")
	for i := range 2000 {
		b.WriteString(strings.Join([]string{[]string{"1", "2", "3", "4"}[i*i%7%4], []string{"a", "b"}[i%2], []string{"no", "yes"}[i/2%3%2]}, ",") + "\n")
	}
	if err := os.WriteFile(filepath.Join(dir, "data.csv"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	data := realdata.Set{Name: "data", File: "data.csv", Label: "y"}
	err := run(t.Context(), &table, dir, []study{
		{data, "demographic-parity:group=g,bound=0.3"},
		{data, "demographic-parity:group=g,bound=0.0001"},
	}, settings{share: 0.3, confidence: 0.95, power: 0.9, seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(table.String()), "\n")
	if len(lines) != 4 || !strings.Contains(lines[2], "| 600 |") || !strings.Contains(lines[2], "| yes |") || !strings.Contains(lines[3], "| no |") {
		t.Errorf("%s", &table)
	}
}
