// Package program is fairtrain for programs whose work is done by workers: train on rows in shards,
// and compare, cutest run and frontier, with its words, its files and its exit codes.
package program

import (
	"context"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/research"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/train"
)

// Category is that of the flags that say how the work is done, and change no result.
const Category = command.Workers

// FrontierJob trains the classifiers of a frontier.
type FrontierJob = train.FrontierJob

// Workers are how a program does the work of its commands.
type Workers struct {
	Rows     train.Sharded     // of train
	Executor command.Executors // of the other commands; nil: this process
	// TrainFlags and Flags are those that train and the other commands have besides their own.
	TrainFlags, Flags []cli.Flag
}

// Run runs a program of that name until ctx ends and returns its exit code.
func Run(ctx context.Context, name string, args []string, stdin io.Reader, stdout, stderr io.Writer, w Workers) int {
	p := command.NewProgram(name, stdin, stdout, stderr)
	app := &cli.App{
		Name:   name,
		Usage:  "train and compare by workers",
		Flags:  append(command.TalkFlags(), command.RunFlags()...),
		Action: p.NoCommand,
		Commands: []*cli.Command{
			train.ShardedCommand(p, w.Rows, w.TrainFlags),
			train.FrontierByWorkers(p, w.Executor, w.Flags),
			research.CompareByWorkers(p, w.Executor, w.Flags),
			research.CutestByWorkers(p, w.Executor, w.Flags),
		},
	}
	p.Harden(app)
	return p.End(ctx, command.Run(ctx, app, args))
}

// UntilSignal returns a context that Ctrl-C and SIGTERM cancel.
func UntilSignal() context.Context { return command.UntilSignal() }

// Leave ends the program with an exit code.
func Leave(code int) { command.Leave(code) }

// Usagef is an error of the person at the keyboard.
func Usagef(format string, args ...any) error { return command.Usagef(format, args...) }
