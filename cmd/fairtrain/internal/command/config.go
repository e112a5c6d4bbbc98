package command

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/internal/tomlfile"
)

// ConfigFlag names a file with values of other flags.
func ConfigFlag() cli.Flag {
	return &cli.StringFlag{Name: "config", Category: "Run", Usage: "take flags that are not given from `FILE`, in TOML with the same names"}
}

// configured gives the flags that are not given the values of the file --config, before anything asks for
// them, and tells the program which of the flags that all commands share are on.
func (p *Program) configured(action cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if c.IsSet("config") {
			if err := applyConfig(c, c.String("config")); err != nil {
				return err
			}
		}
		p.JSON, p.Quiet = IsOn(c, "json"), IsOn(c, "quiet")
		return action(c)
	}
}

func applyConfig(c *cli.Context, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	values := map[string]any{} // which has a place for every key
	if err := tomlfile.Decode(path, f, &values, nil); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := applyValue(c, path, name, values[name]); err != nil {
			return err
		}
	}
	return nil
}

func applyValue(c *cli.Context, path, name string, value any) error {
	if !Has(c, name) || name == "config" || name == "help" {
		hints := didYouMean(name, cli.SuggestFlag(c.Command.Flags, name, false))
		return Usage(fmt.Errorf("%s: %q is no flag of %s", path, name, c.Command.HelpName), hints...)
	}
	if Given(c, name).IsSet(name) {
		return nil
	}
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	for _, v := range list {
		switch v.(type) {
		case string, int64, float64, bool:
		default:
			return Usagef("%s: %s is a table or a date, must be a value or a list of them", path, name)
		}
		if err := c.Set(name, fmt.Sprint(v)); err != nil {
			return Usagef("%s: %s = %v: %v", path, name, v, err)
		}
	}
	return nil
}
