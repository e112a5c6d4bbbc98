package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/internal/atomicfile"
)

// TestFaults makes the k-th step of writing fail, for all k, of commands that write. Then
// every file has its old content or the content that it gets without a fault, the error
// is reported, and the same command does the rest once the disk works.
func TestFaults(t *testing.T) {
	const old = "old\n"
	for args, outputs := range map[string][]string{
		"train --data rows --constraint none --quiet --force --model model.json":                                    {"model.json"},
		"predict --model trained.json --data rows --out scores.csv --force":                                         {"scores.csv"},
		"data convert --label y --out out.libsvm --also in.csv=also.libsvm --features-out names.txt --force in.csv": {"out.libsvm", "also.libsvm", "names.txt"},
		"data describe --label y --write-schema schema.toml --force in.csv":                                         {"schema.toml"},
		"cutest run --sif plane.SIF --candidates 1 --method fsfo --out run --quiet":                                 {"run/run/plane-fsfo-*.json", "run/problems.csv", "run/table.md"},
	} {
		t.Run(strings.Join(strings.Fields(args)[:2], " "), func(t *testing.T) {
			t.Chdir(t.TempDir())
			for name, text := range map[string]string{"rows": "+1 1:1\n-1 2:1\n", "plane.SIF": plane, "in.csv": "a,y\n1,0\n2,1\n2,1\n"} {
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			execute := func(args string) (code int, stderr string) {
				var out, talk bytes.Buffer
				code = run(t.Context(), append([]string{"fairtrain"}, strings.Fields(args)...), nil, &out, &talk)
				return code, talk.String()
			}
			if code, stderr := execute("train --data rows --constraint none --quiet --model trained.json"); code != 0 {
				t.Fatal(stderr)
			}
			begin := func() {
				os.RemoveAll("run")
				for _, name := range outputs {
					if filepath.Dir(name) == "." {
						if err := os.WriteFile(name, []byte(old), 0o644); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			contents := func() map[string]string {
				found := map[string]string{}
				for _, name := range outputs {
					paths, _ := filepath.Glob(name)
					for _, path := range paths {
						if text, err := os.ReadFile(path); err == nil {
							found[path] = timeless(string(text))
						}
					}
				}
				return found
			}
			begin()
			if code, stderr := execute(args); code != 0 {
				t.Fatal(stderr)
			}
			want := contents()

			steps := 0
			for k := 1; ; k++ {
				begin()
				count, failed := 0, ""
				atomicfile.Fault = func(step string) error {
					if count++; count == k {
						failed = step
						return syscall.ENOSPC
					}
					return nil
				}
				code, stderr := execute(args)
				atomicfile.Fault = nil
				if failed == "" {
					break
				}
				steps++
				if code != command.ExitFailure || !strings.Contains(stderr, "no space left") {
					t.Errorf("step %d, %s: code %d, stderr %q", k, failed, code, stderr)
				}
				for name, text := range contents() {
					if text != old && text != want[name] {
						t.Errorf("step %d, %s: %s is %q", k, failed, name, text)
					}
				}
				if code, stderr := execute(args); code != 0 || !maps.Equal(contents(), want) {
					t.Errorf("after a fault in step %d, %s: code %d, stderr %q", k, failed, code, stderr)
				}
				if left, _ := filepath.Glob(atomicfile.Prefix + "*"); len(left) > 0 {
					t.Errorf("step %d, %s: left are %q", k, failed, left)
				}
			}
			if steps < 5*len(outputs)-1 {
				t.Errorf("%d steps for %d files: some are not asked about", steps, len(outputs))
			}
			t.Logf("%d faults", steps)
		})
	}
}

// timeless leaves out the lines and columns that tell how long something took, and seals of
// them.
func timeless(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, `"seconds"`) || strings.Contains(line, `"seal"`) {
			continue
		}
		if fields := strings.Split(line, ","); len(fields) > 10 { // problems.csv, whose last column is seconds
			line = strings.Join(fields[:len(fields)-1], ",")
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "\n")
}
