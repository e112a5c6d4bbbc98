package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// The exit codes. Scripts rely on them.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitNotReached  = 3 // finished, but the tolerance or a constraint was not reached
	exitDiverged    = 4
	exitInterrupted = 130 // as shells have it: 128 + SIGINT
	exitTerminated  = 143 // 128 + SIGTERM
)

// failure is an error with an exit code and advice.
type failure struct {
	err   error
	code  int
	hints []string
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// usage is an error of the person at the keyboard.
func usage(err error, hints ...string) error {
	return &failure{err: err, code: exitUsage, hints: hints}
}

func usagef(format string, args ...any) error { return usage(fmt.Errorf(format, args...)) }

// advise adds hints to an error of any other kind.
func advise(err error, hints ...string) error {
	return &failure{err: err, code: exitCode(err), hints: hints}
}

// exitCode is the exit code for the error of a command.
func exitCode(err error) int {
	if err == nil {
		return 0
	}
	if f, ok := errors.AsType[*failure](err); ok {
		return f.code
	}
	if errors.Is(err, context.Canceled) {
		return exitInterrupted
	}
	return exitFailure
}

// complain tells the person about an error: each of its lines after the program's name,
// then what to do about it.
func (p *program) complain(err error) {
	if err == nil {
		return
	}
	text := err.Error()
	if errors.Is(err, context.Canceled) {
		text = "interrupted" // wherever that was
	}
	f, ok := errors.AsType[*failure](err)
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintf(p.stderr, "fairtrain: %s\n", line)
	}
	if ok {
		for _, hint := range f.hints {
			fmt.Fprintf(p.stderr, "  hint: %s\n", hint)
		}
	}
}
