//go:build attack && linux

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// attacked are a working folder with what commands read, and random numbers.
func attacked(t *testing.T) (tree, *rand.Rand) {
	t.Helper()
	t.Chdir(t.TempDir())
	prepare(t)
	return readTree(t), rand.New(rand.NewPCG(*killSeed, 15))
}

// TestFullDisks lets commands write files of so many blocks and no larger ones, as on a full disk.
// Every file is what it was or what it becomes, nothing is left, and a file that is lost is told.
func TestFullDisks(t *testing.T) {
	inputs, r := attacked(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for range 100 {
		c := killedCommand{writingCommands[r.IntN(len(writingCommands))], false}
		w := leaveAlone(t, c, inputs)
		restore(t, w.before)
		blocks := int(60 * r.Float64() * r.Float64()) // of 512 bytes in some shells, of 1024 in others
		child := exec.Command("sh", "-c", fmt.Sprintf(`ulimit -f %d; exec "$0" "$@"`, blocks))
		child.Args = append(child.Args, filepath.Join(filepath.Dir(program), "fairtrain"))
		child.Args = append(child.Args, strings.Fields(c.args)...)
		if err := os.Symlink(program, child.Args[3]); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
		talk, err := child.CombinedOutput()
		files := readTree(t)
		if temporary, locks := takeTraces(files); temporary+locks > 0 {
			t.Errorf("%s, %d blocks: %d temporary files and %d locks are left", c.args, blocks, temporary, locks)
		}
		for _, fault := range torn(timelessTree(files), timelessTree(w.before), timelessTree(w.after)) {
			t.Errorf("%s, %d blocks: %s", c.args, blocks, fault)
		}
		if err != nil {
			failed++
		}
		if lost := err == nil && len(files) < len(w.after); lost || err != nil && !strings.Contains(string(talk), "too large") {
			t.Errorf("%s, %d blocks: %v, %d files of %d, %s", c.args, blocks, err, len(files), len(w.after), talk)
		}
	}
	t.Logf("%d of 100 commands found the disk full", failed)
}

// TestOutputsOverInputs has commands write to what they read, by force and under other names.
func TestOutputsOverInputs(t *testing.T) {
	inputs, r := attacked(t)
	for name, args := range map[string]string{
		"m.svg":  "train --data in.csv --label y --constraint none --min-count 1 --quiet --model m.svg",
		"m.json": "train --data in.csv --label y --constraint none --min-count 1 --quiet --model m.json",
		"s.toml": "data describe --label y --write-schema s.toml in.csv",
	} {
		if err := startChild(t, args).Wait(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	inputs = readTree(t)
	commands := []struct{ args, outputs string }{
		{"train --data in.csv --schema s.toml --constraint none --test in.csv --force", "--model --report"},
		{"predict --data in.csv --model m.json --force", "--out"},
		{"report --data in.csv --model m.json --force", "--out"},
		{"data describe in.csv --schema s.toml --force", "--write-schema"},
		{"data pack in.csv --schema s.toml --force", "--out"},
		{"compare --preset one.toml --force", "--tune"},
		{"explain --model m.svg --force", "--plot"},
		{"cutest run --sif plane.SIF --candidates 1", "--out"},
		{"frontier --data in.csv --schema s.toml --constraint demographic-parity:group=a,bound=0.5 --force", "--out"},
	}
	refused := 0
	for range 300 {
		restore(t, inputs)
		c := commands[r.IntN(len(commands))]
		var read []string
		for _, word := range strings.Fields(c.args) {
			if _, is := inputs[word]; is {
				read = append(read, word)
			}
		}
		outputs := strings.Fields(c.outputs)
		over, flag := read[r.IntN(len(read))], outputs[r.IntN(len(outputs))]
		absolute, err := filepath.Abs(over)
		if err != nil {
			t.Fatal(err)
		}
		alias := []string{over, "./" + over, absolute, "sub/../" + over, "link", "hard", "sub/back/" + over, "/proc/self/cwd/" + over}[r.IntN(8)]
		for _, err := range []error{
			os.Symlink(over, "link"), os.Link(over, "hard"), os.MkdirAll("sub", 0o755), os.Symlink("..", "sub/back"),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		child := startChild(t, c.args+" "+flag+" "+alias)
		err = child.Wait()
		switch talk := fmt.Sprint(child.Stderr); {
		case strings.Contains(talk, "is also an input"):
			refused++
		case strings.Contains(talk, "unknown flag"):
			t.Fatal(c.args, talk)
		}
		for name, text := range inputs {
			if now, _ := os.ReadFile(name); string(now) != text {
				t.Errorf("%s %s %s: %s is another file now: %v, %s", c.args, flag, alias, name, err, child.Stderr)
			}
		}
	}
	t.Logf("%d of 300 outputs over inputs were refused as such", refused)
}

// TestSideFiles gives commands files of 1.5 GB, with holes, from a pipe and without an end, in the place
// of every small file. None takes more memory than the budget and 100 MB, and all end within a second
// of SIGTERM.
func TestSideFiles(t *testing.T) {
	_, r := attacked(t)
	const budget = 100 << 20
	for _, end := range []string{".json", ".toml", ".SIF", ".csv"} {
		if err := os.WriteFile("holes"+end, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate("holes"+end, 3<<29); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo("pipe", 0o644); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile("pipe", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	var most int64
	var slowest time.Duration
	for _, c := range []struct{ args, file string }{
		{"predict --data rows --out none.csv --model", "holes.json"},
		{"report --data rows --model trained.json --certificate", "holes.json"},
		{"report --data rows --model trained.json --card", "holes.toml"},
		{"train --data in.csv --constraint none --schema", "holes.toml"},
		{"compare --preset", "holes.toml"},
		{"preset show", "holes.toml"},
		{"cutest run --method fsfo --out new --sif", "holes.SIF"},
		{"cutest eval --sif plane.SIF --at", "holes.json"},
		{"evaluate --predictions", "holes.csv"},
		{"data describe", "holes.csv"},
	} {
		for _, file := range []string{c.file, "/dev/zero", "pipe"} {
			child := startChild(t, c.args+" "+file+fmt.Sprintf(" --memory %d", budget))
			ended := make(chan error, 1)
			go func() { ended <- child.Wait() }()
			select {
			case <-ended:
			case <-time.After(time.Duration(1+r.IntN(2000)) * time.Millisecond):
				begin := time.Now()
				_ = child.Process.Signal(syscall.SIGTERM)
				<-ended
				slowest = max(slowest, time.Since(begin))
			}
			taken := child.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
			most = max(most, taken)
			if taken > budget+100<<20 || time.Duration(slowest) > time.Second {
				t.Errorf("%s %s: %d MB, ended after %v", c.args, file, taken>>20, slowest)
			}
			if talk := fmt.Sprint(child.Stderr); child.ProcessState.Success() || strings.Contains(talk, "panic") {
				t.Errorf("%s %s: %v, %s", c.args, file, child.ProcessState, talk)
			}
		}
	}
	t.Logf("at most %d MB, the budget is %d MB; at most %v from SIGTERM to the end", most>>20, budget>>20, slowest)
}
