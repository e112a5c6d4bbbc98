// Package command has the rules that all commands share: flags, streams, files that are
// read and written, errors with exit codes and hints, progress, tables. Read app.go first.
//
// Commands follow one pattern, Action. A function readX reads the flags of command X, once, into
// plain options, with all checks of them and of the files that they name (Files). A function X
// does the work, given a context and these options. Only functions that read flags have a *cli.Context.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/fairtrain/fairtrain/internal/memory"
	"github.com/fairtrain/fairtrain/internal/names"
)

// Program holds the name of the program and the streams through which it talks.
type Program struct {
	Name     string
	Stdin    io.Reader
	Stdout   io.Writer // as it is; see Print
	Stderr   io.Writer
	JSON     bool      // --json: results as JSON; known when the action of a command begins
	Quiet    bool      // --quiet: no remarks, no progress; likewise
	terminal io.Writer // stderr, to move its cursor; nil if stderr is no terminal
	results  *resultWriter
	remarked sync.Map // the remarks so far, each once
}

// NewProgram returns a program of that name that talks through streams.
func NewProgram(name string, stdin io.Reader, stdout, stderr io.Writer) *Program {
	results := &resultWriter{w: stdout}
	p := &Program{Name: name, Stdin: stdin, Stdout: results, Stderr: inertWriter{stderr}, results: results}
	if f, ok := stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.terminal = f
	}
	return p
}

// Harden gives an app the contract that all commands share. It replaces the library's
// defaults that break the contract: usage errors go to stderr and exit with 2, help that
// was not requested is no result, and no argument is ever ignored.
func (p *Program) Harden(app *cli.App) {
	app.Reader, app.Writer, app.ErrWriter = p.Stdin, inertWriter{p.Stdout}, p.Stderr
	app.HideVersion, app.HideHelpCommand = true, true
	app.DisableSliceFlagSeparator = true // constraints contain commas
	app.EnableBashCompletion = true
	app.OnUsageError = flagError
	app.ExitErrHandler = func(*cli.Context, error) {} // End maps errors to exit codes
	p.hardenCommands(app.Commands)
}

func (p *Program) hardenCommands(commands []*cli.Command) {
	for _, c := range commands {
		c.HideHelpCommand = true
		c.Flags = append(c.Flags, cli.HelpFlag)
		c.OnUsageError = flagError
		switch {
		case len(c.Subcommands) > 0:
			c.Action = p.NoCommand
			p.hardenCommands(c.Subcommands)
		case c.ArgsUsage == "":
			c.Action = p.within(toStdout(prompt(withoutArguments(c.Action))))
		default:
			c.Action = p.within(toStdout(prompt(c.Action)))
		}
	}
}

// Action is the action of a command: read reads its flags and checks them, run does the work.
func Action[O any](read func(*cli.Context) (O, error), run func(context.Context, O) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		o, err := read(c)
		if err != nil {
			return err
		}
		return run(c.Context, o)
	}
}

// toStdout makes flags that name standard output by a path say so: where it is a file, that would
// be replaced, with what others have written to it.
func toStdout(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		for _, f := range c.Command.Flags {
			name := f.Names()[0]
			if path := c.String(name); path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1" {
				if err := c.Set(name, "-"); err != nil {
					return err
				}
			}
		}
		return action(c)
	}
}

// within applies to an action the flags that many commands share: talk and limits.
func (p *Program) within(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		p.JSON, p.Quiet = Given(c, "json").Bool("json"), Given(c, "quiet").Bool("quiet")
		const mostJobs = 1024
		given := Given(c, "jobs")
		if jobs := given.Int("jobs"); given.IsSet("jobs") && (jobs < 1 || jobs > mostJobs) {
			return Usagef("--jobs is %d, must be from 1 to %d", jobs, mostJobs)
		}
		budget := memory.Default()
		if text := Given(c, "memory").String("memory"); text != "" {
			var err error
			if budget, err = memory.Parse(text); err != nil {
				return Usage(fmt.Errorf("--memory: %w", err))
			}
		}
		memory.SetBudget(budget)
		err := action(c)
		_, advised := errors.AsType[*Failure](err)
		if _, ok := errors.AsType[*memory.Error](err); ok && !advised {
			return Advise(err, "--memory allows more")
		}
		return err
	}
}

// prompt makes an action end soon after an interruption, whatever it is doing, as its
// files appear complete or not at all. An action that must save its results may take
// longer.
func prompt(action cli.ActionFunc) cli.ActionFunc {
	const grace = 500 * time.Millisecond // time to end by itself, and to report what was done
	return func(c *cli.Context) error {
		if c.Bool("save-on-interrupt") {
			return action(c)
		}
		done := make(chan error, 1)
		go func() { done <- action(c) }()
		select {
		case err := <-done:
			return err
		case <-c.Context.Done():
		}
		select {
		case err := <-done:
			return err
		case <-time.After(grace):
		}
		if Has(c, "save-on-interrupt") {
			return NothingSaved()
		}
		return c.Context.Err()
	}
}

// Remark writes a remark to stderr, once, unless --quiet is given.
func (p *Program) Remark(format string, args ...any) {
	if !p.Quiet {
		for k, arg := range args {
			if text, ok := arg.(string); ok {
				args[k] = names.Line(text) // a name in a file can't forge a remark
			}
		}
		text := cut(fmt.Sprintf(p.Name+": "+format, args...)) + "\n"
		if _, repeated := p.remarked.LoadOrStore(text, true); !repeated { // a file may be read twice
			io.WriteString(p.Stderr, text)
		}
	}
}

// NoCommand is the action of a command that needs a command after it.
func (p *Program) NoCommand(c *cli.Context) error {
	help := c.Command.HelpName + " --help lists the commands"
	name := c.Args().First()
	if name == "" {
		return Usage(errors.New("a command is missing"), help)
	}
	var names []string
	for _, sub := range c.Command.Subcommands {
		names = append(names, sub.Names()...)
	}
	return Usage(fmt.Errorf("unknown command %q", name), append(didYouMean(name, names), help)...)
}

// flagError adds a hint to an error of the flag parser: of a value, as FlagsFirst has looked at the
// flags.
func flagError(c *cli.Context, err error, _ bool) error {
	return Usage(err, c.Command.HelpName+" --help lists the flags")
}

// withoutArguments refuses arguments.
func withoutArguments(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if arg := c.Args().First(); arg != "" {
			return Usage(fmt.Errorf("%s takes no argument, found %q", c.Command.Name, arg),
				"values follow a flag, as in --data "+arg, c.Command.HelpName+" --help lists the flags")
		}
		return action(c)
	}
}

// NothingSaved is the error of an interrupted run that could have saved its model.
func NothingSaved() error {
	return Fail(ExitInterrupted, errors.New("interrupted, nothing written"),
		"--save-on-interrupt writes the best model so far")
}

// Interruptible returns what f returns, or the error of ctx as soon as it is cancelled. If it is
// cancelled already, f is not called.
func Interruptible[T any](ctx context.Context, f func() (T, error)) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := f()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}
