package command

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

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
