// Package data has the commands about data sets: list, get, check, describe, convert and pack.
package data

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/inert"
	"github.com/fairtrain/fairtrain/internal/memory"
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
				Action: program{p}.dataList,
			},
			{
				Name:      "get",
				Usage:     "download data sets known by name, and print where they are",
				ArgsUsage: "NAME...",
				Flags: append(command.TalkFlags(),
					&cli.StringFlag{Name: "dir", Category: "Data", Usage: "store the files in `DIR`", DefaultText: "the user's cache"},
					&cli.BoolFlag{Name: "force", Category: "Data", Usage: "replace other files of these names in DIR", DisableDefaultText: true}),
				Action: program{p}.dataGet,
			},
			{
				Name:      "check",
				Usage:     "report every faulty line of data files (of CSV and Parquet files, the first)",
				ArgsUsage: "FILE...",
				Flags:     slices.Concat(command.TalkFlags(), []cli.Flag{input.MaxFeaturesFlag()}, input.CSVFlags()),
				Action:    program{p}.dataCheck,
			},
			{
				Name:      "describe",
				Usage:     "size, labels and values of data; what was detected in CSV and Parquet files",
				ArgsUsage: "FILE...",
				Description: `   fairtrain data describe people.csv
   fairtrain data describe --write-schema people.toml people.csv

The schema file says how every column is used, for you to edit: which columns are dropped,
which columns form groups, which values the label has.`,
				Flags: slices.Concat(command.TalkFlags(), []cli.Flag{input.MaxFeaturesFlag()}, input.CSVFlags(), []cli.Flag{
					&cli.StringFlag{Name: "write-schema", Category: "CSV", Usage: "write the detected schema to `FILE`, - for standard output"},
					&cli.BoolFlag{Name: "force", Category: "CSV", Usage: "replace the schema file if it exists", DisableDefaultText: true},
				}),
				Action: program{p}.dataDescribe,
			},
			{
				Name:      "convert",
				Usage:     "encode a CSV or Parquet file and write it in the format of LIBSVM",
				ArgsUsage: "FILE",
				Description: `   fairtrain data convert --schema adult --out adult.libsvm adult.data
   fairtrain data convert --label hired --out train.libsvm --also test.csv=test.libsvm train.csv`,
				Flags: slices.Concat(command.TalkFlags(), []cli.Flag{input.MaxFeaturesFlag()}, input.CSVFlags(), []cli.Flag{
					&cli.StringFlag{Name: "out", Category: "Output", Value: "-", Usage: "write the rows to `FILE`, - for standard output"},
					&cli.StringSliceFlag{Name: "also", Category: "Output", Usage: "encode another file like the first, as `FILE=OUT`; repeatable"},
					&cli.StringFlag{Name: "features-out", Category: "Output", Usage: "write the number and the name of every feature to `FILE`"},
					&cli.BoolFlag{Name: "force", Category: "Output", Usage: "replace files that exist", DisableDefaultText: true},
				}),
				Action: program{p}.dataConvert,
			},
			program{p}.packCommand(),
		},
	}
}

// checked is a file in the output of data check.
type checked struct {
	Name string `json:"name"`
	*textfile.CheckReport
}

// maxFaults is the number of faults that are reported for a file: more than anybody
// reads.
const maxFaults = 10000

func (p program) dataCheck(c *cli.Context) error {
	names, err := fileArguments(c)
	if err != nil {
		return err
	}
	files := []checked{}
	var bad []string
	var unread []error
	for _, name := range names {
		report, err := command.Interruptible(c.Context, func() (*textfile.CheckReport, error) { return p.check(c, name) })
		if command.ExitCode(err) == command.ExitFailure {
			unread = append(unread, err)
			continue
		}
		if err != nil {
			return err
		}
		if report.Bad > 0 {
			bad = append(bad, name)
		}
		if report.Problems == nil {
			report.Problems = []*textfile.ParseError{} // no null in JSON
		}
		files = append(files, checked{name, report})
	}
	if err := p.printChecks(c, files); err != nil {
		return err
	}
	if len(bad) > 0 {
		unread = append(unread, fmt.Errorf("faults in %s", strings.Join(bad, ", ")))
	}
	return errors.Join(unread...)
}

func (p program) check(c *cli.Context, name string) (*textfile.CheckReport, error) {
	limit, err := input.MaxFeatures(c)
	if err != nil {
		return nil, err
	}
	if catalogue.IsBuiltIn(name) {
		return nil, command.Usagef("%s is built in, there is no file to check", name)
	}
	opts, err := input.CSVOptions(c, name, nil)
	if err != nil {
		return nil, err
	}
	if c.NArg() > 1 {
		opts.Table.Dropped = nil // another file may have the column
	}
	opts.Rows = libsvm.Options{MaxFeatures: limit}
	return catalogue.CheckFile(name, p.Stdin, opts, maxFaults)
}

func (p program) printChecks(c *cli.Context, files []checked) error {
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

func (p program) dataDescribe(c *cli.Context) error {
	names, err := fileArguments(c)
	if err != nil {
		return err
	}
	schemaTo := c.String("write-schema")
	if schemaTo != "" {
		if len(names) > 1 {
			return command.Usagef("--write-schema is for one file, found %d", len(names))
		}
		f := command.NewFiles(c)
		f.ReadsData("", names...)
		f.Writes("write-schema", schemaTo, command.IfForced(c))
		if err := f.Check(); err != nil {
			return err
		}
	}
	summaries := []any{}
	var b bytes.Buffer
	for i, name := range names {
		in, err := p.loadAny(c, name, true)
		if err != nil {
			return err
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		if in.Table == nil {
			if schemaTo != "" {
				return command.Usagef("%s is no CSV or Parquet file, it has no schema", name)
			}
			const perFeature = 40 // bytes, some of them of the list of unused ones
			if err := memory.Check(fmt.Sprintf("%s: to describe %d features", in.Rows.Name, in.Rows.Features()), perFeature*float64(in.Rows.Features())); err != nil {
				return err
			}
			s := dataset.Describe(in.Rows)
			describe(&b, s)
			summaries = append(summaries, s)
			continue
		}
		d := newDescribedTable(in.Table)
		d.text(&b)
		summaries = append(summaries, d)
		if schemaTo != "" {
			if err := p.writeSchema(c, in.Table); err != nil || schemaTo == "-" {
				return err
			}
		}
	}
	if p.JSON {
		return p.PrintJSON(map[string]any{"data": summaries})
	}
	return p.Print(b.Bytes())
}

func describe(b *bytes.Buffer, s dataset.Summary) {
	fmt.Fprintf(b, "%s\n", s.Name)
	fmt.Fprintf(b, "  rows       %d\n", s.Rows)
	fmt.Fprintf(b, "  labels     %d positive, %d negative (%s)\n", s.Positives, s.Negatives, s.LabelRule)
	fmt.Fprintf(b, "  features   %d, of which %d are 0 in every row\n", s.Features, len(s.Unused))
	fmt.Fprintf(b, "  non-zeros  %d (%.3g %% of the entries)\n", s.NonZeros, 100*s.Density)
	switch {
	case s.MinValue == s.MaxValue:
		fmt.Fprintf(b, "  values     %g\n", s.MinValue)
	case s.Binary:
		fmt.Fprintf(b, "  values     0 and 1\n")
	default:
		fmt.Fprintf(b, "  values     %g to %g\n", s.MinValue, s.MaxValue)
	}
	if len(s.Groups) > 0 {
		fmt.Fprintf(b, "  groups     %s\n", inert.Line(strings.Join(s.Groups, ", ")))
	}
	describeHash(b, s.Name, s.SHA256)
}

func describeHash(b *bytes.Buffer, name, hash string) {
	fmt.Fprintf(b, "  SHA-256    %s\n", strings.TrimSpace(hash+" "+catalogue.Hashed(name)))
}

// fileArguments returns the arguments of a command that reads files.
func fileArguments(c *cli.Context) ([]string, error) {
	names := c.Args().Slice()
	if len(names) == 0 {
		return nil, command.Usage(fmt.Errorf("%s needs a file or a name", c.Command.HelpName), "- is standard input", "fairtrain data list shows the names")
	}
	return names, command.CheckNames(names...)
}
