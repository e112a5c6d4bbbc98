// Package data has the commands about data sets: list, get, describe and pack.
package data

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
)

// program adds the commands of this package to what all of them share.
type program struct{ *command.Program }

// Command is fairtrain data.
func Command(p *command.Program) *cli.Command {
	return &cli.Command{
		Name:      "data",
		Usage:     "data sets: list, get, describe, pack",
		UsageText: "fairtrain data COMMAND [command options] [FILE...]",
		Description: `A data set is a name that "fairtrain data list" shows, or a file in the format of LIBSVM
or CSV, plain or compressed (.gz, .bz2, .zst), - for standard input, a Parquet file, or one
that "data pack" has written. A folder, a pattern ("rows-*.csv") or a list (a.csv,b.csv)
stands for several files of one format, which are read as one. What is said of CSV files
holds for Parquet files, too. A name is looked for in the working directory, in
$FAIRTRAIN_DATA, in ./data and in the user's cache.`,
		Subcommands: []*cli.Command{
			{
				Name:   "list",
				Usage:  "the data sets known by name, and where they are",
				Flags:  command.TalkFlags(),
				Action: func(*cli.Context) error { return program{p}.list() },
			},
			{
				Name:      "get",
				Usage:     "download data sets known by name, and print where they are",
				ArgsUsage: "NAME...",
				Flags: append(command.TalkFlags(),
					&cli.StringFlag{Name: "dir", Category: "Data", Usage: "store the files in `DIR`", DefaultText: "the user's cache"},
					&cli.BoolFlag{Name: "force", Category: "Data", Usage: "replace other files of these names in DIR", DisableDefaultText: true}),
				Action: command.Action(readGet, program{p}.get),
			},
			{
				Name:      "describe",
				Usage:     "size, labels and values of data; what was detected in CSV and Parquet files",
				ArgsUsage: "FILE...",
				Description: `   fairtrain data describe people.csv
   fairtrain data describe --write-schema people.toml people.csv

The schema file says how every column is used, for you to edit: which columns are dropped,
which columns form groups, which values the label has.`,
				Flags: slices.Concat(command.TalkFlags(),
					input.CSVFlags(), []cli.Flag{
						&cli.StringSliceFlag{Name: "data", Usage: "`NAME|FILE`, as an argument"},
						&cli.StringFlag{Name: "write-schema", Category: "CSV", Usage: "write the detected schema to `FILE`, - for standard output"},
						&cli.BoolFlag{Name: "force", Category: "CSV", Usage: "replace the schema file if it exists", DisableDefaultText: true},
					}),
				Action: command.Action(readDescribe, program{p}.describe),
			},
			program{p}.packCommand(),
		},
	}
}

// source is a file or a name, and how to read it.
type source struct {
	name string
	opts catalogue.InputOptions
}

// readSources returns the arguments of a command that reads files, to be read as its flags say.
func readSources(c *cli.Context) ([]source, error) {
	names := append(c.Args().Slice(), c.StringSlice("data")...)
	if len(names) == 0 {
		return nil, command.Usage(fmt.Errorf("%s needs a file or a name", c.Command.HelpName),
			"- is standard input", "fairtrain data list shows the names")
	}
	if err := command.CheckNames(names...); err != nil {
		return nil, err
	}
	var files []source
	for _, name := range names {
		opts, err := input.CSVOptions(c, name, nil)
		if err != nil {
			return nil, err
		}
		if len(names) > 1 {
			opts.Table.Needed = nil // another file may have the column
		}
		opts.Rows = libsvm.Options{MaxFeatures: math.MaxInt32}
		files = append(files, source{name, opts})
	}
	return files, nil
}

// load reads data of any format.
func (p program) load(ctx context.Context, s source) (catalogue.Input, error) {
	in, err := input.LoadInput(ctx, p.Stdin, s.name, s.opts)
	return in, input.AdviseLabel(err)
}
