package data

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/packed"
	"github.com/fairtrain/fairtrain/dataset/packing"
)

// Elsewhere returns the places that have the files of a pattern.
type Elsewhere func(c *cli.Context, pattern string) (Places, error)

// Places have files, which they count and pack.
type Places interface {
	Files() []string
	// First reads the first file that has rows, and returns its path.
	First(opts catalogue.InputOptions) (in catalogue.Input, path string, err error)
	Count(o *packing.Order) ([]*packing.Counted, error)
	// Write writes the rows of file k as out[k]. Files may be left where it fails.
	Write(o *packing.Order, out []string) ([]packing.Written, error)
	// Found returns the files that match a pattern, wherever they are.
	Found(pattern string) ([]string, error)
	Remove(path string)
	Open(path string) (*packed.File, error)
}

// CommandElsewhere is fairtrain data pack of many files, each packed where it is.
func CommandElsewhere(p *command.Program, files Elsewhere, others []cli.Flag) *cli.Command {
	pack := program{Program: p, elsewhere: files}.packCommand()
	pack.Usage = "have workers write the rows of files as packed files"
	pack.ArgsUsage = "PATTERN"
	pack.Description = fmt.Sprintf(`   %[1]s data pack --label hired --group sex --out /packed/people '/raw/people-*.csv'
   %[1]s train --data '/packed/people-*.fpk' --constraint demographic-parity:group=sex,bound=0.02

The files are those of one data set: CSV, Parquet or the format of LIBSVM, plain or compressed.
Columns have the types that this program finds in the first file that has rows, or those of a
--schema; other columns are named, and not used. Workers count the rows of all files; what these
counts say becomes the encoding, the same as if all rows were in one file. Then they write the
rows of each file. A faulty row of any file is named, and nothing is written.

Rows to train on, and others for train --certify that have no part in the encoding:

   %[1]s data pack --aside 0.2 --out /packed/train '/raw/*.csv'
   %[1]s data pack --aside 0.2 --only-aside --like /packed/train-00000-of-00008.fpk \
      --out /packed/fresh '/raw/*.csv'`, p.Name)
	pack.Action = program{Program: p, elsewhere: files}.packElsewhere
	pack.Flags = slices.DeleteFunc(pack.Flags, func(f cli.Flag) bool { return f.Names()[0] == "rows" })
	for _, f := range pack.Flags {
		switch f := f.(type) {
		case *cli.StringFlag:
			if f.Name == "out" {
				f.Value, f.Usage = "rows", "write the rows as `PREFIX`-00000-of-00008.fpk, … if there are 8 files"
			}
		case *cli.BoolFlag:
			if f.Name == "force" {
				f.Usage = "replace such files, of any number; they are gone, too, if that fails"
			}
		}
	}
	pack.Flags = append(pack.Flags, others...)
	return &cli.Command{Name: "data", Usage: "data sets: pack", Subcommands: []*cli.Command{pack}}
}

func (p program) packElsewhere(c *cli.Context) error {
	if c.Args().Len() != 1 {
		return command.Usagef("%s takes one pattern of files, found %d arguments (quote a pattern, so that the shell leaves it alone)", c.Command.HelpName, c.Args().Len())
	}
	pattern := c.Args().First()
	if err := checkAside(c, pattern); err != nil {
		return err
	}
	places, err := p.elsewhere(c, pattern)
	if err != nil {
		return err
	}
	out, old, err := outputs(c, places)
	if err != nil {
		return err
	}
	order, err := p.order(c, places, pattern)
	if err != nil {
		return input.AdviseLabel(err)
	}
	written, err := command.Interruptible(c.Context, func() ([]packing.Written, error) { return places.Write(order, out) })
	if err != nil {
		for _, path := range out {
			places.Remove(path)
		}
		return err
	}
	done := packedFile{Path: c.String("out") + "-*.fpk"}
	for k, w := range written {
		done.Rows += w.Rows
		done.Bytes += w.Bytes
		done.Features = max(done.Features, w.Features)
		if w.Rows == 0 {
			p.Remark("%s has no row that is kept, and so no packed file", places.Files()[k])
		}
	}
	for _, path := range old {
		if !slices.Contains(out, path) {
			places.Remove(path)
		}
	}
	if done.Rows == 0 {
		return fmt.Errorf("%s: no row is kept, and nothing was written", pattern)
	}
	p.Remark("%d rows of %d features written to %s, %.1f bytes a row", done.Rows, done.Features, done.Path, float64(done.Bytes)/float64(done.Rows))
	if p.JSON {
		return p.PrintJSON(map[string]any{"files": []packedFile{done}})
	}
	return nil
}

// outputs returns the files to be written, and those of an earlier command, which must be asked
// for to be replaced.
func outputs(c *cli.Context, places Places) (out, old []string, err error) {
	prefix, count := c.String("out"), len(places.Files())
	if old, err = places.Found(prefix + "-*-of-*.fpk"); err != nil {
		return nil, nil, err
	}
	numbered := regexp.MustCompile(`-\d{5,}-of-\d{5,}\.fpk$`)
	old = slices.DeleteFunc(old, func(path string) bool { return len(path) != len(prefix)+len(numbered.FindString(path)) })
	if len(old) > 0 && !c.Bool("force") {
		return nil, nil, command.Usagef("%s is there, the first of %d such files (--force replaces them, --out names others)", old[0], len(old))
	}
	for k := range count {
		out = append(out, fmt.Sprintf("%s-%05d-of-%05d.fpk", prefix, k, count))
	}
	for _, path := range places.Files() {
		if slices.Contains(out, path) {
			return nil, nil, command.Usagef("--out would replace %s, which is to be read", path)
		}
	}
	return out, old, nil
}

// order returns how to write the files, once workers have counted their rows.
func (p program) order(c *cli.Context, places Places, pattern string) (*packing.Order, error) {
	opts, like, err := p.packOptions(c, places.Open)
	if err != nil {
		return nil, err
	}
	name := ""
	first, err := command.Interruptible(c.Context, func() (in catalogue.Input, err error) {
		in, name, err = places.First(opts)
		return in, err
	})
	if err != nil {
		return nil, err
	}
	o := &packing.Order{MaxFeatures: opts.Rows.MaxFeatures, Encoding: like}
	switch {
	case first.Packed:
		return nil, fmt.Errorf("%s is packed already", name)
	case first.Table != nil:
		input.RemarkTable(p.Program, c, first.Table)
		o.Schema = first.Table.FullSchema()
		if like != nil {
			o.Schema = like.Schema
		}
	case like != nil:
		return nil, command.Usagef("--like is for CSV and Parquet files, %s is none", name)
	}
	all, err := p.count(c, places, o)
	if err != nil {
		return nil, err
	}
	rows := 0
	for k, counted := range all {
		o.Before = append(o.Before, rows)
		rows += counted.Rows
		if len(counted.Unused) > 0 {
			p.Remark("%s has columns that %s has not, and that are not used: %s", places.Files()[k], name, strings.Join(counted.Unused, ", "))
		}
	}
	o.Aside, o.Only = c.Float64("aside"), c.Bool("only-aside")
	if o.Aside > 0 && o.Schema != nil { // the encoding is of the rows that are kept
		if all, err = p.count(c, places, o); err != nil {
			return nil, err
		}
	}
	p.Remark("%d rows counted in %d files, which are written now", rows, len(all))
	if o.Schema == nil {
		return o, sameRule(places.Files(), all)
	}
	var total *encoding.Statistics
	for _, counted := range all {
		switch {
		case counted.Statistics == nil:
		case total == nil:
			total = counted.Statistics
		default:
			if err := total.Add(counted.Statistics); err != nil {
				return nil, err
			}
		}
	}
	if total == nil {
		return nil, fmt.Errorf("%s: no row is kept", pattern)
	}
	o.Groups = total.Groups
	if like != nil {
		return o, nil
	}
	o.Encoding, err = total.Learn(pattern, first.Table.Schema)
	if err != nil {
		return nil, err
	}
	input.RemarkFolded(p.Program, c, o.Encoding)
	return o, nil
}

func (p program) count(c *cli.Context, places Places, o *packing.Order) ([]*packing.Counted, error) {
	return command.Interruptible(c.Context, func() ([]*packing.Counted, error) { return places.Count(o) })
}

// sameRule fails unless labels mean the same in all files.
func sameRule(files []string, all []*packing.Counted) error {
	for k, counted := range all {
		if counted.Rule != all[0].Rule {
			return fmt.Errorf("%s: its labels mean %s, those of %s mean %s", files[k], counted.Rule, files[0], all[0].Rule)
		}
	}
	return nil
}
