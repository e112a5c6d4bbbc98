package command

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// ended is the cause of a cancellation by a signal.
type ended struct{ by syscall.Signal }

func (e ended) Error() string { return e.by.String() }

func (ended) Unwrap() error { return context.Canceled }

// UntilSignal returns a context that Ctrl-C, SIGTERM and the end of a terminal cancel, except for those that the program
// was started to ignore. A second signal ends the program at once.
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
		signal.Stop(signals)
		cancel(ended{s.(syscall.Signal)})
	}()
	return ctx
}

// End is Exit for an action under the context of UntilSignal. After a signal the code is that of shells.
func (p *Program) End(ctx context.Context, err error) int {
	code := p.Exit(err)
	if by, ok := context.Cause(ctx).(ended); ok && code == ExitInterrupted {
		return signalled + int(by.by)
	}
	return code
}
