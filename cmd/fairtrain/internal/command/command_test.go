package command

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"
)

// TestPrompt: an action that does not look whether it is cancelled is left alone.
func TestPrompt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := NewProgram("fairtrain", nil, io.Discard, io.Discard)
	app := &cli.App{Commands: []*cli.Command{{Name: "deaf", Action: func(*cli.Context) error {
		cancel()
		select {}
	}}}}
	p.Harden(app)
	if err := app.RunContext(ctx, []string{"fairtrain", "deaf"}); ExitCode(err) != ExitInterrupted {
		t.Errorf("error %v", err)
	}
}

// TestExitIsBrief: neither millions of errors nor one of millions of characters fill a screen.
func TestExitIsBrief(t *testing.T) {
	for name, err := range map[string]error{
		"many": errors.Join(slices.Repeat([]error{errors.New("fault")}, 1000)...), "long": errors.New(strings.Repeat("é", 100_000)),
	} {
		var stderr bytes.Buffer
		p := NewProgram("fairtrain", nil, io.Discard, &stderr)
		p.Remark("%s", strings.Repeat("column, ", 10_000))
		p.Exit(err)
		if text := stderr.String(); strings.Count(text, "\n") > 22 || len(text) > 5000 || strings.Contains(text, `\x`) {
			t.Errorf("%s: %d lines, %d bytes, at the end %q", name, strings.Count(text, "\n"), len(text), text[len(text)-40:])
		}
	}
}

// TestWriteOutputs has a file that can't be written among others.
func TestWriteOutputs(t *testing.T) {
	p := NewProgram("fairtrain", nil, nil, nil)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(path("old"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	files := []Content{{path("old"), []byte("new")}, {path("new"), []byte("new")}, {path("no/such"), []byte("new")}}
	if err := p.WriteOutputs(files...); err == nil {
		t.Fatal("written into a folder that does not exist")
	}
	if text, err := os.ReadFile(path("old")); err != nil || string(text) != "old" {
		t.Errorf("the old file is %q (%v)", text, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v (%v)", entries, err)
	}
	if err := p.WriteOutputs(files[:2]...); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path("old")); err != nil || string(text) != "new" {
		t.Errorf("the old file is now %q (%v)", text, err)
	}
}

// TestLines: lines are for those who have no terminal. They never go back, nor say that all is
// done.
func TestLines(t *testing.T) {
	var lines []string
	g := &progress{say: func(text string) { lines = append(lines, text) }}
	for _, share := range []float64{0.256, 0.25, 0.999, 1} {
		g.Update(share, "so far")
	}
	if got := strings.Join(lines, "; "); got != "25 %, so far; 25 %, so far; 99 %, so far; 99 %, so far" {
		t.Errorf("said: %s", got)
	}
}

// TestBar looks at what a terminal gets: a bar with the share done, which is gone in the
// end.
func TestBar(t *testing.T) {
	var terminal bytes.Buffer
	g := &progress{bar: newBar(&terminal, "training")}
	g.Update(0.5, "half of it")
	time.Sleep(200 * time.Millisecond) // longer than the bar waits between pictures
	g.Update(0.4, "half of it")        // never back
	shown := terminal.String()
	if !strings.Contains(shown, "half of it  50% |████████████            |") {
		t.Errorf("shown: %q", shown)
	}
	g.Finish()
	if last := terminal.String()[strings.LastIndex(strings.TrimRight(terminal.String(), "\r"),
		"\r")+1:]; strings.TrimSpace(last) != "" {
		t.Errorf("left on the line: %q", last)
	}
}
