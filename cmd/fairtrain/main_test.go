package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/internal/atomicfile"
	"github.com/fairtrain/fairtrain/plots"
)

// TestMain has coarse figures drawn, and waits for no disk, here and in the sessions: half of
// the time of all tests that write figures would go into pixels and fonts.
func TestMain(m *testing.M) {
	plots.Draft, atomicfile.Unsynced = true, true
	debug.SetGCPercent(400) // commands in one process, thousands of them, have small heaps
	if first, err := time.ParseDuration(os.Getenv(firstLine)); err == nil {
		command.FirstLine = first
	}
	testscript.Main(m, map[string]func(){"fairtrain": main})
}

// firstLine is the variable of the environment that says when a program started by a test shows
// its progress for the first time.
const firstLine = "FAIRTRAIN_TEST_FIRST_LINE"

// TestScripts runs the sessions in testdata. Beyond the usual commands they have
//
//	exits N command args…   run a command that must exit with N
//	generate NAME           make a file that no script can hold
//	damage FOLDER           cut the first file of a folder short
//	hardlink NEW FILE       give a file another name
//	columnar CSV FILE       write a CSV file as a Parquet file
//	[long]                  whether the tests that take minutes run, too
//	[data:NAME]             whether there is the file NAME in $REAL_DATA, which is
//	                        $FAIRTRAIN_DATA of the tests
//
// and a server that offers the script's directory mirror as $FAIRTRAIN_MIRROR.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool,
			[]string){"exits": exits, "generate": generate, "damage": damage, "hardlink": hardlink, "columnar": columnar},
		Condition: condition,
		Setup:     setup,
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if neg || err != nil || len(args) < 2 {
		ts.Fatalf("usage: exits code command args…")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func generate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: generate name")
	}
	var content []byte
	switch args[0] {
	case "garbage":
		for i := range 1000 {
			content = append(content, byte(i*i))
		}
	case "longline":
		content = append([]byte("+1 "), bytes.Repeat([]byte("1:"), 5_000_000)...)
	case "corrupt.gz":
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		fmt.Fprint(z, "+1 1:1\n-1 2:1\n")
		ts.Check(z.Close())
		content = b.Bytes()
		content[len(content)-8] ^= 1 // of the checksum
	case "hostile.csv": // a control sequence of C1, a mark that turns text round, markup
		content = []byte("pay,to<b>wn](x)|,s\u202eex,hired\n")
		for i := range 40 {
			content = fmt.Appendf(content, "%d,\"a\u009b2J\nb%d\",%s\u200f,%d\n", i*i%17, i%2,
				[]string{"f", "m"}[i%3%2], i*i%17/8%2)
		}
	case "doubts.csv": // columns that are easily misread
		content = doubts()
	case "few.libsvm", "few.t":
		var err error
		content, err = fewRows(map[string]string{"few.libsvm": "synthetic", "few.t": "synthetic.t"}[args[0]])
		ts.Check(err)
	case "hostile.json": // a model whose feature clears the screen
		model, err := os.ReadFile(ts.MkAbs("plain.json"))
		ts.Check(err)
		content = bytes.Replace(model, []byte(`"gender=female"`), []byte(`"\u001b[2J<i>"`), 1)
	default:
		ts.Fatalf("unknown file %q", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), content, 0o644))
}

// doubts are rows of 200 people, two of each: a share of which every third lacks its percent sign,
// months since something that one in ten has never done, hours that one in five does not say, and a
// day as one number.
func doubts() []byte {
	content := []byte("person,share,months,hours,since,pay,hired\n")
	for i := range 400 {
		share, months := fmt.Sprintf("%d%%", 10+i%90), i*7%60
		if i%3 == 0 {
			share = fmt.Sprintf("0.%d", 10+i%90)
		}
		if i%10 == 7 {
			months = 999
		}
		hours := fmt.Sprint(10 + i*11%61)
		if i%5 == 3 {
			hours = "-"
		}
		content = fmt.Appendf(content, "P%d,%s,%d,%s,%d,%d,%d\n", 1000+i*37%200, share, months,
			hours, 20010101+100*(i%12)+i%28, 20000+100*(i*i%199), i*i%17/8%2)
	}
	return content
}

// fewRows are the first rows of built-in data, for tests in which their number is not the
// point.
func fewRows(name string) ([]byte, error) {
	synthetic, err := catalogue.Load(name, nil, libsvm.Options{})
	if err != nil {
		return nil, err
	}
	first := make([]int, 2000)
	for i := range first {
		first[i] = i
	}
	var b bytes.Buffer
	err = libsvm.Write(&b, synthetic.Pick(first, "few"))
	return b.Bytes(), err
}

// damage drops the last line of the first file in a folder.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage folder")
	}
	files, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "*"))
	ts.Check(err)
	content, err := os.ReadFile(files[0])
	ts.Check(err)
	lines := bytes.SplitAfter(content, []byte("\n"))
	ts.Check(os.WriteFile(files[0], bytes.Join(lines[:len(lines)-2], nil), 0o644))
}

func hardlink(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: hardlink new file")
	}
	ts.Check(os.Link(ts.MkAbs(args[1]), ts.MkAbs(args[0])))
}

// columnar writes a CSV file as a Parquet file: numbers are doubles, missing values nulls.
func columnar(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: columnar file.csv file.parquet")
	}
	out, err := asParquet(ts.ReadFile(args[0]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), out, 0o644))
}

// asParquet returns a CSV file as a Parquet file.
func asParquet(text string) ([]byte, error) {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	columns := parquet.Group{}
	for k, name := range rows[0] {
		columns[name] = parquet.Leaf(parquet.DoubleType)
		hasAll := true // else 0 would be written as a null, too
		for _, row := range rows[1:] {
			if _, err := strconv.ParseFloat(row[k], 64); err != nil && row[k] != "" {
				columns[name] = parquet.String()
			}
			hasAll = hasAll && row[k] != ""
		}
		if !hasAll {
			columns[name] = parquet.Optional(columns[name])
		}
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[map[string]any](&out, parquet.NewSchema("rows", columns),
		parquet.MaxRowsPerRowGroup(50))
	for _, row := range rows[1:] {
		values := map[string]any{}
		for k, name := range rows[0] {
			if number, err := strconv.ParseFloat(row[k], 64); err == nil &&
				columns[name].Type().Kind() == parquet.Double {
				values[name] = number
			} else if row[k] != "" {
				values[name] = row[k]
			}
		}
		if _, err := w.Write([]map[string]any{values}); err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return out.Bytes(), err
}

func condition(condition string) (bool, error) {
	if condition == "long" {
		return *long, nil
	}
	name, ok := strings.CutPrefix(condition, "data:")
	if !ok {
		return false, fmt.Errorf("unknown condition %q", condition)
	}
	_, err := os.Stat(filepath.Join(realData(), name))
	return realData() != "" && err == nil, nil
}

func realData() string { return os.Getenv("FAIRTRAIN_DATA") }

func setup(env *testscript.Env) error {
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(env.WorkDir, "mirror"))))
	env.Defer(server.Close)
	env.Setenv("FAIRTRAIN_MIRROR", server.URL)
	env.Setenv("REAL_DATA", realData())
	env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, "cache"))
	env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
	return nil
}

// TestInterrupt interrupts a run that would not end, as Ctrl-C does, or terminates it, once
// it has said that it is training.
func TestInterrupt(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	few, err := fewRows("synthetic")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		signal os.Signal
		code   int
		flags  []string
		stderr string
		saved  bool
	}{
		"discard":        {os.Interrupt, 130, nil, "fairtrain: interrupted, nothing written\n  hint: --save-on-interrupt", false},
		"save":           {os.Interrupt, 130, []string{"--save-on-interrupt"}, "fairtrain: interrupted\n", true},
		"terminate":      {syscall.SIGTERM, 143, nil, "fairtrain: interrupted, nothing written\n", false},
		"hang up":        {syscall.SIGHUP, 129, nil, "fairtrain: interrupted, nothing written\n", false},
		"terminate save": {syscall.SIGTERM, 143, []string{"--save-on-interrupt"}, "fairtrain: interrupted\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if signal.Ignored(test.signal) {
				t.Skip("who runs the tests ignores the signal, as nohup does, and so does the program")
			}
			args := []string{"train", "--data", "few.libsvm", "--constraint", "demographic-parity:group=71,bound=0.02", "--tol", "1e-300", "--max-passes", "1e9"}
			cmd := exec.Command(program, append(args, test.flags...)...)
			cmd.Args[0] = "fairtrain" // what TestMain goes by
			cmd.Env = append(os.Environ(), firstLine+"=50ms")
			cmd.Dir = t.TempDir()
			if err := os.WriteFile(filepath.Join(cmd.Dir, "few.libsvm"), few, 0o600); err != nil {
				t.Fatal(err)
			}
			pipe, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			stderr := bufio.NewReader(pipe)
			line, err := stderr.ReadString('\n')
			if err != nil || !strings.HasPrefix(line, "fairtrain: training: ") {
				t.Errorf("first line %q (%v)", line, err)
			}
			if err := cmd.Process.Signal(test.signal); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(stderr)
			if err != nil || !strings.Contains(string(rest), test.stderr) {
				t.Errorf("stderr %q (%v), want %q in it", rest, err, test.stderr)
			}
			if exit, ok := errors.AsType[*exec.ExitError](cmd.Wait()); !ok || exit.ExitCode() != test.code {
				t.Errorf("ended with %v, want exit code %d", exit, test.code)
			}
			if _, err := classifier.Load(filepath.Join(cmd.Dir, "model.json")); (err == nil) != test.saved {
				t.Errorf("loading the model: %v; should it be there? %v", err, test.saved)
			}
		})
	}
}

// TestInterruptedInput waits for standard input that never comes.
func TestInterruptedInput(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	silence, _ := io.Pipe()
	var stdout, stderr bytes.Buffer
	time.AfterFunc(10*time.Millisecond, cancel)
	code := run(ctx, []string{"fairtrain", "data", "describe", "-"}, silence, &stdout, &stderr)
	if code != command.ExitInterrupted || stdout.Len() > 0 || stderr.String() != "fairtrain: interrupted\n" {
		t.Errorf("code %d, stdout %q, stderr %q", code, &stdout, &stderr)
	}
}

// TestInterruptedUnheard ends though nobody reads what it says.
func TestInterruptedUnheard(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	silence, _ := io.Pipe()
	_, unread := io.Pipe()
	if code := run(ctx, []string{"fairtrain", "data", "describe", "-"}, silence, unread, unread); code != command.ExitInterrupted {
		t.Errorf("code %d", code)
	}
}

// TestInterruptedWords interrupts commands as soon as they compute. They say so, in words.
func TestInterruptedWords(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, content := range map[string]string{"rows": "+1 1:1\n-1 2:1\n", "plane.SIF": plane} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range []string{
		"train --constraint none", "train --data rows --constraint none", "frontier --constraint demographic-parity:group=71,bound=0.1",
		"compare --smoke", "compare --smoke --tune tuned.toml", "cutest run --sif plane.SIF", "cutest list --sif plane.SIF", "cutest eval --at - plane.SIF",
		"evaluate --data - --group 1", "predict --data -", "certify --data - --constraint demographic-parity:group=1,bound=0.1", "data pack --out x.fpk -",
	} {
		silence, _ := io.Pipe()
		var stdout, stderr bytes.Buffer
		code := run(cancelled, append([]string{"fairtrain"}, strings.Fields(args)...), silence, &stdout, &stderr)
		if code != command.ExitInterrupted || !strings.Contains(stderr.String(),
			"fairtrain: interrupted") || strings.Contains(stderr.String(), "canceled") || stdout.Len() > 0 {
			t.Errorf("%s: code %d, stdout %q, stderr %q", args, code, &stdout, &stderr)
		}
	}
}

// fullDisk takes some bytes and fails from then on.
type fullDisk struct{ left int }

var errFull = errors.New("no space left on device")

func (f *fullDisk) Write(b []byte) (int, error) {
	n := min(f.left, len(b))
	f.left -= n
	if n < len(b) {
		return n, errFull
	}
	return n, nil
}

// TestUnwritable fails to print the last byte of results.
func TestUnwritable(t *testing.T) {
	t.Chdir(t.TempDir())
	prepare(t)
	if err := os.WriteFile("scored.csv", []byte("y_true,y_pred,group\n0,0,a\n1,1,b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		"compare --preset one.toml --out compared --quiet",
		"cutest run --sif plane.SIF --candidates 1 --method fsfo --out solved --quiet",
		"train --data rows --constraint none --quiet",

		"version", "version --json", "--version",
		"--help", "train --help", "data --help", "help", "help train", "help fsfo",
		"data list", "data describe synthetic", "data describe --json rows",
		"data describe --write-schema - scored.csv",
		"preset list", "preset show synthetic",
		"plot --json compared",
		"cutest list --built-in", "cutest table solved", "cutest table --json solved", "cutest plot --json solved", "cutest eval plane.SIF",
		"predict --data rows", "predict --data rows --json", "evaluate --data rows --group 1", "evaluate --predictions scored.csv",
	} {
		words := append([]string{"fairtrain"}, strings.Fields(args)...)
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), words, nil, &stdout, &stderr); code != 0 || stdout.Len() == 0 &&
			!strings.Contains(args, "--out") {
			t.Errorf("%s: code %d, %d bytes, stderr %q", args, code, stdout.Len(), &stderr)
		}
		if stdout.Len() == 0 {
			continue
		}
		code := run(t.Context(), words, nil, &fullDisk{left: stdout.Len() - 1}, &stderr)
		if code != command.ExitFailure || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%s: code %d, stderr %q", args, code, &stderr)
		}
	}
}
