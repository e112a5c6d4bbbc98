package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/internal/memory"
	"github.com/fairtrain/fairtrain/solver"
)

// program is the streams that it talks through; its methods are the commands.
type program struct {
	stdin    io.Reader
	stdout   io.Writer // as it is; see print
	stderr   io.Writer
	terminal io.Writer // of stderr, for what moves the cursor; nil if it is none
}

// app builds the command tree. Where the library's defaults break our contract it
// replaces them: usage errors go to stderr and exit with 2, help that nobody asked for
// is no result, and no argument is ever ignored.
func (p *program) app() *cli.App {
	app := &cli.App{
		Name:  "fairtrain",
		Usage: "train classifiers under fairness constraints, with a certificate",
		Description: `Without any flag, "fairtrain train" trains on built-in synthetic data.
Every command has its own help: fairtrain COMMAND --help. Its flags may stand before or
after its arguments; after -- nothing is a flag.

Exit codes: 0 done, 1 failure, 2 usage, 3 finished but tolerance or constraint
not reached, 4 diverged, 130 interrupted, 143 terminated.`,
		Reader: p.stdin, Writer: inertWriter{p.stdout}, ErrWriter: p.stderr,
		HideVersion:               true,
		HideHelpCommand:           true,
		DisableSliceFlagSeparator: true, // constraints contain commas
		EnableBashCompletion:      true,
		OnUsageError:              flagError,
		ExitErrHandler:            func(*cli.Context, error) {}, // run maps errors to exit codes
		Flags: slices.Concat(talkFlags(), runFlags(), []cli.Flag{
			&cli.BoolFlag{Name: "version", Usage: "same as the command version", DisableDefaultText: true},
			cli.HelpFlag, // the library leaves it out where a command is named help
		}),
		Action: func(c *cli.Context) error {
			if c.Bool("version") && !c.Args().Present() {
				return p.version(c)
			}
			return p.noCommand(c)
		},
		Commands: []*cli.Command{
			p.trainCommand(),
			p.predictCommand(),
			p.explainCommand(),
			p.evaluateCommand(),
			p.certifyCommand(),
			p.reportCommand(),
			p.frontierCommand(),
			p.dataCommand(),
			p.compareCommand(),
			p.plotCommand(),
			p.presetCommand(),
			p.cutestCommand(),
			p.versionCommand(),
			p.helpCommand(),
		},
	}
	p.harden(app.Commands)
	return app
}

// run runs the command that the arguments of the program name.
func (p *program) run(ctx context.Context, args []string) error {
	app := p.app()
	return app.RunContext(ctx, flagsFirst(app, args))
}

// harden makes commands keep the contract; see app.
func (p *program) harden(commands []*cli.Command) {
	for _, c := range commands {
		c.HideHelpCommand = true
		c.Flags = append(c.Flags, cli.HelpFlag)
		c.OnUsageError = flagError
		switch {
		case len(c.Subcommands) > 0:
			c.Action = p.noCommand
			p.harden(c.Subcommands)
		case c.ArgsUsage == "":
			c.Action = within(prompt(withoutArguments(c.Action)))
		default:
			c.Action = within(prompt(c.Action))
		}
	}
}

// within makes an action keep to the limits that flags of many commands set.
func within(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		const mostJobs = 1024
		if jobs := given(c, "jobs").Int("jobs"); jobs < 0 || jobs > mostJobs {
			return usagef("--jobs is %d, must be from 1 to %d", jobs, mostJobs)
		}
		budget := memory.Default()
		if text := given(c, "memory").String("memory"); text != "" {
			var err error
			if budget, err = memory.Parse(text); err != nil {
				return usage(fmt.Errorf("--memory: %w", err))
			}
		}
		memory.SetBudget(budget)
		err := action(c)
		if _, ok := errors.AsType[*memory.Error](err); ok {
			return advise(err, "--memory allows more")
		}
		return err
	}
}

// prompt makes an action end soon after an interruption, whatever it is doing: what it
// writes appears complete or not at all. One that is to save what it has may take longer.
func prompt(action cli.ActionFunc) cli.ActionFunc {
	const grace = 500 * time.Millisecond // to end by itself, and tell what was done
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
		if slices.ContainsFunc(c.Command.Flags, func(f cli.Flag) bool { return f.Names()[0] == "save-on-interrupt" }) {
			return nothingSaved()
		}
		return c.Context.Err()
	}
}

// talkFlags are the flags that every command has, and the program before its command.
func talkFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "json", Category: "Output", Usage: "print one JSON object instead of text", DisableDefaultText: true},
		&cli.BoolFlag{Name: "quiet", Category: "Output", Usage: "no progress, no remarks; results only", DisableDefaultText: true},
		&cli.StringFlag{Name: "memory", Category: "Run", Usage: "refuse input that takes more than `SIZE` of memory, such as 4GB", DefaultText: "half of the machine's"},
	}
}

// runFlags are the flags of commands that compute at length.
func runFlags() []cli.Flag {
	return []cli.Flag{
		&cli.Uint64Flag{Name: "seed", Category: "Run", Value: 1, Usage: "`N` selects the random numbers; equal seeds give equal models"},
		&cli.IntFlag{Name: "jobs", Category: "Run", Usage: "use `N` processors; results do not depend on it", DefaultText: "all"},
	}
}

// isOn reports whether a boolean flag is given before or after the command's name.
func isOn(c *cli.Context, name string) bool {
	return slices.ContainsFunc(c.Lineage(), func(level *cli.Context) bool { return level.Bool(name) })
}

// given returns the context in which a flag is given, the command's own first, or c.
func given(c *cli.Context, name string) *cli.Context {
	for _, level := range c.Lineage() {
		if level.IsSet(name) {
			return level
		}
	}
	return c
}

// remark talks to the person, unless asked not to.
func (p *program) remark(c *cli.Context, format string, args ...any) {
	if !isOn(c, "quiet") {
		fmt.Fprintf(p.stderr, "fairtrain: "+format+"\n", args...)
	}
}

// noCommand is the action of a command that needs a command after it.
func (p *program) noCommand(c *cli.Context) error {
	help := c.Command.HelpName + " --help lists the commands"
	name := c.Args().First()
	if name == "" {
		return usage(errors.New("a command is missing"), help)
	}
	_, similar, _ := strings.Cut(cli.SuggestCommand(c.Command.Subcommands, name), `"`) // Did you mean "x"?
	hints := append(didYouMean(name, strings.TrimRight(similar, `"?`)), help)
	return usage(fmt.Errorf("unknown command %q", name), hints...)
}

var flagInError = regexp.MustCompile(`(for flag|argument:) -`)

// flagError words an error of the flag parser.
func flagError(c *cli.Context, err error, _ bool) error {
	help := c.Command.HelpName + " --help lists the flags"
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return usage(errors.New(flagInError.ReplaceAllString(err.Error(), "$1 --")), help)
	}
	similar := didYouMean("--"+name, cli.SuggestFlag(c.Command.Flags, name, false))
	return usage(fmt.Errorf("unknown flag --%s", name), append(similar, help)...)
}

// didYouMean is a hint for a misspelt word, if the library's suggestion, which is the
// nearest word however far, begins like it.
func didYouMean(word, suggestion string) (hints []string) {
	letter := func(s string) string { return strings.TrimLeft(s, "-")[:1] }
	if len(strings.TrimLeft(word, "-")) == 0 || len(suggestion) < 3 || letter(word) != letter(suggestion) {
		return nil
	}
	return []string{fmt.Sprintf("did you mean %s?", suggestion)}
}

// withoutArguments refuses arguments.
func withoutArguments(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if arg := c.Args().First(); arg != "" {
			return usage(fmt.Errorf("%s takes no argument, found %q", c.Command.Name, arg),
				"values follow a flag, as in --data "+arg, c.Command.HelpName+" --help lists the flags")
		}
		return action(c)
	}
}

// helpCommand is "fairtrain help COMMAND", another way to write "fairtrain COMMAND
// --help", and the place of the methods' options.
func (p *program) helpCommand() *cli.Command {
	return &cli.Command{
		Name:      "help",
		Usage:     "help on a command, or on the options of a method, as in: fairtrain help finite-sum",
		ArgsUsage: "[COMMAND | METHOD]",
		Action: func(c *cli.Context) error {
			if method, err := solver.New(c.Args().First()); err == nil {
				return p.print(methodHelp(method))
			}
			args := slices.Concat([]string{c.App.Name}, c.Args().Slice(), []string{"--help"})
			return p.run(c.Context, args)
		},
	}
}
