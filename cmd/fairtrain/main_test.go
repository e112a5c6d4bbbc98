package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fairtrain/fairtrain/classifier"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"fairtrain": main})
}

// TestScripts runs the sessions in testdata. Beyond the usual commands they have
//
//	exits N command args…   run a command that must exit with N
//	generate NAME           make a file that no script can hold
//	[data:NAME]             whether there is the file NAME in $REAL_DATA, which is
//	                        $FAIRTRAIN_DATA of the tests
//
// and a server that offers the script's directory mirror as $FAIRTRAIN_MIRROR.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "generate": generate, "damage": damage},
		Condition:           hasData,
		Setup:               setup,
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
	default:
		ts.Fatalf("unknown file %q", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), content, 0o644))
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

func hasData(condition string) (bool, error) {
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

// TestInterrupt interrupts a run that would not end, as Ctrl-C does, once it has said
// that it is training.
func TestInterrupt(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		flags  []string
		stderr string
		saved  bool
	}{
		"discard": {nil, "fairtrain: interrupted, nothing written\n  hint: --save-on-interrupt", false},
		"save":    {[]string{"--save-on-interrupt"}, "fairtrain: interrupted\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(program, append([]string{"train", "--tol", "1e-300", "--max-passes", "1e9"}, test.flags...)...)
			cmd.Args[0] = "fairtrain" // what TestMain goes by
			cmd.Dir = t.TempDir()
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
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(stderr)
			if err != nil || !strings.Contains(string(rest), test.stderr) {
				t.Errorf("stderr %q (%v), want %q in it", rest, err, test.stderr)
			}
			if exit, ok := errors.AsType[*exec.ExitError](cmd.Wait()); !ok || exit.ExitCode() != exitInterrupted {
				t.Errorf("ended with %v, want exit code %d", exit, exitInterrupted)
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
	code := run(ctx, []string{"fairtrain", "data", "check", "-"}, silence, &stdout, &stderr)
	if code != exitInterrupted || stdout.Len() > 0 || stderr.String() != "fairtrain: interrupted\n" {
		t.Errorf("code %d, stdout %q, stderr %q", code, &stdout, &stderr)
	}
}

// TestUnwritable fails to print a result.
func TestUnwritable(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("no device that is always full: %v", err)
	}
	defer full.Close()
	for _, args := range [][]string{{"version"}, {"version", "--json"}, {"data", "list"}, {"data", "describe", "synthetic"}, {"help", "fsfo"}} {
		var stderr bytes.Buffer
		code := run(t.Context(), append([]string{"fairtrain"}, args...), nil, full, &stderr)
		if code != exitFailure || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%v: code %d, stderr %q", args, code, &stderr)
		}
	}
}
