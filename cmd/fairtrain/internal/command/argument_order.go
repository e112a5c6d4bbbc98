package command

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// completionFlag is the last argument of a shell that asks what may follow.
const completionFlag = "--generate-bash-completion"

// FlagsFirst returns the arguments of the program, with the flags of the named command
// moved before the command's arguments, where the library's flag parser looks for them.
// The order among flags and among arguments stays, as does the meaning of "--", after
// which nothing is a flag. The argument "-" is no flag.
func FlagsFirst(app *cli.App, args []string) []string {
	if len(args) == 0 || args[len(args)-1] == completionFlag {
		return args
	}
	ordered, rest := args[:1:1], args[1:]
	flags, commands := app.Flags, app.Commands
	for len(commands) > 0 {
		n := len(rest) // where the name of a command stands
		for k := 0; k < n; k += length(rest[k:], flags) {
			if !isFlag(rest[k]) {
				n = k
			}
		}
		if n == len(rest) {
			return append(ordered, rest...)
		}
		named := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(rest[n]) })
		if named < 0 { // the command will say so
			return append(ordered, rest...)
		}
		ordered, rest = append(ordered, rest[:n+1]...), rest[n+1:]
		flags, commands = commands[named].Flags, commands[named].Subcommands
	}

	var arguments []string
	for len(rest) > 0 {
		if rest[0] == "--" {
			arguments = slices.Concat([]string{"--"}, arguments, rest[1:])
			break
		}
		n := length(rest, flags)
		switch {
		case n > len(rest): // a flag without its value, which must not take an argument for it
			return append(ordered, rest...)
		case isFlag(rest[0]):
			ordered = append(ordered, rest[:n]...)
		default:
			arguments = append(arguments, rest[0])
		}
		rest = rest[n:]
	}
	return append(ordered, arguments...)
}

// isFlag reports whether the flag parser treats an argument as a flag.
func isFlag(arg string) bool { return len(arg) > 1 && arg[0] == '-' }

// length is the number of arguments that the first argument takes up: two, even if the
// second is missing, if it is a flag whose value is not given by "=".
func length(args []string, flags []cli.Flag) int {
	if !isFlag(args[0]) {
		return 1
	}
	name, _, hasValue := strings.Cut(strings.TrimPrefix(args[0][1:], "-"), "=")
	for _, f := range flags {
		documented, ok := f.(cli.DocGenerationFlag)
		if ok && documented.TakesValue() && slices.Contains(f.Names(), name) && !hasValue {
			return 2
		}
	}
	return 1
}
