package main

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/certify"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/data"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/evaluate"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/research"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/train"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/solver"
)

// app builds the command tree.
func app(p *command.Program) *cli.App {
	app := &cli.App{
		Name:  "fairtrain",
		Usage: "train classifiers under fairness constraints, with a certificate",
		Description: `Without any flag, "fairtrain train" trains on built-in data, invented applicants for jobs.
Every command has its own help: fairtrain COMMAND --help. Its flags may stand before or
after its arguments; after -- nothing is a flag.

Exit codes: 0 done, 1 failure, 2 usage, 3 constraint violated, tolerance not
reached or not guaranteed, 4 diverged, 130 interrupted, 143 terminated, 129 hung up.`,
		Flags: slices.Concat(command.TalkFlags(), command.RunFlags(), []cli.Flag{
			&cli.BoolFlag{Name: "version", Usage: "same as the command version", DisableDefaultText: true},
			cli.HelpFlag, // the library leaves it out where a command is named help
		}),
		Action: func(c *cli.Context) error {
			if c.Bool("version") && !c.Args().Present() {
				return version(p)
			}
			return p.NoCommand(c)
		},
		Commands: []*cli.Command{
			train.TrainCommand(p),
			train.AdjustCommand(p),
			evaluate.PredictCommand(p),
			evaluate.ExplainCommand(p),
			evaluate.EvaluateCommand(p),
			certify.Command(p),
			evaluate.ReportCommand(p),
			train.FrontierCommand(p),
			data.Command(p),
			research.CompareCommand(p),
			research.PlotCommand(p),
			research.PresetCommand(p),
			research.CutestCommand(p),
			versionCommand(p),
			helpCommand(p),
		},
	}
	p.Harden(app)
	return app
}

// execute runs the command that the arguments of the program name.
func execute(ctx context.Context, p *command.Program, args []string) error {
	app := app(p)
	return command.Run(ctx, app, args)
}

// helpCommand is "fairtrain help COMMAND", another way to write "fairtrain COMMAND
// --help", and the place of the methods' options.
func helpCommand(p *command.Program) *cli.Command {
	return &cli.Command{
		Name:      "help",
		Usage:     "help on a command, or on the options of a method, as in: fairtrain help finite-sum",
		ArgsUsage: "[COMMAND | METHOD]",
		Action: func(c *cli.Context) error {
			if method, err := solver.New(c.Args().First()); err == nil {
				return p.Print(methodHelp(method))
			}
			args := slices.Concat([]string{c.App.Name}, c.Args().Slice(), []string{"--help"})
			return execute(c.Context, p, args)
		},
	}
}

// methodHelp lists the options of a method.
func methodHelp(method solver.Method) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "Options of %s, as in: fairtrain train --solver %[1]s --set KEY=VALUE\n", method.Name())
	for _, o := range method.Params() {
		fmt.Fprintf(&b, "\n  %s=%s  (%s)\n      %s\n", o.Name, o.Current(), o.Range(), o.Doc)
	}
	return b.Bytes()
}

// buildInfo says what the program was built from.
type buildInfo struct {
	results.Build
	GoVersion string `json:"go_version"`
	Platform  string `json:"platform"`
}

func versionCommand(p *command.Program) *cli.Command {
	return &cli.Command{
		Name:   "version",
		Usage:  "what this program was built from",
		Flags:  command.TalkFlags(),
		Action: func(*cli.Context) error { return version(p) },
	}
}

func version(p *command.Program) error {
	b := buildInfo{results.ReadBuild(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if p.JSON {
		return p.PrintJSON(b)
	}
	modified := ""
	if b.Modified {
		modified = " (modified)"
	}
	return p.Print(fmt.Appendf(nil, "fairtrain %s\nrevision  %s%s\ngo        %s\nplatform  %s\n",
		b.Version, b.Revision, modified, b.GoVersion, b.Platform))
}
