package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/internal/memory"
)

// costlyInput are small files that could make the program allocate much.
func costlyInput(t *testing.T) map[string]string {
	t.Helper()
	lines := func(n int, line func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(line(i) + "\n")
		}
		return b.String()
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write([]byte(lines(2e5, func(i int) string { return fmt.Sprintf("%d 1:1 2:1 3:1", i%2) }))); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	names := lines(2e4, func(i int) string { return fmt.Sprintf("c%d,", i) })
	return map[string]string{
		"index": lines(80, func(i int) string { return fmt.Sprintf("%d 1:1 %d:1", i%2, 4999920+i) }),
		"wide.csv": strings.ReplaceAll(names, "\n", "") + "y\n" +
			lines(3, func(i int) string { return strings.Repeat(fmt.Sprint(i, ","), 2e4) + fmt.Sprint(i%2) }),
		"groups.csv":  "x,g,y\n" + lines(2e4, func(i int) string { return fmt.Sprintf("%d,g%d,%d", i%7, i, i%2) }),
		"line":        "1 1:" + strings.Repeat("1", 8e6),
		"line.csv":    "a,b\n1,\"" + strings.Repeat("1\n", 4e6),
		"rows.gz":     zipped.String(),
		"columns.csv": strings.Repeat("a,", 49_999) + "b\n" + strings.Repeat("1,", 49_999) + "2\n",
		"loops.SIF": "NAME          LOOPS\n IE 1                   1\n IE N                   30000\nVARIABLES\n    X\nGROUPS\n" +
			lines(3, func(i int) string { return " DO I" + string(rune('J'+i)) + "        1                        N" }) +
			" N  OBJ       X         1.0\n ND\nENDATA\n",
		"deep.toml": strings.Repeat("a.", 2e5) + "a = 1\n",
	}
}

// TestCostlyInput has inputs that must be refused by name, or must fit into a budget of
// memory. What a command allocates in all, garbage included, tells whether it asked
// first.
func TestCostlyInput(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range costlyInput(t) {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"holes.toml", "holes.json", "holes.SIF"} {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(name, 1<<27); err != nil {
			t.Skip(err)
		}
	}
	defer memory.SetBudget(0)
	const parity = " --constraint demographic-parity:group="
	for _, test := range []struct {
		args   string
		code   int
		stderr string
		most   float64 // bytes
	}{
		{"train --memory 300MB --data index" + parity + "1,bound=0.1", 1, "index: training on 80 rows of 4999999 features would take about 500 MB of memory, the budget is 300 MB\n  hint: --memory allows more", 3e8},
		{"data describe --memory 200MB wide.csv", 0, "", 2e8},
		{"train --memory 40MB --label y --data groups.csv" + parity + "g,bound=0.1", 1, "group g names 20000 groups, at most 200 can be compared", 5e7},
		{"train --memory 20MB --data line" + parity + "1,bound=0.1", 1, "line:1:1: line longer than 256 MiB or a tenth of the memory budget", 2e7},
		{"data describe --memory 20MB line.csv", 1, "line.csv:2:1: line longer than 256 MiB or a tenth of the memory budget", 4e7},
		{"data describe --memory 50MB columns.csv", 1, "columns.csv: to read 50000 columns would take about 90 MB", 4e7},
		{"data describe --memory 10MB rows.gz", 1, " of rows.gz would take about ", 4e7},
		{"train --jobs 1000000", 2, "--jobs is 1000000, must be from 1 to 1024", 1e7},
		{"compare --jobs 1000000", 2, "--jobs is 1000000, must be from 1 to 1024", 1e7},
		{"train --label y --data wide.csv --constraint none --memory 10MB", 1, "wide.csv: to read 20001 columns would take about 36 MB of memory, the budget is 10 MB", 1e8},
		{"train --constraint none --data groups.csv --schema deep.toml", 1, `deep.toml:1:1: unknown key "a.a.`, 2e8},
		{"compare --preset deep.toml", 1, `deep.toml:1:1: unknown key "a.a.`, 2e8},
		{"train --data groups.csv --schema holes.toml --constraint none --memory 20MB", 1, "holes.toml: to read 134217728 bytes would take about 2.15 GB of memory, the budget is 20 MB", 2e7},
		{"compare --preset holes.toml", 1, "holes.toml: more than 1048576 bytes, and no such file has as many", 2e7},
		{"preset show holes.toml", 1, "holes.toml: more than 1048576 bytes", 2e7},
		{"predict --model holes.json --data groups.csv --memory 20MB", 1, "holes.json: to read 134217728 bytes would take", 2e7},
		{"cutest run --sif holes.SIF --method fsfo --out new --memory 20MB", 1, "holes.SIF: to read 134217728 bytes would take", 2e7},
		{"cutest run --sif loops.SIF --method fsfo --out new --memory 20MB", 1, "loops.SIF: to decode beyond line 10 would take about 2", 1e8},
		{"train --memory half", 2, `--memory: "half" is not an amount of memory`, 1e7},
	} {
		var before, after runtime.MemStats
		var stdout, stderr bytes.Buffer
		runtime.ReadMemStats(&before)
		code := run(t.Context(), append([]string{"fairtrain"}, strings.Fields(test.args)...), nil, &stdout, &stderr)
		runtime.ReadMemStats(&after)
		if code != test.code || !strings.Contains(stderr.String(), test.stderr) {
			t.Errorf("%s: code %d, stderr %.500q", test.args, code, &stderr)
		}
		if taken := float64(after.TotalAlloc - before.TotalAlloc); taken > test.most {
			t.Errorf("%s: allocated %.3g bytes", test.args, taken)
		}
	}
}

// TestStdinIsFile redirects a file to standard input and asks for it to be replaced.
func TestStdinIsFile(t *testing.T) {
	t.Chdir(t.TempDir())
	const rows = "age,hired\n65,yes\n47,no\n"
	if err := os.WriteFile("in.csv", []byte(rows), 0o644); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open("in.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"fairtrain", "data", "pack", "--out", "in.csv", "--force", "-"}, in, &stdout, &stderr)
	if want := "fairtrain: --out in.csv is also an input\n"; code != command.ExitUsage || stderr.String() != want {
		t.Errorf("code %d, stderr %q", code, &stderr)
	}
	if got, err := os.ReadFile("in.csv"); err != nil || string(got) != rows {
		t.Errorf("the file is %q (%v)", got, err)
	}
}
