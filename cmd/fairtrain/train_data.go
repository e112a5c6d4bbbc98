package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/table"
	"github.com/fairtrain/fairtrain/train"
)

// names are the data sets of a training run; test is empty if there is none.
type names struct {
	data, constraint, test string
	certify                *certifying // a test besides, nil for none
}

// trainNames returns the names of the data. Data known by name bring their test rows.
func trainNames(c *cli.Context) names {
	n := names{data: c.String("data"), constraint: c.String("constraint-data"), test: c.String("test")}
	if !c.IsSet("constraint-data") {
		n.constraint = n.data
	}
	if !c.IsSet("test") {
		n.test = knownTest(n.data)
	} else if n.test == noTest {
		n.test = ""
	}
	return n
}

// knownTest returns the name of the test rows that belong to data known by name, if they
// are here.
func knownTest(name string) string {
	if name == syntheticName {
		return syntheticTest
	}
	for _, e := range catalogue.Entries() {
		for _, f := range e.Files {
			if _, err := catalogue.Resolve(f.Name); err == nil && e.Name == name && f.Name == name+".t" {
				return f.Name
			}
		}
	}
	return ""
}

// files returns the files that a training run reads, each once.
func (n names) files(c *cli.Context) *files {
	f := newFiles(c)
	f.readsData("data", n.data)
	if n.constraint != n.data {
		f.readsData("constraint-data", n.constraint)
	}
	if n.test != "" && n.test != n.data && n.test != n.constraint {
		f.readsData("test", n.test)
	}
	return f
}

// loadTraining reads the data of a run, each file once. CSV files are encoded as the rows
// to train on have it.
func (p *program) loadTraining(c *cli.Context, n names, o *train.Options) error {
	features, limit, err := featureFlags(c)
	if err != nil {
		return err
	}
	opts, err := csvOptions(c, groupSpecs(o.Constraints))
	if err != nil {
		return err
	}
	opts.Rows = libsvm.Options{Features: features, MaxFeatures: limit}
	opts.Table.Identify = n.certify != nil
	in, err := p.loadInput(c.Context, n.data, opts)
	if err != nil {
		return adviseLabel(err)
	}
	if n.certify != nil {
		if in, err = n.certify.takeOut(p, c, in, n.data, opts, o.Seed); err != nil {
			return adviseLabel(err)
		}
	}
	held := c.Float64("validation")
	if in.Table != nil {
		p.remarkTable(c, in.Table)
		if err = learn(o, in.Table, held); err == nil {
			p.remarkFolded(c, o.Encoding)
		}
		if err == nil && c.Bool("use-group") {
			p.remarkUnused(c, o)
		}
	} else {
		o.Data, o.ValidationData, err = holdOut(in.Rows, held, o.Seed)
	}
	if err != nil {
		return err
	}

	others := reader{p: p, features: classifier.Features{Kind: classifier.LIBSVM, Count: o.Data.Features()}}
	if o.Encoding != nil {
		others.features.Kind, others.features.Encoding = classifier.CSV, o.Encoding
	}
	read := map[string]*dataset.Dataset{n.data: in.Rows}
	load := func(name string) (*dataset.Dataset, error) {
		if d := read[name]; d != nil {
			return d, nil
		}
		d, err := others.read(c.Context, name, table.Options{})
		read[name] = d
		return d, adviseLabel(err)
	}
	if n.test != "" {
		if o.TestData, err = load(n.test); err != nil {
			return err
		}
	}
	o.ConstraintData = o.Data
	if n.constraint != n.data {
		if o.ConstraintData, err = load(n.constraint); err != nil {
			return err
		}
	}
	if n.certify != nil {
		return n.certify.load(p, c, n, others.features, o)
	}
	return nil
}

// remarkUnused says which groups --use-group does not make features.
func (p *program) remarkUnused(c *cli.Context, o *train.Options) {
	specs := groupSpecs(o.Constraints)
	used := o.Encoding.UsesGroups(specs)
	for _, spec := range specs {
		for _, name := range dataset.AttributesIn(spec) {
			if !slices.Contains(used, name) {
				p.remark(c, "%s is no feature, as --drop or the schema drops it in spite of --use-group", name)
			}
		}
	}
}

// featureFlags returns the number of features of LIBSVM files, 0 for any, and its limit.
func featureFlags(c *cli.Context) (features, limit int, err error) {
	if limit, err = maxFeatures(c); err != nil {
		return 0, 0, err
	}
	features = c.Int("features")
	if c.IsSet("features") {
		err = checkRange("features", float64(features), 1, float64(limit))
	}
	return features, limit, err
}

// learn encodes a table by what its rows to train on are like. The columns of a table
// have no common zero, so there is an intercept unless the person says otherwise.
func learn(o *train.Options, t *table.Table, held float64) error {
	var training, validation []int // nil means all rows
	var err error
	if held > 0 {
		if training, validation, err = dataset.Deal(t.Rows, held, o.Seed); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	if o.Encoding, err = table.Learn(t, training); err != nil {
		return adviseLabel(err)
	}
	if o.Data, err = o.Encoding.Apply(t, training); err != nil {
		return err
	}
	if held > 0 {
		o.ValidationData, err = o.Encoding.Apply(t, validation)
		o.ValidationData.Name += " (held out)"
	}
	return err
}

// holdOut deals rows to those to train on and those to validate on, nil for none.
func holdOut(d *dataset.Dataset, held float64, seed uint64) (training, validation *dataset.Dataset, err error) {
	if held == 0 {
		return d, nil, nil
	}
	training, validation, err = dataset.Split(d, held, seed)
	if err != nil {
		return nil, nil, err
	}
	validation.Name = d.Name + " (held out)"
	return training, validation, nil
}

// classWeights returns the weights of the rows: those of the data, times the weight of
// the class +1 or, with balanced, so that both classes count alike; nil if all are 1.
func classWeights(d *dataset.Dataset, flag string) ([]float64, error) {
	if flag == "" {
		return d.Weights, nil
	}
	sum := map[int8]float64{}
	weights := make([]float64, d.Rows())
	for i, y := range d.Y {
		weights[i] = 1
		if d.Weights != nil {
			weights[i] = d.Weights[i]
		}
		sum[y] += weights[i]
	}
	positive, err := classWeight(flag)
	if err != nil {
		return nil, err
	}
	if flag == balanced {
		if sum[1] == 0 || sum[-1] == 0 {
			return nil, errors.New("--class-weight balanced needs rows of both classes with a weight")
		}
		positive = sum[-1] / sum[1]
	}
	for i, y := range d.Y {
		if y > 0 {
			weights[i] *= positive
		}
	}
	return weights, nil
}
