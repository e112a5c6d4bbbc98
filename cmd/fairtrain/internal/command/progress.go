package command

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows how far a long task is: a bar with the time left on a terminal; lines at
// 2, 4, 8, … seconds otherwise; nothing with --quiet or --json.
type progress struct {
	bar  *progressbar.ProgressBar // on a terminal
	say  func(text string)        // otherwise
	most float64                  // the largest share so far
	next time.Duration            // of the next line
	from time.Time
}

// FirstLine is when the first line comes. Tests that wait for it don't wait for seconds.
var FirstLine = 2 * time.Second

// progressSteps is the resolution of the bar.
const progressSteps = 1000

// NewProgress returns the progress of a task that begins.
func (p *Program) NewProgress(task string) *progress {
	if p.Quiet || p.JSON {
		return &progress{}
	}
	if p.terminal == nil {
		say := func(text string) { p.Remark("%s: %s", task, text) }
		return &progress{say: say, next: FirstLine, from: time.Now()}
	}
	return &progress{bar: newBar(p.terminal, task)}
}

func newBar(terminal io.Writer, task string) *progressbar.ProgressBar {
	return progressbar.NewOptions(progressSteps,
		progressbar.OptionSetWriter(terminal),
		progressbar.OptionSetDescription(task),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetWidth(24),
		progressbar.OptionClearOnFinish(),
	)
}

// Update shows the share of the task that is done and a word on its state. What is shown never goes
// back: shares are estimates, and a part of the task that begins may make them smaller.
func (g *progress) Update(share float64, state string) {
	g.most = min(max(g.most, share), 0.999) // done is for Finish to say
	switch {
	case g.bar != nil:
		g.bar.Describe(state)
		_ = g.bar.Set(int(progressSteps * g.most))
	case g.say != nil && time.Since(g.from) >= g.next:
		g.say(fmt.Sprintf("%.0f %%, %s", math.Floor(100*g.most), state))
		g.next *= 2
	}
}

// Clear takes the bar away until the next update: a remark is to stand there.
func (g *progress) Clear() {
	if g.bar != nil {
		_ = g.bar.Clear()
	}
}

// Finish takes the bar away.
func (g *progress) Finish() {
	if g.bar != nil {
		_ = g.bar.Finish()
	}
}
