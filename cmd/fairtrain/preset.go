package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/experiment"
)

func (p *program) presetCommand() *cli.Command {
	return &cli.Command{
		Name:  "preset",
		Usage: "the built-in experiments: list, show",
		Subcommands: []*cli.Command{
			{Name: "list", Usage: "name the presets and what they are", Flags: talkFlags(), Action: p.presetList},
			{
				Name: "show", Usage: "print a preset's TOML text, to read or to begin one's own",
				ArgsUsage: "NAME", Flags: talkFlags(), Action: p.presetShow,
			},
		},
	}
}

func (p *program) presetList(c *cli.Context) error {
	type entry struct {
		Name  string `json:"name"`
		About string `json:"about"`
	}
	var entries []entry
	var text strings.Builder
	for _, name := range experiment.Presets() {
		preset, err := experiment.Load(name)
		if err != nil {
			return err
		}
		about := strings.TrimSpace(preset.About)
		entries = append(entries, entry{name, about})
		fmt.Fprintf(&text, "%s\n  %s\n\n", name, strings.ReplaceAll(about, "\n", "\n  "))
	}
	if isOn(c, "json") {
		return p.printJSON(entries)
	}
	return p.print([]byte(strings.TrimSuffix(text.String(), "\n")))
}

func (p *program) presetShow(c *cli.Context) error {
	if c.NArg() != 1 {
		return usage(fmt.Errorf("preset show needs one name, found %d", c.NArg()), "fairtrain preset list names the presets")
	}
	text, err := experiment.Source(c.Args().First())
	if err != nil {
		return advise(err, "fairtrain preset list names the presets")
	}
	return p.print([]byte(text))
}

// writes is a write function for a text that is at hand.
func writes(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}
