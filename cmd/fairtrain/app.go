package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// program is the streams that it talks through; its methods are the commands.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// app builds the command tree. Where the library's defaults break our contract it
// replaces them: usage errors go to stderr and exit with 2, help that nobody asked for
// is no result, and no argument is ever ignored.
func (p *program) app() *cli.App {
	app := &cli.App{
		Name:  "fairtrain",
		Usage: "train classifiers under fairness constraints, with a certificate",
		Description: `Without any flag, "fairtrain train" trains on built-in synthetic data.
Every command has its own help: fairtrain COMMAND --help.

Exit codes: 0 done, 1 failure, 2 usage, 3 finished but tolerance or constraint
not reached, 4 diverged, 130 interrupted.`,
		Reader: p.stdin, Writer: p.stdout, ErrWriter: p.stderr,
		HideVersion:               true,
		HideHelpCommand:           true,
		DisableSliceFlagSeparator: true, // constraints contain commas
		EnableBashCompletion:      true,
		OnUsageError:              flagError,
		ExitErrHandler:            func(*cli.Context, error) {}, // run maps errors to exit codes
		Flags: slices.Concat(talkFlags(), runFlags(), []cli.Flag{
			&cli.BoolFlag{Name: "version", Usage: "same as the command version", DisableDefaultText: true},
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
			p.evaluateCommand(),
			p.dataCommand(),
			p.versionCommand(),
			p.helpCommand(),
		},
	}
	p.harden(app.Commands)
	return app
}

// harden makes commands keep the contract; see app.
func (p *program) harden(commands []*cli.Command) {
	for _, c := range commands {
		c.HideHelpCommand = true
		c.OnUsageError = flagError
		switch {
		case len(c.Subcommands) > 0:
			c.Action = p.noCommand
			p.harden(c.Subcommands)
		case c.ArgsUsage == "":
			c.Action = withoutArguments(c.Action)
		default:
			c.Action = withoutLateFlags(c.Action)
		}
	}
}

// talkFlags are the flags that every command has, and the program before its command.
func talkFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "json", Category: "Output", Usage: "print one JSON object instead of text", DisableDefaultText: true},
		&cli.BoolFlag{Name: "quiet", Category: "Output", Usage: "no progress, no remarks; results only", DisableDefaultText: true},
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
		return usage(fmt.Errorf("%s needs a command", c.Command.HelpName), help)
	}
	err := fmt.Errorf("unknown command %q", name)
	if suggestion, ok := didYouMean(cli.SuggestCommand(c.Command.Subcommands, name)); ok {
		return usage(err, suggestion, help)
	}
	return usage(err, help)
}

// didYouMean turns a suggestion of the library into a hint.
func didYouMean(suggestion string) (hint string, ok bool) {
	text, ok := strings.CutPrefix(suggestion, "Did you mean ")
	return "did you mean " + text, ok && text != `""?`
}

var flagInError = regexp.MustCompile(`(for flag|argument:) -`)

// flagError words an error of the flag parser.
func flagError(c *cli.Context, err error, _ bool) error {
	help := c.Command.HelpName + " --help lists the flags"
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return usage(fmt.Errorf("%s", flagInError.ReplaceAllString(err.Error(), "$1 --")), help)
	}
	err = fmt.Errorf("unknown flag --%s", name)
	if similar := cli.SuggestFlag(c.Command.Flags, name, false); similar != "" {
		return usage(err, fmt.Sprintf("did you mean %s?", similar), help)
	}
	return usage(err, help)
}

// withoutArguments refuses arguments.
func withoutArguments(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if arg := c.Args().First(); arg != "" {
			return usage(fmt.Errorf("%s takes no argument, found %q", c.Command.HelpName, arg),
				"every value follows its flag, as in --data "+arg, c.Command.HelpName+" --help lists the flags")
		}
		return action(c)
	}
}

// withoutLateFlags refuses flags after arguments, where the flag parser would take them
// for arguments.
func withoutLateFlags(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		for _, arg := range c.Args().Slice() {
			if strings.HasPrefix(arg, "-") && arg != "-" {
				return usage(fmt.Errorf("flag %s after the argument %s", arg, c.Args().First()),
					"flags go first: "+c.Command.HelpName+" [flags] "+c.Command.ArgsUsage)
			}
		}
		return action(c)
	}
}

// helpCommand is "fairtrain help COMMAND", another way to write "fairtrain COMMAND
// --help", and the place of the methods' options.
func (p *program) helpCommand() *cli.Command {
	return &cli.Command{
		Name:      "help",
		Usage:     "help on a command, or on the options of a method, as in: fairtrain help fsfo",
		ArgsUsage: "[COMMAND | METHOD]",
		Action: func(c *cli.Context) error {
			if method, ok := methodByName(c.Args().First()); ok {
				return p.print(methodHelp(method))
			}
			args := slices.Concat([]string{c.App.Name}, c.Args().Slice(), []string{"--help"})
			return p.app().RunContext(c.Context, args)
		},
	}
}
