package main

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
	"github.com/fairtrain/fairtrain/internal/folderlock"
)

var (
	kills    = flag.Duration("kills", time.Second, "kill commands that write for `TIME`")
	killSeed = flag.Uint64("kill-seed", 1, "kill them at the moments that `SEED` draws")
)

// killedCommand is a command to be killed.
type killedCommand struct {
	written
	// once says that the command refuses to be done twice: that rows are tested.
	once bool
}

func killedCommands() []killedCommand {
	list := []killedCommand{
		{written{args: "compare --preset eight.toml --out new --jobs 2 --quiet"}, false},
		{written{args: "cutest run --sif plane.SIF --candidates 60 --out new --quiet"}, false},
		{written{args: "certify --model trained.json --data fresh --constraint demographic-parity:group=1,bound=0.9 --confidence 0.5 --ledger book"}, true},
		{written{args: "train --data rows --certify fresh --constraint demographic-parity:group=1,bound=0.9 --confidence 0.5 --ledger book --model model.json --quiet"}, true},
	}
	for _, c := range writingCommands {
		list = append(list, killedCommand{c, false})
	}
	return list
}

// TestKills kills commands that write at random moments, for the time that -kills gives, or has them
// end. Then every file is what it was or what it becomes. After a kill there may be a temporary file
// or a lock; a command that could end leaves none. Started again until it gets to its end, the command makes what one makes
// that was left alone, does no finished run again, and leaves none of these.
func TestKills(t *testing.T) {
	t.Chdir(t.TempDir())
	prepare(t)
	few, err := fewRows("synthetic")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"few.libsvm": few, "eight.toml": []byte(eightRuns)} {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	inputs := readTree(t)
	r := rand.New(rand.NewPCG(*killSeed, 14))
	list := killedCommands()
	whole := make([]*wholeRun, len(list))
	count := killCount{}
	for deadline := time.Now().Add(*kills); time.Now().Before(deadline) && !t.Failed(); {
		k := r.IntN(len(list))
		if whole[k] == nil {
			whole[k] = leaveAlone(t, list[k], inputs)
		}
		killUntilTheEnd(t, r, list[k], whole[k], &count)
	}
	t.Logf("%d kills, of which %d left temporary files and %d a lock; %d ended by SIGTERM, within %v; %d commands got to their end",
		count.kills, count.temporary, count.locks, count.terminated, count.slowest.Round(time.Millisecond), count.ends)
}

type killCount struct {
	kills, temporary, locks, terminated, ends int
	slowest                                   time.Duration // from SIGTERM to the end
}

// wholeRun is what a command does that nobody kills.
type wholeRun struct {
	before, after tree
	duration      time.Duration
}

func leaveAlone(t *testing.T, c killedCommand, inputs tree) *wholeRun {
	t.Helper()
	w := &wholeRun{before: inputs.of(c.args)}
	for _, name := range c.old {
		w.before[name] = "old\n"
	}
	restore(t, w.before)
	begin := time.Now()
	child := startChild(t, c.args)
	if err := child.Wait(); err != nil {
		t.Fatalf("%s: %v\n%s", c.args, err, child.Stderr)
	}
	w.duration = time.Since(begin)
	w.after = readTree(t)
	return w
}

// killUntilTheEnd starts a command anew, kills it up to five times and lets it get to its end.
func killUntilTheEnd(t *testing.T, r *rand.Rand, c killedCommand, w *wholeRun, count *killCount) {
	t.Helper()
	restore(t, w.before)
	finished, traces := tree{}, [2]int{} // temporary files and locks before
	for left := 1 + r.IntN(5); ; left-- {
		child := startChild(t, c.args)
		how, begin := []os.Signal{syscall.SIGKILL, syscall.SIGTERM}[r.IntN(2)], time.Now()
		if left > 0 {
			time.Sleep(time.Duration(r.Int64N(int64(w.duration) + 1)))
			begin = time.Now()
			_ = child.Process.Signal(how) // it may have ended
		}
		err := child.Wait()
		terminated := child.ProcessState.ExitCode() == 128+int(syscall.SIGTERM)
		files := readTree(t)
		for name, text := range finished {
			if files[name] != text {
				t.Errorf("%s: after %d kills, %s was finished and is done again", c.args, count.kills, name)
			}
		}
		killed := terminated || err != nil && child.ProcessState.ExitCode() < 0
		if !killed {
			count.ends++
			if c.once && strings.Contains(fmt.Sprint(child.Stderr), "tested before") {
				takeTraces(files) // it wrote nothing, so that it swept nothing
			} else if err != nil || !maps.Equal(timelessTree(files), timelessTree(w.after)) {
				t.Errorf("%s: after %d kills: %v, %s", c.args, count.kills, err, child.Stderr)
			}
			for _, fault := range torn(timelessTree(files), timelessTree(w.before), timelessTree(w.after)) {
				t.Errorf("%s: at its end: %s", c.args, fault)
			}
			return
		}
		count.kills++
		temporary, locks := takeTraces(files)
		if terminated {
			count.terminated++
			count.slowest = max(count.slowest, time.Since(begin))
			if temporary > traces[0] || locks > traces[1] {
				t.Errorf("%s: ended by SIGTERM, it left %d temporary files and %d locks; before it there were %v", c.args, temporary, locks, traces)
			}
		} else {
			count.temporary += temporary
			count.locks += locks
		}
		traces = [2]int{temporary, locks}
		if err := takeTable(files); err != nil {
			t.Errorf("%s: after %d kills: %v", c.args, count.kills, err)
		}
		for _, fault := range torn(timelessTree(files), timelessTree(w.before), timelessTree(w.after)) {
			t.Errorf("%s: after %d kills: %s", c.args, count.kills, fault)
		}
		bookEntries(t)
		for name, text := range files {
			if path.Dir(name) == "new/run" {
				finished[name] = text
			}
		}
	}
}

// growing is a table that has a row more with every finished run.
const growing = "new/runs.csv"

// takeTable takes the growing table out of a tree. It is an error if that is torn.
func takeTable(files tree) error {
	text := files[growing]
	delete(files, growing)
	if _, err := csv.NewReader(strings.NewReader(text)).ReadAll(); err != nil {
		return fmt.Errorf("%s: %w", growing, err)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		return fmt.Errorf("%s ends within a line", growing)
	}
	return nil
}

// takeTraces takes temporary files and locks out of a tree and returns how many there were.
func takeTraces(files tree) (temporary, locks int) {
	for name := range files {
		switch base := path.Base(name); {
		case strings.HasPrefix(base, atomicfile.Prefix):
			temporary++
			delete(files, name)
		case strings.HasPrefix(base, folderlock.Name):
			locks++
			delete(files, name)
		}
	}
	return temporary, locks
}

// startChild starts the program.
func startChild(t *testing.T, args string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(program, strings.Fields(args)...)
	child.Args[0] = "fairtrain" // what TestMain goes by
	child.Stderr = new(bytes.Buffer)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	return child
}
