// Command certify asks for guarantees on the public data sets of the field, from their raw
// files in $FAIRTRAIN_DATA, and prints the table of docs/guarantee.md:
//
//	go run ./examples/certify
//
// It does the same as fairtrain train --certify SHARE, but without the ledger of tested
// rows: here the same rows are tested for one bound after another, which shows the result of
// each test alone.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/table"
	"github.com/fairtrain/fairtrain/examples/realdata"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/report/digits"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// study is a guarantee that is asked for.
type study struct {
	realdata.Set
	constraint string
}

var studies = []study{
	{realdata.Adult, "demographic-parity:group=sex,bound=0.05"},
	{realdata.Adult, "demographic-parity:group=sex,bound=0.01"},
	{realdata.Adult, "demographic-parity:group=race,bound=0.02"},
	{realdata.COMPAS, "equal-opportunity:group=race=African-American,bound=0.05"},
	{realdata.COMPAS, "equal-opportunity:group=race=African-American,bound=0.1"},
	{realdata.German, "demographic-parity:group=sex,bound=0.1"},
	{realdata.CreditDefault, "demographic-parity:group=SEX,bound=0.05"},
	{realdata.LendingClub, "demographic-parity:group=income,bound=0.05"},
	{realdata.Dutch, "demographic-parity:group=sex,bound=0.05"},
	{realdata.Dutch, "demographic-parity:group=sex,bound=0.1"},
}

// settings of all tests.
type settings struct {
	share, confidence, power float64
	seed                     uint64
}

func main() {
	s := settings{power: 0.9}
	flag.Float64Var(&s.share, "share", 0.3, "test on this share of the rows")
	flag.Float64Var(&s.confidence, "confidence", 0.95, "of the guarantees")
	flag.Uint64Var(&s.seed, "seed", 1, "selects the rows to test on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Getenv("FAIRTRAIN_DATA"), studies, s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run prints the table.
func run(ctx context.Context, w io.Writer, dir string, studies []study, s settings) error {
	if dir == "" {
		return errors.New("FAIRTRAIN_DATA must name the folder of the data")
	}
	fmt.Fprintln(w, "| data | asked | rows tested | trained for | in the rows | shown | guaranteed | rows needed, groups too small | accuracy | without | seconds |")
	fmt.Fprintln(w, "|---|---|---:|---:|---:|---:|---|---|---:|---:|---:|")
	for _, study := range studies {
		start := time.Now()
		r, err := study.certify(ctx, dir, s)
		if err != nil {
			return fmt.Errorf("%s: %w", study.Name, err)
		}
		g := r.Guarantee
		v := g.Requirements[0]
		aim, err := model.ParseConstraint(g.TrainedFor[0])
		if err != nil {
			return err
		}
		verdict := "no"
		if g.Holds {
			verdict = "yes"
		}
		fmt.Fprintf(w, "| %s | %s | %d | %.4f | %.4f | %s | %s | %s | %.4f | %.4f | %.1f |\n", study.Name, study.constraint,
			g.Rows, aim.(model.GroupConstraint).Level, *v.Estimate, digits.Value.Write(fairness.Value(*v.Upper), 4, digits.Upward), verdict, missing(g.Report),
			float64(r.Train.Accuracy), r.Baselines.Unconstrained.Train.Accuracy, time.Since(start).Seconds())
	}
	return nil
}

// missing says what a guarantee lacks.
func missing(g *guarantee.Report) string {
	if g.Holds {
		return ""
	}
	text := "no number does"
	if g.RowsNeeded != nil {
		text = fmt.Sprintf("about %d", *g.RowsNeeded)
	}
	var small []string
	for _, s := range g.Requirements[0].TooSmall {
		small = append(small, fmt.Sprintf("%s has %d of %d", s.Group, s.Rows, s.Needed))
	}
	if len(small) > 0 {
		text += "; " + strings.Join(small, ", ")
	}
	return text
}

// certify trains on some rows and tests on the others.
func (s study) certify(ctx context.Context, dir string, with settings) (*train.Report, error) {
	o := train.DefaultOptions()
	o.Model.Intercept = true
	c, err := model.ParseConstraint(s.constraint)
	if err != nil {
		return nil, err
	}
	o.Constraints = []model.Constraint{c}
	fresh, err := s.load(dir, &o, with)
	if err != nil {
		return nil, err
	}
	r, trained, aims, err := train.RunToPass(ctx, o, train.Exam{Rows: fresh.Rows(), Confidence: with.confidence, Power: with.power})
	if err != nil {
		return nil, err
	}
	requirements, err := o.Tested()
	if err != nil {
		return nil, err
	}
	scores := make([]float64, fresh.Rows())
	if err := trained.Scores(scores, fresh.X); err != nil {
		return nil, err
	}
	evidence, err := scoring.Evidence(fresh, scores, trained.Threshold, requirements)
	if err != nil {
		return nil, err
	}
	r.Guarantee = &train.Guarantee{TrainedFor: []string{aims.Constraints[0].String()}, Power: aims.Power}
	r.Guarantee.Report, err = guarantee.Test(requirements, evidence, with.confidence)
	return r, err
}

// load reads the rows to train on as if there were no others, and then those to test on.
func (s study) load(dir string, o *train.Options, with settings) (fresh *dataset.Dataset, err error) {
	schema, err := s.Schema()
	if err != nil {
		return nil, err
	}
	schema = schema.Protect(o.Constraints[0].(model.Grouped).Groups())
	path := s.Path(dir)
	all, err := catalogue.LoadTable(path, nil, schema, table.Options{})
	if err != nil {
		return nil, err
	}
	_, aside, err := dataset.DealAside(all.Rows, with.share, with.seed)
	if err != nil {
		return nil, err
	}
	tested := make([]bool, all.Rows)
	for _, i := range aside {
		tested[i] = true
	}
	training, err := catalogue.LoadTable(path, nil, schema, table.Options{Keep: func(row int) bool { return !tested[row] }})
	if err != nil {
		return nil, err
	}
	if o.Encoding, err = encoding.Learn(training, nil); err != nil {
		return nil, err
	}
	if o.Data, err = o.Encoding.Apply(training, nil); err != nil {
		return nil, err
	}
	rest, err := catalogue.LoadTable(path, nil, o.Encoding.Schema, table.Options{Keep: func(row int) bool { return tested[row] }})
	if err != nil {
		return nil, err
	}
	return o.Encoding.Apply(rest, nil)
}
