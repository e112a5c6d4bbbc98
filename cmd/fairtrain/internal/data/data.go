// Package data has the commands about data sets: list, get, check, describe, convert and pack.
package data

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// program adds the commands of this package to what all of them share.
type program struct{ *command.Program }

// Command is fairtrain data.
func Command(p *command.Program) *cli.Command {
	return &cli.Command{
		Name:      "data",
		Usage:     "data sets: list, get, check, describe, convert, pack",
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
				Name:      "check",
				Usage:     "report every faulty line of data files (of CSV and Parquet files, the first)",
				ArgsUsage: "FILE...",
				Flags:     slices.Concat(command.TalkFlags(), []cli.Flag{input.MaxFeaturesFlag()}, input.CSVFlags()),
				Action:    command.Action(readSources, program{p}.check),
			},
			{
				Name:      "describe",
				Usage:     "size, labels and values of data; what was detected in CSV and Parquet files",
				ArgsUsage: "FILE...",
				Description: `   fairtrain data describe people.csv
   fairtrain data describe --write-schema people.toml people.csv

The schema file says how every column is used, for you to edit: which columns are dropped,
which columns form groups, which values the label has.`,
				Flags: slices.Concat(command.TalkFlags(), []cli.Flag{input.MaxFeaturesFlag()},
					input.CSVFlags(), []cli.Flag{
						&cli.StringFlag{Name: "write-schema", Category: "CSV", Usage: "write the detected schema to `FILE`, - for standard output"},
						&cli.BoolFlag{Name: "force", Category: "CSV", Usage: "replace the schema file if it exists", DisableDefaultText: true},
					}),
				Action: command.Action(readDescribe, program{p}.describe),
			},
			{
				Name:      "convert",
				Usage:     "encode a CSV or Parquet file and write it in the format of LIBSVM",
				ArgsUsage: "FILE",
				Description: `   fairtrain data convert --schema adult --out adult.libsvm adult.data
   fairtrain data convert --label hired --out train.libsvm --also test.csv=test.libsvm train.csv`,
				Flags: slices.Concat(command.TalkFlags(), []cli.Flag{input.MaxFeaturesFlag()},
					input.CSVFlags(), []cli.Flag{
						&cli.StringFlag{Name: "out", Category: "Output", Value: "-", Usage: "write the rows to `FILE`, - for standard output"},
						&cli.StringSliceFlag{Name: "also", Category: "Output", Usage: "encode another file like the first, as `FILE=OUT`; repeatable"},
						&cli.StringFlag{Name: "features-out", Category: "Output", Usage: "write the number and the name of every feature to `FILE`"},
						&cli.BoolFlag{Name: "force", Category: "Output", Usage: "replace files that exist", DisableDefaultText: true},
					}),
				Action: command.Action(program{p}.readConvert, program{p}.convert),
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
	names := c.Args().Slice()
	if len(names) == 0 {
		return nil, command.Usage(fmt.Errorf("%s needs a file or a name", c.Command.HelpName),
			"- is standard input", "fairtrain data list shows the names")
	}
	if err := command.CheckNames(names...); err != nil {
		return nil, err
	}
	limit, err := input.MaxFeatures(c)
	if err != nil {
		return nil, err
	}
	var files []source
	for _, name := range names {
		opts, err := input.CSVOptions(c, name, nil)
		if err != nil {
			return nil, err
		}
		if len(names) > 1 {
			opts.Table.Dropped = nil // another file may have the column
		}
		opts.Rows = libsvm.Options{MaxFeatures: limit}
		files = append(files, source{name, opts})
	}
	return files, nil
}

// load reads data of any format.
func (p program) load(ctx context.Context, s source) (catalogue.Input, error) {
	in, err := input.LoadInput(ctx, p.Stdin, s.name, s.opts)
	return in, input.AdviseLabel(err)
}

// checked is a file in the output of data check.
type checked struct {
	Name string `json:"name"`
	*textfile.CheckReport
}

// maxFaults is the number of faults that are reported for a file: more than anybody
// reads.
const maxFaults = 10000

func (p program) check(_ context.Context, sources []source) error {
	files := []checked{}
	var bad []string
	var unread []error
	for _, s := range sources {
		if catalogue.IsBuiltIn(s.name) {
			return command.Usagef("%s is built in, there is no file to check", s.name)
		}
		report, err := catalogue.CheckFile(s.name, p.Stdin, s.opts, maxFaults)
		if command.ExitCode(err) == command.ExitFailure {
			unread = append(unread, err)
			continue
		}
		if err != nil {
			return err
		}
		if report.Bad > 0 {
			bad = append(bad, s.name)
		}
		if report.Problems == nil {
			report.Problems = []*textfile.ParseError{} // no null in JSON
		}
		files = append(files, checked{s.name, report})
	}
	if err := p.printChecks(files); err != nil {
		return err
	}
	if len(bad) > 0 {
		unread = append(unread, fmt.Errorf("faults in %s", strings.Join(bad, ", ")))
	}
	return errors.Join(unread...)
}

func (p program) printChecks(files []checked) error {
	if p.JSON {
		return p.PrintJSON(map[string]any{"files": files})
	}
	var b bytes.Buffer
	for _, f := range files {
		for _, e := range f.Problems {
			fmt.Fprintln(&b, e)
		}
		if f.Stopped {
			fmt.Fprintf(&b, "%s: a fault, at which reading stopped; rows are not counted\n", f.Name)
			continue
		}
		fmt.Fprintf(&b, "%s: %d good rows, %d faults", f.Name, f.Rows, f.Bad)
		if f.Bad > len(f.Problems) {
			fmt.Fprintf(&b, ", of which the first %d are listed", len(f.Problems))
		}
		fmt.Fprintln(&b)
	}
	return p.Print(b.Bytes())
}
