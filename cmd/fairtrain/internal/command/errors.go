package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/internal/leftovers"
)

// The exit codes. Scripts rely on them.
const (
	ExitFailure     = 1
	ExitUsage       = 2
	ExitNotReached  = 3 // finished, but the tolerance or a constraint was not reached
	ExitDiverged    = 4
	ExitInterrupted = 130 // signalled + SIGINT

	signalled = 128 // as shells have it: plus the number of the signal that ended the program
)

// Failure is an error with an exit code and advice.
type Failure struct {
	Err   error
	Code  int
	Hints []string
}

func (f *Failure) Error() string { return f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }

// Fail is an error with an exit code and hints.
func Fail(code int, err error, hints ...string) error { return &Failure{err, code, hints} }

// Usage is an error of the person at the keyboard.
func Usage(err error, hints ...string) error { return Fail(ExitUsage, err, hints...) }

// Usagef is usage with a text.
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }

// Advise adds hints to an error of any other kind, after those that it has.
func Advise(err error, hints ...string) error {
	if f, ok := errors.AsType[*Failure](err); ok {
		hints = slices.Concat(f.Hints, hints)
	}
	return Fail(ExitCode(err), err, hints...)
}

// ExitCode is the exit code for the error of a command.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	if f, ok := errors.AsType[*Failure](err); ok {
		return f.Code
	}
	if errors.Is(err, context.Canceled) {
		return ExitInterrupted
	}
	return ExitFailure
}

// Exit prints the error with which a command ended, nil for none: each line after the
// program's name, then the hints. A result that could not be printed is an error too. It
// returns the exit code.
func (p *Program) Exit(err error) int {
	if err == nil {
		err = p.results.err
	}
	if err == nil {
		return 0
	}
	text := err.Error()
	if errors.Is(err, context.Canceled) {
		text = "interrupted" // wherever that was
	}
	var hints []string
	if f, ok := errors.AsType[*Failure](err); ok {
		hints = f.Hints
	}
	if _, ok := errors.AsType[*dataset.NoComparisonError](err); ok && hints == nil {
		hints = []string{"name other groups, such as column, column=value or column<number: fairtrain data describe shows what columns hold"}
	}
	const mostLines = 20 // a hostile file has millions of faults
	lines := strings.SplitN(text, "\n", mostLines+1)
	if len(lines) > mostLines {
		lines[mostLines] = fmt.Sprintf("and %d more errors", 1+strings.Count(lines[mostLines], "\n"))
	}
	for _, line := range lines {
		fmt.Fprintf(p.Stderr, "%s: %s\n", p.Name, cut(line))
	}
	for _, hint := range hints {
		fmt.Fprintf(p.Stderr, "  hint: %s\n", hint)
	}
	return ExitCode(err)
}

// cut returns the beginning of a line that nobody would read to its end: one about millions of values.
func cut(line string) string {
	const most = 2000 // bytes
	if len(line) <= most {
		return line
	}
	return strings.ToValidUTF8(line[:most], "") + "…"
}

// ended is the cause of a cancellation by a signal.
type ended struct{ by syscall.Signal }

func (e ended) Error() string { return e.by.String() }

func (ended) Unwrap() error { return context.Canceled }

// UntilSignal returns a context that Ctrl-C, SIGTERM and the end of a terminal cancel, except for
// those that the program was started to ignore. A second signal ends the program at once.
func UntilSignal() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	go func() {
		s := <-signals
		cancel(ended{s.(syscall.Signal)})
		s = <-signals
		signal.Stop(signals)
		Leave(signalled + int(s.(syscall.Signal)))
	}()
	return ctx
}

// Leave ends the program with an exit code. It leaves no lock and no temporary file of work that a
// signal ended.
func Leave(code int) {
	leftovers.Remove()
	os.Exit(code)
}

// End is Exit for an action under the context of UntilSignal. After a signal the code is that of
// shells, and nobody need hear of it: a pipe that nobody empties holds nothing up.
func (p *Program) End(ctx context.Context, err error) int {
	const patience = 200 * time.Millisecond
	told, unheard, code := make(chan int, 1), make(chan bool), ExitInterrupted
	defer context.AfterFunc(ctx, func() { time.AfterFunc(patience, func() { close(unheard) }) })()
	go func() { told <- p.Exit(err) }()
	select {
	case code = <-told:
	case <-unheard:
	}
	if by, ok := context.Cause(ctx).(ended); ok && code == ExitInterrupted {
		return signalled + int(by.by)
	}
	return code
}
