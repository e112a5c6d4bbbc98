package main

import (
	"bytes"
	"errors"
	"flag"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fairtrain/fairtrain/beam/rows"
)

// flink starts a real Flink and returns the endpoint of its job server. It skips the test where
// there is none to be had.
func flink(t *testing.T) string {
	t.Helper()
	for _, program := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("needs %s to start a Flink: %v", program, err)
		}
	}
	free, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	endpoint := free.Addr().String()
	_, port, _ := net.SplitHostPort(endpoint)
	free.Close()
	server := exec.CommandContext(t.Context(), filepath.Join("..", "..", "flink", "serve"), port)
	server.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	var said bytes.Buffer
	server.Stderr = &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	for {
		select {
		case err := <-ended:
			const unavailable = 69
			if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == unavailable {
				t.Skip("needs a Flink: ", said.String())
			}
			t.Fatalf("Flink ended: %v: %s", err, said.String())
		case <-time.After(100 * time.Millisecond):
		}
		if c, err := net.Dial("tcp", endpoint); err == nil {
			c.Close()
			return endpoint
		}
	}
}

// TestFlink trains on shards with a real Flink and its two task slots, and in memory, and has its
// workers try candidates.
func TestFlink(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	for _, name := range []string{"runner", "endpoint", "environment_type", "parallelism"} {
		before := flag.Lookup(name).Value.String()
		t.Cleanup(func() {
			if err := flag.Set(name, before); err != nil {
				t.Error(err)
			}
		})
	}
	onFlink := []string{"--runner", "flink", "--endpoint", flink(t), "--environment_type", "LOOPBACK", "--parallelism", "2"}
	t.Run("a9a", func(t *testing.T) {
		d := a9a(t)
		// A job takes seconds to start. This takes few, and every kind of sum.
		flags := []string{"--constraint", "equalized-odds:group=72,bound=0.02", "--on", "scores", "--tol", "0.1"}
		want := inMemory(t, d, flags)
		for _, count := range []int{1, 3, 8} {
			pattern, err := rows.Write(t.TempDir(), d, count)
			if err != nil {
				t.Fatal(err)
			}
			got := command(t, inProcess(t.Context()), append(append(flags, "--data", pattern), onFlink...)...)
			if diff := cmp.Diff(want.Certificate, got.Certificate); diff != "" {
				t.Errorf("certificate of %d shards (-memory +Flink):\n%s", count, diff)
			}
			if diff := cmp.Diff(want.Classifier, got.Classifier, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("classifier of %d shards (-memory +Flink):\n%s", count, diff)
			}
		}
	})
	t.Run("adult", func(t *testing.T) { // with few jobs, on decisions
		adult(t, []string{"--loss", "logistic", "--temperature", "1", "--tol", "0.3"}, onFlink)
	})
	t.Run("cutest", func(t *testing.T) {
		words, dir := cellCommands(t)[1], t.TempDir()
		here, there := filepath.Join(dir, "here"), filepath.Join(dir, "there")
		want := carriedOut(t, inThisProcess(t.Context()), here, words)
		if diff := cmp.Diff(want, carriedOut(t, inProcess(t.Context()), there, append(words, onFlink...))); diff != "" {
			t.Errorf("printed (-here +Flink):\n%s", diff)
		}
		compareFolders(t, here, there)
	})
}
