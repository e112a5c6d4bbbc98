// Package processes lets tests kill workers of pipelines.
package processes

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
)

// Workers makes the workers of a test processes of their own: its test binary, which calls beam.Init.
// It returns a function that tells the number of the first one, 0 while there is none.
func Workers(t *testing.T) (first func() (pid int)) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	pids := filepath.Join(dir, "pids")
	// Runners put the name of a worker in quotes.
	script := fmt.Sprintf(`#!/bin/sh
for flag; do
	case $flag in
	--id=*) id=$(echo "${flag#*=}" | tr -d "'") ;;
	--provision_endpoint=*) endpoint=${flag#*=} ;;
	esac
done
echo $$ >>'%s'
exec '%s' --worker --id="$id" --logging_endpoint="$endpoint" --control_endpoint="$endpoint"
`, pids, program)
	start := filepath.Join(dir, "worker")
	if err := os.WriteFile(start, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]string{"command": start})
	if err != nil {
		t.Fatal(err)
	}
	for flag, value := range map[*string]string{
		jobopts.EnvironmentType:   "process",
		jobopts.EnvironmentConfig: string(config),
		jobopts.WorkerBinary:      start, // so that Beam does not compile one
	} {
		before := *flag
		t.Cleanup(func() { *flag = before })
		*flag = value
	}
	return func() int {
		text, _ := os.ReadFile(pids)
		number, _, complete := strings.Cut(string(text), "\n")
		if !complete {
			return 0
		}
		pid, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		return pid
	}
}

// Kill has kill kill a worker, until it reports that the job ended. Prism sometimes never ends the job of
// a dead worker (SDK 2.77: a bundle that is sent while its stream breaks gets no answer). Such a job says
// nothing, and another one is tried.
func Kill(t *testing.T, kill func(t *testing.T) (ended bool)) {
	t.Helper()
	for range 12 {
		if kill(t) {
			return
		}
		t.Log("Prism has not noticed that the worker is dead")
	}
	t.Fatal("no job ended after its worker was killed")
}
