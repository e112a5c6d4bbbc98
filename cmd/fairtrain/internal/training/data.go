package training

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/certifying"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/table"
	"github.com/fairtrain/fairtrain/train"
)

// trainNames returns the names of the data. Data known by name bring their test rows.
func trainNames(c *cli.Context) input.Names {
	n := input.Names{Data: c.String("data"), Constraint: c.String("constraint-data"), Test: c.String("test")}
	if !c.IsSet("constraint-data") {
		n.Constraint = n.Data
	}
	if !c.IsSet("test") {
		n.Test = catalogue.TestRows(n.Data)
	} else if n.Test == noTest {
		n.Test = ""
	}
	return n
}

// filesOf returns the files that a training run reads, each once, but for standard input, which would not give other
// rows.
func filesOf(n input.Names, c *cli.Context) *command.Files {
	f := command.NewFiles(c)
	f.ReadsData("data", n.Data)
	if n.Constraint != n.Data {
		f.ReadsData("constraint-data", n.Constraint)
	}
	if n.Test == "-" || n.Test != "" && n.Test != n.Data && n.Test != n.Constraint {
		f.ReadsData("test", n.Test)
	}
	return f
}

// loadTraining reads the data of a run, each file once. The encoding of CSV files is
// learned on the rows to train on.
func (p program) loadTraining(c *cli.Context, n input.Names, test *certifying.Test, o *train.Options) error {
	features, limit, err := featureFlags(c)
	if err != nil {
		return err
	}
	opts, err := input.CSVOptions(c, n.Data, input.GroupSpecs(o.Constraints))
	if err != nil {
		return err
	}
	opts.Rows = libsvm.Options{Features: features, MaxFeatures: limit}
	opts.Table.Identify = test != nil
	in, err := p.load(c, n.Data, opts, o)
	if err != nil {
		return input.AdviseLabel(err)
	}
	if in.Encoding != nil && test.IsShare() {
		return command.Usage(fmt.Errorf("--certify is %s, must be files: the features of %s were made by all of its rows", c.String("certify"), n.Data),
			"data pack --aside SHARE packs rows without a share of them, and --like FILE --only-aside this share; or give the unpacked file")
	}
	if in.Encoding != nil && c.Float64("validation") > 0 {
		p.Remark("%s: its features were made by all of its rows, those held out by --validation among them", n.Data)
	}
	if test != nil {
		if in, err = test.TakeOut(c.Context, p.Program, in, n.Data, opts, o); err != nil {
			return input.AdviseLabel(err)
		}
	}
	if err := input.CheckPacked(in, slices.Concat(input.GroupSpecs(o.Constraints), c.StringSlice("group")), c.Bool("use-group")); err != nil {
		return err
	}
	if err := checkFeatures(c, in); err != nil {
		return err
	}
	held := c.Float64("validation")
	if in.Table != nil {
		input.RemarkTable(p.Program, in.Table)
		o.Encoding, o.Data, o.ValidationData, err = train.HoldOutTable(in.Table, nil, held, o.Seed)
		if err == nil {
			input.RemarkFolded(p.Program, o.Encoding)
		}
		if err == nil && c.Bool("use-group") {
			p.remarkUnused(c, o)
		}
	} else {
		o.Encoding = in.Encoding
		o.Data, o.ValidationData, err = train.HoldOut(in.Rows, held, o.Seed)
	}
	if err != nil {
		return input.AdviseLabel(err)
	}

	others := input.Reader{Context: c.Context, Program: p.Program, Features: classifier.Features{Kind: classifier.LIBSVM, Count: o.Data.Features()}}
	if o.Encoding != nil {
		others.Features.Kind, others.Features.Encoding = classifier.CSV, o.Encoding
	}
	read := map[string]*dataset.Dataset{n.Data: in.Rows}
	load := func(name string) (*dataset.Dataset, error) {
		if d := read[name]; d != nil {
			return d, nil
		}
		d, err := others.Read(name, table.Options{})
		read[name] = d
		return d, input.AdviseLabel(err)
	}
	if n.Test != "" {
		if o.TestData, err = load(n.Test); err != nil {
			return err
		}
	}
	o.ConstraintData = o.Data
	if n.Constraint != n.Data {
		if o.ConstraintData, err = load(n.Constraint); err != nil {
			return err
		}
	}
	if test != nil {
		return test.Load(c.Context, p.Program, n, others.Features, o)
	}
	return nil
}

// load reads the rows to train on.
func (p program) load(c *cli.Context, name string, opts catalogue.InputOptions, o *train.Options) (in catalogue.Input, err error) {
	if p.elsewhere == nil {
		in, err := input.LoadInput(c.Context, p.Stdin, name, opts)
		return in, input.AdvisePacking(err, name)
	}
	in, places, err := p.elsewhere(c, name, o)
	if places != nil {
		o.Model.Remote = places
	}
	return in, err
}

// remarkUnused says which groups --use-group does not make features.
func (p program) remarkUnused(c *cli.Context, o *train.Options) {
	specs := input.GroupSpecs(o.Constraints)
	used := o.Encoding.UsesGroups(specs)
	for _, name := range dataset.AttributesIn(specs...) {
		if !slices.Contains(used, name) {
			p.Remark("%s is no feature, as --drop or the schema drops it in spite of --use-group", name)
		}
	}
}

// featureFlags returns the number of features of LIBSVM files, 0 for any, and its limit.
func featureFlags(c *cli.Context) (features, limit int, err error) {
	if limit, err = input.MaxFeatures(c); err != nil {
		return 0, 0, err
	}
	features = c.Int("features")
	if c.IsSet("features") {
		err = command.CheckRange("features", float64(features), 1, float64(limit))
	}
	return features, limit, err
}

// checkFeatures refuses --features where it had no effect: rows that are not in the format of LIBSVM have as many features
// as they have.
func checkFeatures(c *cli.Context, in catalogue.Input) error {
	switch {
	case !c.IsSet("features"):
	case in.Table != nil:
		return command.Usagef("--features is for rows in the format of LIBSVM, and %s has columns, of which features are made", in.Table.Name)
	case in.Rows.Features() != c.Int("features"):
		return command.Usagef("--features is %d, but the rows of %s have %d", c.Int("features"), in.Rows.Name, in.Rows.Features())
	}
	return nil
}
