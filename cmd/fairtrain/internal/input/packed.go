package input

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/internal/memory"
)

// packed returns the rows of a packed file, which must be encoded as those of the model.
func (r Reader) packed(name string) (catalogue.Input, error) {
	if len(r.Each) > 0 {
		return catalogue.Input{}, command.Usagef("%s is packed: it has features, and none of the columns that --id copies", name)
	}
	opts := catalogue.InputOptions{Rows: libsvm.Options{MaxFeatures: math.MaxInt32}}
	if r.Features.Kind != classifier.CSV {
		opts.Rows.Features = r.Features.Count
	}
	in, err := LoadInput(r.Flags.Context, r.Program.Stdin, name, opts)
	if err == nil {
		err = r.CheckEncoding(name, in)
	}
	return in, err
}

// CheckEncoding refuses packed rows that are not encoded as those of the model.
func (r Reader) CheckEncoding(name string, in catalogue.Input) error {
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
// flags about groups ask for: a file without the groups, or with features made of them.
func CheckPacked(c *cli.Context, in catalogue.Input, constrained []string) error {
	if in.Encoding == nil {
		return nil
	}
	specs := slices.Concat(constrained, c.StringSlice("group"))
	for _, name := range dataset.AttributesIn(specs...) {
		if in.Rows.Attribute(name) == nil {
			return command.Advise(fmt.Errorf("%s was packed without the groups of %s", in.Rows.Name, name),
				"data pack --group "+ShellQuoted(name)+" keeps them beside the features")
		}
	}
	used := in.Encoding.UsesGroups(specs)
	switch {
	case len(used) > 0 && !c.Bool("use-group"):
		return command.Advise(fmt.Errorf("%s was packed with features made of %s", in.Rows.Name, strings.Join(used, ", ")),
			"data pack --group "+ShellQuoted(used[0])+" makes them none", "train --use-group takes them as they are")
	case len(used) == 0 && c.Bool("use-group") && len(specs) > 0:
		return command.Advise(fmt.Errorf("%s was packed without features made of groups", in.Rows.Name), "data pack --use-group makes them features")
	}
	return nil
}

// AdvisePacking adds to the error of data that are too large for the memory what to do about it.
func AdvisePacking(err error, name string) error {
	if _, large := errors.AsType[*memory.Error](err); !large || catalogue.IsPacked(name) {
		return err
	}
	return command.Advise(err, "--memory allows more",
		"data pack --out rows.fpk "+ShellQuoted(name)+" packs the rows once: training maps them and needs less memory")
}
