package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"fairtrain": main})
}

// TestScripts runs the sessions in testdata. Beyond the usual commands they have
//
//	exits N command args…   run a command that must exit with N
//	[data:NAME]             whether $FAIRTRAIN_DATA holds the file NAME
//
// and a server that offers the script's directory mirror as $FAIRTRAIN_MIRROR.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Condition:           hasData,
		Setup:               offerMirror,
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

func hasData(condition string) (bool, error) {
	name, ok := strings.CutPrefix(condition, "data:")
	if !ok {
		return false, fmt.Errorf("unknown condition %q", condition)
	}
	_, err := os.Stat(filepath.Join(os.Getenv("FAIRTRAIN_DATA"), name))
	return os.Getenv("FAIRTRAIN_DATA") != "" && err == nil, nil
}

func offerMirror(env *testscript.Env) error {
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(env.WorkDir, "mirror"))))
	env.Defer(server.Close)
	env.Setenv("FAIRTRAIN_MIRROR", server.URL)
	env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, "cache"))
	return nil
}
