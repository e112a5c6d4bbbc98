package command

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// errTerminated is the cause of a cancellation by SIGTERM, with which systems end
// programs.
var errTerminated = fmt.Errorf("terminated: %w", context.Canceled)

// UntilSignal returns a context that Ctrl-C and SIGTERM cancel. A second signal ends the
// program at once.
func UntilSignal() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		s := <-signals
		signal.Stop(signals)
		if s == syscall.SIGTERM {
			cancel(errTerminated)
		}
		cancel(context.Canceled)
	}()
	return ctx
}

// End is Exit for an action under the context of UntilSignal.
func (p *Program) End(ctx context.Context, err error) int {
	code := p.Exit(err)
	if code == ExitInterrupted && context.Cause(ctx) == errTerminated {
		return ExitTerminated
	}
	return code
}
