// Package elsewhere is fairtrain train for programs whose rows are in other places: with its
// words, its files and its exit codes.
package elsewhere

import (
	"context"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/training"
)

// Rows returns the rows of a name, and what evaluates all of them in the places that have them.
type Rows = training.Elsewhere

// Places evaluate rows, and tell about it.
type Places = training.Places

// Workers is the category of flags that say how the work is done, and change no result.
const Workers = training.Workers

// Run runs a program of that name until ctx ends and returns its exit code. The command train
// has the given flags besides its own.
func Run(ctx context.Context, name string, args []string, stdin io.Reader, stdout, stderr io.Writer, rows Rows, flags []cli.Flag) int {
	p := command.NewProgram(name, stdin, stdout, stderr)
	app := &cli.App{
		Name:     name,
		Usage:    "train on rows in other places",
		Flags:    append(command.TalkFlags(), command.RunFlags()...),
		Action:   p.NoCommand,
		Commands: []*cli.Command{training.CommandElsewhere(p, rows, flags)},
	}
	p.Harden(app)
	return p.End(ctx, app.RunContext(ctx, command.FlagsFirst(app, args)))
}

// UntilSignal returns a context that Ctrl-C and SIGTERM cancel.
func UntilSignal() context.Context { return command.UntilSignal() }

// Usagef is an error of the person at the keyboard.
func Usagef(format string, args ...any) error { return command.Usagef(format, args...) }
