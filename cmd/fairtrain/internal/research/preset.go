package research

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/experiment"
)

// PresetCommand is fairtrain preset.
func PresetCommand(p *command.Program) *cli.Command {
	return &cli.Command{
		Name:  "preset",
		Usage: "the built-in experiments: list, show",
		Subcommands: []*cli.Command{
			{Name: "list", Usage: "name the presets and what they are", Flags: command.TalkFlags(), Action: func(*cli.Context) error { return program{Program: p}.presetList() }},
			{
				Name: "show", Usage: "print a preset's TOML text, to read or to begin one's own",
				ArgsUsage: "NAME", Flags: command.TalkFlags(), Action: command.Action(readPresetName, program{Program: p}.presetShow),
			},
		},
	}
}

func (p program) presetList() error {
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
	if p.JSON {
		return p.PrintJSON(entries)
	}
	return p.Print([]byte(strings.TrimSuffix(text.String(), "\n")))
}

func readPresetName(c *cli.Context) (string, error) {
	if c.NArg() != 1 {
		return "", command.Usage(fmt.Errorf("preset show needs one name, found %d", c.NArg()),
			"fairtrain preset list names the presets")
	}
	return c.Args().First(), nil
}

func (p program) presetShow(_ context.Context, name string) error {
	text, err := experiment.Source(name)
	if err != nil {
		return command.Advise(err, presetHints(err)...)
	}
	if p.JSON {
		return p.PrintJSON(struct {
			Name string `json:"name"`
			TOML string `json:"toml"`
		}{name, string(text)})
	}
	return p.Print([]byte(text))
}

// presetHints are hints for an error of a preset: of the names, if its name is unknown.
func presetHints(err error) []string {
	if !errors.Is(err, experiment.ErrNoPreset) {
		return nil
	}
	return []string{"fairtrain preset list names the built-in presets"}
}

// readsPreset declares the preset of an experiment, if it is a file, and its data.
func readsPreset(f *command.Files, name string, preset *experiment.Preset) {
	if !slices.Contains(experiment.Presets(), name) {
		f.Reads("preset", name)
	}
	if preset.Benchmark != nil {
		return
	}
	f.ReadsData("preset", preset.Problem.Data)
	if data := preset.Problem.ConstraintData; data != "" {
		f.ReadsData("preset", data)
	}
}
