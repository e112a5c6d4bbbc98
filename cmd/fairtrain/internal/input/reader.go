package input

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/internal/memory"
	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/report/words"
)

// Reader reads the data of a model.
type Reader struct {
	Context  context.Context
	Program  *command.Program
	Features classifier.Features
	Groups   []string                            // specifications whose columns CSV files are to have
	Each     map[string]func(value string) error // see tabular.Options
}

// Read returns rows with the features of the model. The rows may lack what opts allow
// them to lack.
func (r Reader) Read(name string, opts tabular.Options) (*dataset.Dataset, error) {
	in, err := r.read(name, opts)
	return in.Rows, AdvisePacking(err, name)
}

// WithTable is Read, and also returns the table of which the rows were made; nil if they were
// features already.
func (r Reader) WithTable(name string, opts tabular.Options) (*dataset.Dataset, *tabular.Table, error) {
	in, err := r.read(name, opts)
	return in.Rows, in.Table, AdvisePacking(err, name)
}

// Identified is Read, and also identifies the rows. It returns the rows with the error of
// catalogue.Input.Identified.
func (r Reader) Identified(name string, opts tabular.Options) (*dataset.Dataset, iter.Seq[uint64], error) {
	opts.Identify = true
	in, err := r.read(name, opts)
	if err != nil {
		return nil, nil, AdvisePacking(err, name)
	}
	ids, err := in.Identified()
	return in.Rows, ids, err
}

// read returns encoded rows; those of a table with it.
func (r Reader) read(name string, opts tabular.Options) (in catalogue.Input, err error) {
	switch {
	case catalogue.IsPacked(name):
		return r.packed(name)
	case r.Features.Kind == classifier.LIBSVM:
		rows := libsvm.Options{Features: r.Features.Count, AnyLabels: opts.AnyLabels}
		in.Rows, err = command.Interruptible(r.Context, func() (*dataset.Dataset, error) {
			return catalogue.Load(name, r.Program.Stdin, rows)
		})
		return in, err
	}
	e := *r.Features.Encoding
	e.Schema = e.Schema.WithGroups(r.Groups)
	opts.Each = r.Each
	in.Table, err = command.Interruptible(r.Context, func() (*tabular.Table, error) {
		return catalogue.LoadTable(name, r.Program.Stdin, e.Schema, opts)
	})
	if err != nil {
		return in, err
	}
	remarkLeftOut(r.Program, in.Table)
	for _, n := range in.Table.Notes {
		if n.Kind == tabular.Totals {
			r.Program.Remark("%s: %s", name, n)
		}
	}
	if in.Rows, err = e.Apply(in.Table, nil); err != nil {
		return in, err
	}
	for _, d := range e.Drifts(in.Rows, 0) {
		r.Program.Remark("%s: %s", name, words.Drift(&d, true))
	}
	return in, nil
}

// packed returns the rows of a packed file, which must be encoded as those of the model.
func (r Reader) packed(name string) (catalogue.Input, error) {
	if len(r.Each) > 0 {
		return catalogue.Input{}, command.Usagef("%s is packed: it has features, and none of the columns that --id copies", name)
	}
	opts := catalogue.InputOptions{Rows: libsvm.Options{MaxFeatures: math.MaxInt32}}
	if r.Features.Kind != classifier.CSV {
		opts.Rows.Features = r.Features.Count
	}
	in, err := LoadInput(r.Context, r.Program.Stdin, name, opts)
	if err == nil {
		err = r.checkEncoding(name, in)
	}
	return in, err
}

// checkEncoding refuses packed rows that are not encoded as those of the model.
func (r Reader) checkEncoding(name string, in catalogue.Input) error {
	csv := r.Features.Kind == classifier.CSV
	switch {
	case !csv && in.Encoding != nil:
		return fmt.Errorf("%s was packed from a CSV file, but the model is of LIBSVM rows", name)
	case csv && in.Encoding == nil:
		return fmt.Errorf("%s was packed from rows that were features, but the model is of CSV files", name)
	case csv && !in.Encoding.Equal(r.Features.Encoding):
		return command.Advise(fmt.Errorf("%s is encoded otherwise than the rows that the model was trained on", name),
			"data pack --like FILE packs rows as those of the packed FILE are, which a model can be trained on")
	}
	return nil
}

// CheckPacked refuses rows of a packed CSV file to be trained on if they are not what the
// specifications of groups and --use-group ask for: a file without the groups, or with features
// made of them.
func CheckPacked(in catalogue.Input, specs, within []string, useGroup bool) error {
	if in.Encoding == nil {
		return nil
	}
	for _, name := range dataset.AttributesIn(slices.Concat(specs, within)...) {
		if in.Rows.Attribute(name) == nil {
			return command.Advise(fmt.Errorf("%s was packed without the groups of %s", in.Rows.Name, name),
				"data pack --group "+names.ShellItem(name)+" packs them with the features")
		}
	}
	used := in.Encoding.UsesGroups(specs)
	switch {
	case len(used) > 0 && !useGroup:
		return command.Advise(fmt.Errorf("%s was packed with features made of %s", in.Rows.Name, strings.Join(used, ", ")),
			"data pack --group "+names.ShellItem(used[0])+" makes them none", "train --use-group takes them as they are")
	case len(used) == 0 && useGroup && len(specs) > 0:
		return command.Advise(fmt.Errorf("%s was packed without features made of groups", in.Rows.Name),
			"data pack --use-group makes them features")
	}
	return nil
}

// AdvisePacking adds to the error of data that are too large for the memory what to do about it.
func AdvisePacking(err error, name string) error {
	if _, large := errors.AsType[*memory.Error](err); !large || catalogue.IsPacked(name) {
		return err
	}
	return command.Advise(err, "--memory allows more",
		"data pack --out rows.fpk "+names.Shell(name)+" packs the rows once: training maps them and needs less memory")
}
