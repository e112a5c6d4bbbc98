package certify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/ledger"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// heldOut is added to the name of the data of which a share is the test rows.
const heldOut = " (held out)"

// TrainFlags are the flags of a guarantee for the trained model.
func TrainFlags() []cli.Flag {
	const category = "Guarantee"
	return append([]cli.Flag{
		&cli.StringFlag{Name: "certify", Category: category, Usage: "test the model, once, on a holdout: a `FILE|SHARE`, the share being held out of the training rows", DefaultText: "no test"},
	}, testFlags(category)...)
}

// TrainOptions are the options of the test of a training run.
type TrainOptions struct {
	File  string  // has the rows to test on; empty if they are a share
	share float64 // of the rows of --data
	testOptions
}

// ReadTrainOptions reads TrainFlags; it returns nil for no test.
func ReadTrainOptions(c *cli.Context) (*TrainOptions, error) {
	if !c.IsSet("certify") {
		return nil, command.CheckAlone(c, "certify", "confidence", "reuse")
	}
	o := &TrainOptions{File: c.String("certify")}
	if share, err := strconv.ParseFloat(o.File, 64); err == nil {
		if !(share > 0 && share < 1) {
			return nil, command.Usagef("--certify is %s, must be a share between 0 and 1, such as 0.3, or a file", o.File)
		}
		o.File, o.share = "", share
	} else if o.File == "" {
		return nil, command.Usagef("--certify is empty, must be a file or a share, such as 0.3")
	}
	var err error
	o.testOptions, err = readTestFlags(c)
	return o, err
}

// Test is the test of a training run.
type Test struct {
	TrainOptions
	requirements []guarantee.Requirement

	ids      iter.Seq[uint64] // of the rows of --data that are trained on
	part     []part           // of the rows of a table
	hash     string           // of that table
	rows     *certifiedRows   // without evidence, as there is no model yet
	training []ledger.Entry   // rows that the model is made of
	earlier  int              // tests of the rows, before training
	remarks  []string         // on the rows
}

// part is what a row is for.
type part uint8

const (
	forNothing  part = iota // it is another row of a unit of which one is tested
	forTraining             // the model learns from it
	forTest
)

// keep keeps the rows that are for something.
func (k *Test) keep(use part) func(row int) bool {
	return func(row int) bool { return row < len(k.part) && k.part[row] == use }
}

// NewTest returns the test that options ask for, nil for none.
func NewTest(options *TrainOptions, o *train.Options, n input.Names) (*Test, error) {
	if options == nil {
		return nil, nil
	}
	k := &Test{TrainOptions: *options}
	var err error
	if k.share > 0 {
		if err := checkReadable(n.Data); err != nil {
			return nil, err
		}
	}
	if k.requirements, err = o.Tested(); err != nil {
		return nil, command.Usage(fmt.Errorf("--certify: %w", err))
	}
	if err := k.ledger.Ready(); err != nil { // training may take hours
		return nil, unrecorded(err)
	}
	return k, nil
}

// Folders are folders that can be written, as they were before: that of the ledger. There may be no
// test.
func (k *Test) Folders() []string {
	if k == nil {
		return nil
	}
	return []string{k.ledger.Dir()}
}

// Share is that of the rows of --data to test on, 0 if the test has rows of its own.
func (k *Test) Share() float64 { return k.share }

// checkReadable refuses data that can be read only once: a share of a table is set aside before it
// is read for training.
func checkReadable(name string) error {
	if name == "-" {
		return command.Usagef("--certify reads its data twice, but standard input can be read only once")
	}
	for _, path := range catalogue.Sources(name) {
		if info, err := os.Stat(path); err == nil &&
			info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeCharDevice) != 0 {
			return command.Usagef("--certify reads its data twice, but %s is a pipe or a device and can be read only once", name)
		}
	}
	return nil
}

// IsShare reports whether the test rows are a share of those of --data. There may be no test.
func (k *Test) IsShare() bool { return k != nil && k.share > 0 }

// TakeOut takes the test rows, if they are a share, out of the data before anything is
// learned from them. It reads the other rows of a CSV file again, as if the file had no
// more.
func (k *Test) TakeOut(ctx context.Context, p *command.Program, in catalogue.Input, name string, opts catalogue.InputOptions, o *train.Options) (catalogue.Input, error) {
	var err error
	if k.ids, err = in.Identified(); k.share == 0 || err != nil {
		return in, err
	}
	var units []uint64
	if t := in.Table; t != nil && t.Units != nil {
		units = t.Units
		k.remarks = append(k.remarks, fmt.Sprintf("rows of equal %s are trained on or tested together, and one of each is tested", names.Line(t.UnitColumn)))
	}
	ids := slices.Collect(k.ids)
	switch share, multiple := sketchOf(ids).Repeated(); {
	case multiple:
		return in, command.Advise(fmt.Errorf("%s: %.0f %% of the rows have the values of another row, and more evenly than by chance, so rows can't test a model that learned from the others", name, 100*share),
			"each person must be one row")
	case share > someRepeated && share < mostRepeated:
		k.remarks = append(k.remarks, fmt.Sprintf("%.0f %% of the rows have the values of another row: if these are the same people, the rows to test on are not new, and a guarantee is void", 100*share))
	}
	training, test, err := dataset.HoldOut(len(ids), units, k.share, o.Seed)
	if err != nil {
		return in, fmt.Errorf("%s: %w", name, err)
	}
	k.rows = &certifiedRows{views: []ledger.Sketch{sketchOf(dataset.Pick(ids, test))}}
	k.ids = slices.Values(dataset.Pick(ids, training))
	if in.Rows != nil {
		in.Rows, k.rows.data = in.Rows.Pick(training, name), in.Rows.Pick(test, name+heldOut)
		return in, nil
	}
	k.part = make([]part, in.Table.Rows)
	for _, i := range training {
		k.part[i] = forTraining
	}
	for _, i := range test {
		k.part[i] = forTest
	}
	opts.CSV, k.hash = true, in.Table.Hash
	opts.Table.Keep = k.keep(forTraining)
	in, err = input.LoadInput(ctx, p.Stdin, name, opts)
	if err == nil {
		err = k.checkSame(name, in.Table.Hash)
	}
	return in, err
}

// checkSame refuses a file that is another one than when its rows were held out.
func (k *Test) checkSame(name, hash string) error {
	if hash == k.hash {
		return nil
	}
	return command.Advise(fmt.Errorf("%s changed while it was read: its rows are not those that were split", name), "run again when it is complete")
}

// Identities are those of the rows of data sets, by which rows are recognised.
type Identities map[*dataset.Dataset]iter.Seq[uint64]

// Load reads the test rows with what was learned from the others, and refuses them if
// they can show nothing. Of the other data of the run it needs the identities.
func (k *Test) Load(ctx context.Context, p *command.Program, n input.Names, f classifier.Features, o *train.Options, ids Identities) error {
	if err := k.read(ctx, p, n, f); err != nil {
		return err
	}
	k.rows.features, k.rows.encoding = byFeatures(k.rows.data, f), f.Encoding
	if err := scoring.CheckWeights(k.rows.data); err != nil {
		return command.Advise(err, "train without --certify, or without weights")
	}
	if err := k.checkApart(f, o, ids); err != nil {
		return err
	}
	if err := k.checkGroups(o); err != nil {
		return err
	}
	var err error
	if k.earlier, err = k.holdout(nil).earlier(); err != nil {
		return err
	}
	k.remarks, err = k.rows.remarks(k.requirements, k.remarks)
	return err
}

// read reads the rows, without labels if only these are missing and no requirement needs
// them.
func (k *Test) read(ctx context.Context, p *command.Program, n input.Names, f classifier.Features) (err error) {
	switch {
	case k.part != nil:
		k.rows.data, err = input.Reader{Context: ctx, Program: p, Features: f}.Read(n.Data,
			tabular.Options{Keep: k.keep(forTest)})
		if err != nil {
			return command.Advise(err, "the rows that --certify sets aside are read like the other rows: --categorical or a schema says what a column is")
		}
		if err = k.checkSame(n.Data, k.rows.data.Hash); err != nil {
			return err
		}
		k.rows.data.Name = n.Data + heldOut
		return nil
	case k.share > 0:
		return nil
	}
	k.rows, err = readLabelled(k.requirements, k.File == "-", func(anyLabels bool) (*certifiedRows, error) {
		from := input.Reader{Context: ctx, Program: p, Features: f, Groups: guarantee.SpecsOf(k.requirements)}
		d, ids, err := from.Identified(k.File, tabular.Options{AnyLabels: anyLabels})
		if err != nil {
			return nil, err
		}
		return &certifiedRows{data: d, views: []ledger.Sketch{ledger.NewSketch(d.Rows(), ids)}}, nil
	})
	return err
}

// checkApart refuses rows that training sees, or on which the model is judged otherwise.
func (k *Test) checkApart(f classifier.Features, o *train.Options, ids Identities) error {
	now := time.Now().UTC()
	enter := func(e ledger.Entry, d *dataset.Dataset) {
		e.Time, e.Use, e.Name, e.SHA256 = now, ledger.Training, d.Name, d.Hash
		k.training = append(k.training, e)
	}
	training := ledger.Entry{Rows: []ledger.Sketch{ledger.NewSketch(o.Data.Rows(), k.ids)}, Features: byFeatures(o.Data, f)}
	enter(training, o.Data)
	if k.share > 0 {
		if err := checkRepeats(k.rows, training.Features, o.Data.Name); err != nil {
			return err
		}
	} else {
		other := otherRows{Source: classifier.SourceOf(o.Data), use: "the model is to be trained on", features: []ledger.Features{training.Features}}
		other.views = []ledger.Sketch{k.rows.views[0].Counterpart(o.Data.Rows(), k.ids)}
		if err := checkApart(k.rows, other); err != nil {
			return err
		}
	}
	for _, other := range []struct {
		flag string
		data *dataset.Dataset
	}{{"constraint-data", o.ConstraintData}, {"test", o.TestData}} {
		ids := ids[other.data]
		if ids == nil {
			continue // none, or the rows of --data
		}
		known := ledger.Entry{Rows: []ledger.Sketch{ledger.NewSketch(other.data.Rows(), ids)}, Features: byFeatures(other.data, f)}
		if other.flag == "constraint-data" {
			enter(known, other.data)
		}
		views := []ledger.Sketch{k.rows.views[0].Counterpart(other.data.Rows(), ids)}
		apart := otherRows{Source: classifier.SourceOf(other.data), use: "--" + other.flag + " names", views: views, features: []ledger.Features{known.Features}}
		if err := checkApart(k.rows, apart); err != nil {
			return err
		}
	}
	return nil
}

// checkGroups refuses rows to test on that lack a group of the rows to train on. It refuses
// both kinds of rows if their groups or weights don't suit the tests.
func (k *Test) checkGroups(o *train.Options) error {
	for _, d := range []*dataset.Dataset{o.ConstraintData, k.rows.data} {
		if err := scoring.CheckEvidence(d, k.requirements); err != nil {
			return err
		}
	}
	for _, spec := range guarantee.GroupsOf(k.requirements) {
		trained, err := o.ConstraintData.Strata(spec)
		if err != nil {
			return err
		}
		tested, err := k.rows.data.Strata(spec)
		if err != nil {
			return err
		}
		for _, name := range trained.Names {
			if !slices.Contains(tested.Names, name) {
				return adviseGroups(fmt.Errorf("%s: no row has %s, but training rows have it, so nothing could be guaranteed for that group", k.rows.data.Name, name), name)
			}
		}
	}
	return nil
}

// Train trains, with a test that is not nil.
func (k *Test) Train(ctx context.Context, o train.Options) (*train.Report, *classifier.Classifier, error) {
	if k == nil {
		return train.Run(ctx, o)
	}
	holdout := train.HoldoutTest{Rows: k.rows.data.Rows(), Confidence: ledger.Confidence(k.confidence, k.earlier), Power: guarantee.Power}
	r, trained, aims, err := train.RunToPass(ctx, o, holdout)
	if err != nil {
		return nil, nil, err
	}
	err = k.run(ctx, r, trained, aims)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) { // the test has no outcome, but there is a model
		train.Interrupt(r, trained)
		err = nil
	}
	return r, trained, err
}

// holdout is the test, given what is known of the rows.
func (k *Test) holdout(evidence guarantee.Rows) *holdoutTest {
	return &holdoutTest{testOptions: k.testOptions, rows: k.rows, requirements: k.requirements, evidence: evidence, training: k.training}
}

// run does the test and remembers it, unless the run has no model. The test is done once;
// if it can't be remembered, it has no outcome.
func (k *Test) run(ctx context.Context, r *train.Report, trained *classifier.Classifier, aims train.Aims) error {
	if r.Status == solver.Interrupted || r.Status == solver.Diverged {
		return nil
	}
	scored, err := scoring.New(trained, k.rows.data)
	if err != nil {
		return err
	}
	evidence, err := scored.Evidence(k.requirements)
	if err != nil {
		return err
	}
	certificate := newCertificate(k.rows, k.remarks, "")
	test, err := k.holdout(evidence).do(ctx, &certificate)
	if err != nil {
		return err
	}
	trained.Tests = append(trained.Tests, test)
	r.Guarantee = &train.Guarantee{Certificate: certificate, Power: aims.Power}
	for _, c := range aims.Constraints {
		r.Guarantee.TrainedFor = append(r.Guarantee.TrainedFor, c.String())
	}
	return nil
}

// Failure returns an error if a test was not passed.
func Failure(r *train.Report) error {
	if r.Guarantee == nil {
		return nil
	}
	return notPassed(r.Guarantee.Report)
}
