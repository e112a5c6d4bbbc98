package training

import (
	"fmt"
	"iter"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/internal/naming"
)

// given returns the flags that are given, but for those that say how the work is done elsewhere,
// with their values. A flag that is repeated comes several times.
func given(c *cli.Context) iter.Seq2[cli.Flag, string] {
	return func(yield func(flag cli.Flag, value string) bool) {
		for _, flag := range c.Command.Flags {
			name := flag.Names()[0]
			level := command.Given(c, name)
			if flag.(cli.CategorizableFlag).GetCategory() == command.Workers || !level.IsSet(name) {
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

// flagWords returns a command line from which another process takes the same options: what a
// configuration file says is said by flags.
func flagWords(c *cli.Context) []string {
	list := []string{c.App.Name, c.Command.Name}
	for flag, value := range given(c) {
		if name := flag.Names()[0]; name != "config" {
			list = append(list, "--"+name+"="+value)
		}
	}
	return list
}

// runCommand returns the command line of a run for people: the given flags that affect the result,
// with files by their names alone.
func runCommand(c *cli.Context) string {
	apart := map[string]bool{
		"json": true, "quiet": true, "jobs": true, "config": true, "model": true, "force": true, "verbose": true,
		"save-on-interrupt": true, "ledger": true, "report": true, "card": true, "min-group": true,
	}
	files := map[string]bool{"data": true, "constraint-data": true, "test": true, "certify": true, "schema": true}
	list := []string{c.App.Name, c.Command.Name}
	for flag, value := range given(c) {
		name := flag.Names()[0]
		if apart[name] {
			continue
		}
		if files[name] {
			value = naming.Data(value)
		}
		_, isSwitch := flag.(*cli.BoolFlag)
		switch {
		case isSwitch && value == "true":
			list = append(list, "--"+name)
		case isSwitch:
			list = append(list, "--"+name+"="+value)
		default:
			list = append(list, "--"+name, input.ShellQuoted(value))
		}
	}
	return strings.Join(list, " ")
}
