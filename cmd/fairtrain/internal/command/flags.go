package command

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"github.com/xrash/smetrics"

	"github.com/fairtrain/fairtrain/internal/jobs"
	"github.com/fairtrain/fairtrain/internal/names"
)

// TalkFlags are the flags that every command has, and the program before its command.
func TalkFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "json", Category: "Output", Usage: "print JSON instead of text", DisableDefaultText: true},
		&cli.BoolFlag{Name: "quiet", Category: "Output", Usage: "no progress, no remarks; results only", DisableDefaultText: true},
		&cli.StringFlag{Name: "memory", Category: "Run", Usage: "keep to about `SIZE` of memory, such as 4GB; data that need more are refused, and data pack packs them", DefaultText: "half of the machine's, or GOMEMLIMIT if that is less"},
	}
}

// ForceFlag is the flag that replaces any file.
func ForceFlag() cli.Flag {
	return &cli.BoolFlag{Name: "force", Category: "Output", Usage: "replace a file even if no earlier run has written it", DisableDefaultText: true}
}

// RunFlags are the flags of commands that compute at length.
func RunFlags() []cli.Flag {
	return []cli.Flag{
		&cli.Uint64Flag{Name: "seed", Category: "Run", Value: 1, Usage: "`N` selects the random numbers; equal seeds give equal models"},
		&cli.IntFlag{Name: "jobs", Category: "Run", Usage: "use `N` processors; results do not depend on it", DefaultText: "all"},
	}
}

// Has reports whether a command has a flag of that name.
func Has(c *cli.Context, name string) bool {
	return slices.ContainsFunc(c.Command.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
}

// Given returns the context in which a flag is given, the command's own first, or c.
func Given(c *cli.Context, name string) *cli.Context {
	for _, level := range c.Lineage() {
		if level.IsSet(name) {
			return level
		}
	}
	return c
}

// OneOf reads a flag that chooses among values.
func OneOf[T ~string](c *cli.Context, flag string, values ...T) (T, error) {
	chosen := T(c.String(flag))
	if !slices.Contains(values, chosen) {
		return "", Usagef("--%s is %q, must be one of %v", flag, chosen, values)
	}
	return chosen, nil
}

// CheckAlone refuses flags that mean nothing without another one.
func CheckAlone(c *cli.Context, other string, flags ...string) error {
	for _, flag := range flags {
		if c.IsSet(flag) {
			return Usagef("--%s needs --%s", flag, other)
		}
	}
	return nil
}

// CheckRange refuses a number outside [low, high].
func CheckRange(flag string, x, low, high float64) error {
	if x >= low && x <= high {
		return nil
	}
	return Usagef("--%s is %.10g, must be in [%.10g, %.10g]", flag, x, low, high)
}

// completionFlag is the last argument of a shell that asks what may follow.
const completionFlag = "--generate-bash-completion"

// Run runs the command that arguments name.
func Run(ctx context.Context, app *cli.App, args []string) error {
	ordered, err := FlagsFirst(app, args)
	if err != nil {
		return err
	}
	return app.RunContext(ctx, ordered)
}

// FlagsFirst returns the arguments of the program, with the flags of the named command
// moved before the command's arguments, where the library's flag parser looks for them.
// The order among flags and among arguments stays, as does the meaning of "--", after
// which nothing is a flag. The argument "-" is no flag. A flag that the command does not
// have, or that lacks its value, is an error.
func FlagsFirst(app *cli.App, args []string) ([]string, error) {
	if len(args) == 0 || args[len(args)-1] == completionFlag {
		return args, nil
	}
	ordered, rest := args[:1:1], args[1:]
	name, flags, commands := app.Name, app.Flags, app.Commands
	for len(commands) > 0 {
		n := 0 // where the name of a command stands
		for n < len(rest) && isFlag(rest[n]) {
			length, err := flagLength(name, flags, rest[n:])
			if err != nil {
				return nil, err
			}
			n += length
		}
		named := -1
		if n < len(rest) {
			named = slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(rest[n]) })
		}
		if named < 0 { // the command will say so
			return append(ordered, rest...), nil
		}
		ordered, rest = append(ordered, rest[:n+1]...), rest[n+1:]
		name += " " + commands[named].Name
		flags, commands = commands[named].Flags, commands[named].Subcommands
	}

	var arguments []string
	for len(rest) > 0 {
		switch {
		case rest[0] == "--":
			return slices.Concat(ordered, []string{"--"}, arguments, rest[1:]), nil
		case isFlag(rest[0]):
			n, err := flagLength(name, flags, rest)
			if err != nil {
				return nil, err
			}
			ordered, rest = append(ordered, rest[:n]...), rest[n:]
		default:
			arguments, rest = append(arguments, rest[0]), rest[1:]
		}
	}
	return append(ordered, arguments...), nil
}

// isFlag reports whether the flag parser treats an argument as a flag.
func isFlag(arg string) bool { return len(arg) > 1 && arg[0] == '-' }

// flagLength is the number of arguments that a flag of a command takes up: two if its value is not
// given by "=".
func flagLength(command string, flags []cli.Flag, args []string) (int, error) {
	if args[0] == "--" {
		return 1, nil
	}
	help := command + " --help lists the flags"
	name, _, hasValue := strings.Cut(strings.TrimPrefix(args[0][1:], "-"), "=")
	known := slices.IndexFunc(append(flags, cli.HelpFlag),
		func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	if known < 0 {
		hints := didYouMean(name, flagNames(flags))
		return 0, Usage(fmt.Errorf("unknown flag --%s", name), append(hints, help)...)
	}
	if f, ok := append(flags, cli.HelpFlag)[known].(cli.DocGenerationFlag); !ok || !f.TakesValue() || hasValue {
		return 1, nil
	}
	if len(args) == 1 {
		return 0, Usage(fmt.Errorf("flag needs an argument: --%s", name), help)
	}
	return 2, nil
}

// flagNames are the names of flags, as they are written.
func flagNames(flags []cli.Flag) []string {
	var names []string
	for _, f := range flags {
		names = append(names, "--"+f.Names()[0])
	}
	return names
}

// didYouMean is a hint for a misspelt word: the most similar of the names that begin alike.
func didYouMean(word string, names []string) (hints []string) {
	word = strings.TrimLeft(word, "-")
	best := 0.6 // below, nothing is meant: --data is not --drop
	for _, name := range names {
		bare := strings.TrimLeft(name, "-")
		if word == "" || bare == "" || bare[0] != word[0] {
			continue
		}
		if similar := smetrics.JaroWinkler(word, bare, 0.7, 4); similar > best {
			best, hints = similar, []string{"did you mean " + name + "?"}
		}
	}
	return hints
}

// Workers is the category of flags that say how the work is done, and change no result.
const Workers = "Workers"

// Executors returns what does the jobs of a command in other processes, as its flags say.
type Executors func(c *cli.Context) (jobs.Executor, error)

// For returns the executor of a command, nil for this process.
func (e Executors) For(c *cli.Context) (jobs.Executor, error) {
	if e == nil {
		return nil, nil
	}
	return e(c)
}

// ByWorkers makes a command one whose work is done by workers, as other flags say. The name is
// that of the command of fairtrain.
func ByWorkers(cmd *cli.Command, name string, action cli.ActionFunc, others []cli.Flag) {
	cmd.Description = `"` + name + ` --help" describes it. Workers do it here, with the same results.`
	cmd.Flags = append(slices.DeleteFunc(cmd.Flags, func(f cli.Flag) bool { return f.Names()[0] == "jobs" }), others...)
	cmd.Action = action
}

// GivenFlags returns the flags that are given, but for those that say how workers do the work,
// with their values. A flag that is repeated comes several times.
func GivenFlags(c *cli.Context) iter.Seq2[cli.Flag, string] {
	return func(yield func(flag cli.Flag, value string) bool) {
		for _, flag := range c.Command.Flags {
			name := flag.Names()[0]
			level := Given(c, name)
			if flag.(cli.CategorizableFlag).GetCategory() == Workers || !level.IsSet(name) {
				continue
			}
			values := []string{fmt.Sprint(level.Value(name))}
			if _, ok := flag.(*cli.StringSliceFlag); ok {
				values = level.StringSlice(name)
			}
			for _, value := range values {
				if !yield(flag, value) {
					return
				}
			}
		}
	}
}

// Line returns the command line of a run for people: the given flags that affect the result, which are
// not those of some categories, with files by their names alone.
func Line(c *cli.Context, without ...string) string {
	list := []string{c.App.Name, c.Command.Name}
	for flag, value := range GivenFlags(c) {
		name := flag.Names()[0]
		switch category := flag.(cli.CategorizableFlag).GetCategory(); {
		case slices.Contains(without, category) || name == "jobs" || name == "ledger":
			continue
		case slices.Contains([]string{"data", "constraint-data", "test", "certify", "schema", "predictions", "card"}, name):
			value = names.Data(value)
		}
		list = append(list, "--"+name)
		if _, isSwitch := flag.(*cli.BoolFlag); !isSwitch {
			list = append(list, names.Shell(value))
		} else if value != "true" {
			list[len(list)-1] += "=" + value
		}
	}
	return strings.Join(list, " ")
}
