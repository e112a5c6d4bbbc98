package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/results"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// frozen compares a table, its timings taken out, with a file of testdata/frozen, which go
// test -update rewrites.
func frozen(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "frozen", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-before +now):\n%s", name, diff)
	}
}

// printed is what the program prints in a folder.
func printed(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, append(args, "--quiet")...)
	cmd.Args[0] = "fairtrain" // what TestMain goes by
	cmd.Dir = dir
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("fairtrain %v: %v", args, err)
	}
	return text
}

// The timings in what machines read: an object of JSON, the last column of CSV.
var (
	secondsInJSON = regexp.MustCompile(`"seconds":\{[^}]*\}`)
	secondsColumn = regexp.MustCompile(`(?m),[^,\n]*$`)
)

// TestFrozenComparison holds the figures that compare prints and stores, in every format; on
// a9a with -long.
func TestFrozenComparison(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	presets := []string{"synthetic"}
	if *long && realData() != "" {
		presets = append(presets, "paper-a9a")
	} else {
		t.Log("without -long and FAIRTRAIN_DATA: the synthetic data only")
	}
	for _, preset := range presets {
		run := []string{"compare", "--preset", preset, "--smoke", "--out", preset}
		frozen(t, preset+".json", secondsInJSON.ReplaceAll(printed(t, dir, append(run, "--json")...), nil))
		store, err := results.Open(filepath.Join(dir, preset), results.Comparison)
		if err != nil {
			t.Fatal(err)
		}
		runs := store.Runs()
		for i := range runs {
			runs[i].Seconds = float64(1 + i) // their widths decide where the text is cut
		}
		var b bytes.Buffer
		for _, format := range []results.TableFormat{results.Text, results.Markdown, results.CSV} {
			for _, statistic := range []results.Statistic{results.Mean, results.Median} {
				fmt.Fprintf(&b, "== %s, %s\n", format, statistic)
				if err := results.NewTable(results.Summarise(runs, []float64{1e-1, 5e-2, 2e-2}),
					statistic).Write(&b, format); err != nil {
					t.Fatal(err)
				}
			}
		}
		frozen(t, preset+".tables", b.Bytes())
	}
}

// TestFrozenBenchmark holds the figures that cutest run and table print, in every format; on
// problems of CUTEst with -long.
func TestFrozenBenchmark(t *testing.T) {
	t.Parallel()
	sources := map[string][]string{"small": {mustAbs(t, filepath.Join("testdata", "frozen", "sif"))}}
	if data := realData(); *long && data != "" {
		for _, name := range []string{"HS6", "HS26", "BT1", "BT11", "MARATOS", "WATER"} {
			sources["real"] = append(sources["real"], filepath.Join(data, "sif", name+".SIF"))
		}
	} else {
		t.Log("without -long and FAIRTRAIN_DATA: small problems only")
	}
	for name, paths := range sources {
		dir := t.TempDir()
		for preset, candidates := range map[string]string{"paper-cutest-1e-2": "15", "paper-cutest-1e-4": "4"} {
			run := []string{"cutest", "run", "--preset", preset, "--candidates", candidates, "--out", preset}
			for _, path := range paths {
				run = append(run, "--sif", path)
			}
			var b bytes.Buffer
			b.Write(printed(t, dir, run...))
			b.Write(secondsColumn.ReplaceAll(printed(t, dir, append(run, "--format", "csv")...), nil))
			for _, args := range [][]string{{"--format", "markdown"}, {"--json"}} {
				fmt.Fprintf(&b, "== %v\n", args)
				b.Write(printed(t, dir, append([]string{"cutest", "table", preset}, args...)...))
			}
			frozen(t, name+"-"+preset+".tables", b.Bytes())
		}
	}
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
