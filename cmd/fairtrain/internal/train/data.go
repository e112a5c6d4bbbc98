package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/certify"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/memory"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
)

// files returns the files that a run reads, each once, but for standard input, which would not give
// other rows.
func (q *request) files(f *command.Files) *command.Files {
	n := q.names
	f.ReadsData("data", n.Data)
	if n.Constraint != n.Data {
		f.ReadsData("constraint-data", n.Constraint)
	}
	if n.Test == "-" || n.Test != "" && n.Test != n.Data && n.Test != n.Constraint {
		f.ReadsData("test", n.Test)
	}
	return f
}

// load reads the data of a run, each file once, and completes the options that depend on them. The
// encoding of CSV files is learned on the rows to train on.
func (p program) load(ctx context.Context, q *request, test *certify.Test) (*train.Options, error) {
	o := &q.options
	in, err := p.loadTraining(ctx, q, test)
	if fault, ok := errors.AsType[*textfile.ParseError](err); ok && o.Score != "" && fault.Line == 1 {
		err = command.Advise(err, "--label-column, --score-column and --weight-column name the columns")
	}
	if err != nil {
		return nil, input.AdviseLabel(err)
	}
	if in.Table != nil {
		input.RemarkTable(p.Program, in.Table)
		q.notes = in.Table.Notes
		o.Class = cmp.Or(o.Class, train.Additive)
		if o.Score != "" {
			var made []string
			if err := q.checkScores(in.Table, &made); err != nil {
				return nil, err
			}
			if made != nil {
				p.Remark("no features, as they follow the score: %s", strings.Join(made, ", "))
			}
		}
		if err = o.Learn(in.Table, q.validation); err == nil {
			input.RemarkFolded(p.Program, o.Encoding)
		}
	} else {
		if err := q.classOfRows(in); err != nil {
			return nil, err
		}
		o.Encoding = in.Encoding
		if o.Data, o.ValidationData, err = train.HoldOut(in.Rows, q.validation, o.Seed); err == nil && o.Encoding != nil {
			err = o.LearnRows()
		}
	}
	if err != nil {
		return nil, input.AdviseLabel(err)
	}

	others := input.Reader{Program: p.Program, Context: ctx, Features: classifier.Features{Kind: classifier.LIBSVM, Count: o.Data.Features()}}
	if o.Encoding != nil {
		others.Features.Kind, others.Features.Encoding = classifier.CSV, o.Encoding
	}
	if o.Points != nil {
		if err := checkScorecard(&others.Features); err != nil {
			return nil, err
		}
	}
	read, ids := map[string]*dataset.Dataset{q.names.Data: in.Rows}, certify.Identities{}
	load := func(name string) (d *dataset.Dataset, err error) {
		if d := read[name]; d != nil {
			return d, nil
		}
		if test == nil {
			d, err = others.Read(name, tabular.Options{})
		} else {
			var of iter.Seq[uint64]
			d, of, err = others.Identified(name, tabular.Options{})
			ids[d] = of
		}
		read[name] = d
		return d, input.AdviseLabel(err)
	}
	if q.names.Test != "" {
		if o.TestData, err = load(q.names.Test); err != nil {
			return nil, err
		}
		if q.testGiven && !slices.ContainsFunc(o.Constraints, model.IsNone) {
			p.Remark("%s: training looks at these rows (--test), so that certify will refuse them; --certify keeps rows apart for a test", o.TestData.Name)
		}
	}
	o.ConstraintData = o.Data
	if q.names.Constraint != q.names.Data {
		if o.ConstraintData, err = load(q.names.Constraint); err != nil {
			return nil, err
		}
	}
	if test != nil {
		if err := test.Load(ctx, p.Program, q.names, others.Features, o, ids); err != nil {
			return nil, err
		}
	}
	return o, p.complete(q)
}

// loadTraining reads the rows to train on, without those to test on.
func (p program) loadTraining(ctx context.Context, q *request, test *certify.Test) (in catalogue.Input, err error) {
	q.reading.Table.Identify = test != nil
	if q.sharded != nil {
		in, q.options.Model.Shards, err = q.sharded()
	} else {
		in, err = input.LoadInput(ctx, p.Stdin, q.names.Data, q.reading)
		err = input.AdvisePacking(err, q.names.Data)
	}
	if err != nil {
		return in, err
	}
	if in.Encoding != nil && test.IsShare() {
		return in, command.Usage(fmt.Errorf("--certify is %v, must be files: the features of %s were made by all of its rows", test.Share(), q.names.Data),
			"give the unpacked file; or data pack --like FILE packs other rows to test on, for --certify FILE")
	}
	if in.Encoding != nil && q.validation > 0 {
		p.Remark("%s: its features were made by all of its rows, those held out by --validation among them", q.names.Data)
	}
	if in.Encoding != nil {
		for _, column := range in.Encoding.Schema.Columns {
			if several := column.SeveralRows; several != nil {
				p.Remark("%s: column %s: %s; packed rows lack it: if these are people, folds split them, and estimates for unseen rows are too good; the unpacked file keeps them together", q.names.Data, column.Name, several.String())
			}
		}
	}
	if test != nil {
		if in, err = test.TakeOut(ctx, p.Program, in, q.names.Data, q.reading, &q.options); err != nil {
			return in, err
		}
	}
	if err := input.CheckPacked(in, q.groups, model.WithinOf(q.options.Constraints...), q.useGroup); err != nil {
		return in, err
	}
	switch {
	case q.features == 0:
	case in.Table != nil:
		return in, command.Usagef("--features is for rows in the format of LIBSVM, and %s has columns, of which features are made", in.Table.Name)
	case in.Rows.Features() != q.features:
		return in, command.Usagef("--features is %d, but the rows of %s have %d", q.features,
			in.Rows.Name, in.Rows.Features())
	}
	return in, nil
}

// classOfRows sets the class of the model of rows that are features already.
func (q *request) classOfRows(in catalogue.Input) error {
	class := train.Linear
	if in.Encoding != nil && in.Encoding.Additive() {
		class = train.Additive
	}
	if given := q.options.Class; given != "" && given != class {
		return command.Usage(fmt.Errorf("--model-class is %s, but the features of %s are those of a %s model", given, q.names.Data, class),
			"CSV and Parquet files can become either; data pack has --model-class, too")
	}
	if q.options.Interactions > 0 {
		return command.Usage(fmt.Errorf("--interactions is given, but the features of %s are made already", q.names.Data),
			"pairs are of columns of CSV and Parquet files")
	}
	q.options.Class = class
	return nil
}

// complete completes the options that depend on the data.
func (p program) complete(q *request) error {
	o := &q.options
	if !q.passes {
		o.MaxPasses = passesOver(o.Data.All())
	}
	weights := 0.0
	if q.balanced || o.ClassWeight != 1 {
		const perRow = 8
		weights = perRow * float64(o.Data.Rows())
	}
	what := fmt.Sprintf("%s: training on %d rows of %d features", q.names.Data, o.Data.Rows(), o.Data.Features())
	if err := memory.Check(what, o.Memory()+weights); err != nil {
		if memory.Fits(o.MemoryPacked() + weights) {
			err = command.Advise(err, "data pack packs the rows into a file, whose values take none")
		}
		return err
	}
	if d := o.Data; d.SampleOf > 0 {
		p.Remark("steps draw from a sample of %d of the %d rows, everything exact is of all rows", d.Rows(), d.SampleOf)
	}
	if q.balanced {
		o.ClassWeight = o.Data.BalancedWeight()
		if !(o.ClassWeight > 0) || math.IsInf(o.ClassWeight, 1) {
			return errors.New("--class-weight balanced needs rows of both classes with a weight")
		}
	}
	return nil
}
