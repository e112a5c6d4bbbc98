// Package elsewhere is fairtrain for programs that do the work in other places: train on rows that
// are there, and compare, cutest run and frontier by workers, with its words, its files and its
// exit codes.
package elsewhere

import (
	"context"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/research"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/training"
)

// Rows returns the rows of a name, and what evaluates all of them in the places that have them.
type Rows = training.Elsewhere

// Places evaluate rows, and tell about it.
type Places = training.Places

// Executors returns what does the cells of a command.
type Executors = command.Executors

// FrontierJob is what another process needs to train the classifiers of a frontier.
type FrontierJob = training.FrontierJob

// Workers is the category of flags that say how the work is done, and change no result.
const Workers = command.Workers

// Work is how a program does the work of its commands.
type Work struct {
	Rows  Rows // of train
	Cells Executors
	// TrainFlags and CellFlags are those that the commands have besides their own.
	TrainFlags, CellFlags []cli.Flag
}

// Run runs a program of that name until ctx ends and returns its exit code.
func Run(ctx context.Context, name string, args []string, stdin io.Reader, stdout, stderr io.Writer, w Work) int {
	p := command.NewProgram(name, stdin, stdout, stderr)
	app := &cli.App{
		Name:   name,
		Usage:  "train and compare in other places",
		Flags:  append(command.TalkFlags(), command.RunFlags()...),
		Action: p.NoCommand,
		Commands: []*cli.Command{
			training.CommandElsewhere(p, w.Rows, w.TrainFlags),
			training.FrontierElsewhere(p, w.Cells, w.CellFlags),
			research.CompareElsewhere(p, w.Cells, w.CellFlags),
			research.CutestElsewhere(p, w.Cells, w.CellFlags),
		},
	}
	p.Harden(app)
	return p.End(ctx, command.Run(ctx, app, args))
}

// UntilSignal returns a context that Ctrl-C and SIGTERM cancel.
func UntilSignal() context.Context { return command.UntilSignal() }

// Usagef is an error of the person at the keyboard.
func Usagef(format string, args ...any) error { return command.Usagef(format, args...) }
