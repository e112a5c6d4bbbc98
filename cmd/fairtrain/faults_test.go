package main

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/internal/atomicfile"
)

var long = flag.Bool("long", false, "run the tests that take minutes, too")

// written is a command that writes, for a folder in which prepare was called.
type written struct {
	args string
	old  []string // outputs that there are before
	// fewFrom is the step from which on figures have been drawn, which takes its time, or files
	// are like those before: without -long only every so many of these steps fail; 0 is no step.
	fewFrom int
}

// fewSteps is coprime to the five steps of a file, so that each of them fails.
const fewSteps = 9

var writingCommands = []written{
	{"train --data rows --constraint none --quiet --force --model model.json", []string{"model.json"}, 0},
	{"train --data rows --constraint none --quiet --force --model model.json --report report.md", []string{"model.json", "report.md"}, 0},
	{"adjust --predictions given.csv --use-group --constraint demographic-parity:group=g,bound=0.5 --quiet --force --model adjusted.json --out decisions.csv", []string{"adjusted.json", "decisions.csv"}, 0},
	{"predict --model trained.json --data rows --out scores.csv --force", []string{"scores.csv"}, 0},
	{"report --model trained.json --data rows --out report.html --force", []string{"report.html"}, 0},
	{"frontier --data rows --constraint demographic-parity:group=1,bound=0.6 --bounds 0.7 --tol 0.1 --out front --force --quiet", []string{"front/frontier.csv", "front/frontier.json"}, 1},
	{"data describe --label y --write-schema schema.toml --force in.csv", []string{"schema.toml"}, 0},
	{"compare --preset one.toml --out new --jobs 1 --quiet", nil, 7*5 + 1},
	{"compare --preset one.toml --tune tuned.toml --jobs 1 --quiet --force", []string{"tuned.toml"}, 7*5 + 1},
	{"plot compared", []string{"compared/figure/convergence.png", "compared/figure/convergence-passes.pdf", "compared/figure/convergence.svg"}, 1},
	{"plot --out one.svg --force compared", []string{"one.svg"}, 0},
	{"cutest run --sif plane.SIF --candidates 1 --method fsfo --out new --jobs 1 --quiet", nil, 5*5 + 1},
	{"cutest plot --out profile.svg --force solved", []string{"profile.svg"}, 0},
}

// prepare fills the working folder with what the commands read.
func prepare(t *testing.T) {
	t.Helper()
	for name, text := range map[string]string{
		"rows":      strings.Repeat("+1 1:1 2:1\n-1 2:1\n+1 1:1\n-1 2:2\n+1 3:1\n-1 1:1 3:1\n", 4),
		"fresh":     strings.Repeat("+1 1:1 2:3\n-1 2:4\n", 20),
		"plane.SIF": plane,
		"in.csv":    "a,y\n1,0\n2,1\n2,1\n",
		"given.csv": "y_true,y_score,g\n" + strings.Repeat("1,0.9,a\n0,0.2,a\n1,0.6,b\n0,0.7,b\n", 6),
		"one.toml": `
[problem]
data = "rows"
constraints = ["share:group=1,omega=0.4"]
[run]
budget = 300
seeds = 1
records = 3
[tune]
candidates = 2
seeds = 1
[[method]]
method = "ssqp"
[method.grid]
beta = [0.5, 1.0]
`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range []string{
		"train --data rows --constraint none --quiet --model trained.json",
		"compare --preset one.toml --out compared --jobs 1 --quiet",
		"cutest run --sif plane.SIF --candidates 1 --method fsfo --out solved --quiet",
	} {
		if code, stderr := runFaulty(t, args, nil); code != 0 {
			t.Fatal(args, stderr)
		}
	}
}

// runFaulty runs a command while steps of writing may fail, and returns its exit code and
// what it said.
func runFaulty(t *testing.T, args string, fault func(step string) error) (code int, stderr string) {
	t.Helper()
	var out, talk bytes.Buffer
	atomicfile.Fault = fault
	code = run(t.Context(), append([]string{"fairtrain"}, strings.Fields(args)...), nil, &out, &talk)
	atomicfile.Fault = nil
	return code, talk.String()
}

// nthFault returns a function for atomicfile.Fault that lets the k-th step fail, and a
// pointer to the name of that step, empty until it is reached.
func nthFault(k int) (fault func(step string) error, failed *string) {
	count, name := 0, ""
	return func(step string) error {
		if count++; count == k {
			name = step
			return syscall.ENOSPC
		}
		return nil
	}, &name
}

// TestFaults makes the k-th step of writing fail, for all k, of all commands that write but
// certify and data get, which have tests of their own. Then every file is what it was before
// or what it becomes without a fault, the error is told, and the same command does the rest
// once the disk is well.
func TestFaults(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", t.TempDir()) // where outputs are kept that can't be written
	prepare(t)
	inputs := readTree(t)
	total := 0
	for _, c := range writingCommands {
		t.Run(strings.ReplaceAll(c.args, " ", "_"), func(t *testing.T) {
			before := inputs.of(c.args)
			for _, name := range c.old {
				before[name] = "old\n"
			}
			restore(t, before)
			if code, stderr := runFaulty(t, c.args, nil); code != 0 {
				t.Fatal(code, stderr)
			}
			was, becomes := timelessTree(before), timelessTree(readTree(t))
			faults := 0
			resumed := map[string]bool{} // what faults have left that the command went on from
			for k := 1; ; k++ {
				if c.fewFrom > 0 && k >= c.fewFrom && k%fewSteps != 0 && !*long {
					continue
				}
				restore(t, before)
				fault, failed := nthFault(k)
				code, stderr := runFaulty(t, c.args, fault)
				if *failed == "" {
					break
				}
				faults++
				if code != command.ExitFailure || !strings.Contains(stderr, "no space left") {
					t.Errorf("step %d, %s: code %d, stderr %q", k, *failed, code, stderr)
				}
				left := timelessTree(readTree(t))
				for _, fault := range torn(left, was, becomes) {
					t.Errorf("step %d, %s: %s", k, *failed, fault)
				}
				if state := fmt.Sprint(left); !resumed[state] {
					resumed[state] = true
					code, stderr := runFaulty(t, c.args, nil)
					if code != 0 || !maps.Equal(timelessTree(readTree(t)), becomes) {
						t.Errorf("after a fault in step %d, %s: code %d, stderr %q", k, *failed, code, stderr)
					}
				}
			}
			if c.fewFrom == 0 && faults < 5*len(c.old) {
				t.Errorf("%d steps for %d files: some are not asked about", faults, len(c.old))
			}
			t.Logf("%d faults, %d states left", faults, len(resumed))
			total += faults
		})
	}
	t.Logf("%d commands, %d calls failed", len(writingCommands), total)
}

// tree has the content of all files below the working folder by their paths.
type tree map[string]string

// of leaves out the folders that a command does not name, which are written and read again with
// every fault.
func (inputs tree) of(args string) tree {
	kept := maps.Clone(inputs)
	maps.DeleteFunc(kept, func(name, _ string) bool {
		folder, _, inFolder := strings.Cut(name, "/")
		return inFolder && !strings.Contains(args, folder)
	})
	return kept
}

func readTree(t *testing.T) tree {
	t.Helper()
	content := tree{}
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		content[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// restore makes the working folder hold nothing but a tree.
func restore(t *testing.T, want tree) {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(e.Name()); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range want {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// torn describes every file that is neither what it was nor what it becomes, and those that
// should not be there, or should still be. The trees are timeless ones.
func torn(left, before, after tree) (faults []string) {
	for name, text := range left {
		old, wasThere := before[name]
		becomes, isMade := after[name]
		switch {
		case !wasThere && !isMade:
			faults = append(faults, name+" is left behind")
		case path.Base(name) == "runs.csv" && holdsLines(becomes, text): // a line for every run so far
		case (!wasThere || text != old) && (!isMade || text != becomes):
			faults = append(faults, fmt.Sprintf("%s is torn: %q", name, text))
		}
	}
	for name := range before {
		if _, ok := left[name]; !ok {
			faults = append(faults, name+" is lost")
		}
	}
	slices.Sort(faults)
	return faults
}

// holdsLines reports whether every line of part is one of the whole.
func holdsLines(whole, part string) bool {
	lines := strings.Split(whole, "\n")
	return !slices.ContainsFunc(strings.Split(part, "\n"),
		func(line string) bool { return !slices.Contains(lines, line) })
}

// What has to do with time: in folders of results the last column of CSV files; in JSON
// seconds, what covers them, sessions and times of tests.
var (
	lastColumn = regexp.MustCompile(`(?m),[^,\n]*$`)
	timeLines  = regexp.MustCompile(`(?m)^ *"(seconds|seal|checksum)":.*$`)
	sessions   = regexp.MustCompile(`(?s)"sessions": \[.*`)
	moments    = regexp.MustCompile(`"seconds": *[0-9.e+-]+|"time": *"[^"]*"`)
)

// timelessTree leaves out what two runs of the same command do not have in common.
func timelessTree(files tree) tree {
	kept := tree{}
	tests := 0 // in the ledger, where names are times
	for name, text := range files {
		switch dir := path.Base(path.Dir(name)); {
		case path.Base(name) == "meta.json":
			text = sessions.ReplaceAllString(text, "")
		case dir == "book" && strings.Contains(text, `"use":"training"`): // it may say so twice
			name, text = "rows trained on", ""
		case dir == "book":
			tests++
			name, text = fmt.Sprint("test ", tests), ""
		case path.Ext(name) == ".csv" && dir != ".":
			text = lastColumn.ReplaceAllString(text, "")
		case path.Ext(name) == ".json" && dir == "run":
			text = timeLines.ReplaceAllString(text, "")
		case path.Ext(name) == ".json":
			text = moments.ReplaceAllString(text, "")
		case path.Ext(name) == ".pdf": // its objects have no fixed order
			text = fmt.Sprint("a whole file: ", strings.HasPrefix(text, "%PDF") && strings.HasSuffix(text, "%%EOF\n"))
		}
		kept[name] = text
	}
	return kept
}
