// Command people trains fair classifiers on the public data sets of the field, from their
// raw files in $FAIRTRAIN_DATA, and compares them with other methods at the same bound, in a
// Markdown table:
//
//	go run ./examples/people            # every data set and requirement
//	go run ./examples/people Adult      # one data set
//	go run ./examples/people -scan=false
//
// All figures are of the rows to train on, where every method keeps the bound on decisions:
//
//	fairtrain    what fairtrain train finds
//	thresholds   the unconstrained model with the best threshold for each group, which is
//	             a classifier of the same class only where the group is a feature
//	scan         the best classifier, of those that keep the bound, at temperatures from 1
//	             to 0.03 and bounds on scores from 0 to five times the bound
//	majority     the same answer for everybody
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/table"
	"github.com/fairtrain/fairtrain/examples/realdata"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
)

// study is a data set with a group of people in it.
type study struct {
	realdata.Set
	group string
}

var studies = []study{
	{realdata.Adult, "sex"},
	{realdata.Adult, "race"},
	{realdata.COMPAS, "race"},
	{realdata.German, "sex"},
	{realdata.CreditDefault, "SEX"},
	{realdata.Dutch, "sex"},
	{realdata.LendingClub, "income"},
}

// requirements are formats of specifications, of a group.
var requirements = []string{
	"demographic-parity:group=%s,bound=0.02",
	"equalized-odds:group=%s,bound=0.03",
	"equalized-odds:group=%s,bound=0.05",
	"rate-ratio:group=%s,min=0.8",
}

var temperatures = []float64{1, 0.5, 0.25, 0.12, 0.06, 0.03}

func main() {
	scan := flag.Bool("scan", true, "scan temperatures and bounds on scores, which takes most of the time")
	flag.Parse()
	var scanned []float64
	if *scan {
		scanned = temperatures
	}
	chosen := studies
	if name := flag.Arg(0); name != "" {
		chosen = slices.DeleteFunc(slices.Clone(studies), func(s study) bool { return s.Name != name })
	}
	if err := run(context.Background(), os.Stdout, os.Getenv("FAIRTRAIN_DATA"), chosen, requirements, scanned); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run prints the table.
func run(ctx context.Context, w io.Writer, dir string, studies []study, requirements []string, temperatures []float64) error {
	if dir == "" {
		return errors.New("FAIRTRAIN_DATA must name the folder of the data")
	}
	fmt.Fprintln(w, "| data | requirement | group a feature | achieved | fairtrain | thresholds | scan | unconstrained | majority | seconds | status |")
	fmt.Fprintln(w, "|---|---|---|---:|---:|---:|---:|---:|---:|---:|---|")
	var total comparison
	for _, s := range studies {
		for _, use := range []bool{true, false} {
			o, err := s.load(dir, use)
			if err != nil {
				return err
			}
			for _, format := range requirements {
				c, err := model.ParseConstraint(fmt.Sprintf(format, s.group))
				if err != nil {
					return err
				}
				o.Constraints = []model.Constraint{c}
				l, err := compare(ctx, o, use, temperatures)
				if err != nil {
					return err
				}
				total.add(l)
				fmt.Fprintf(w, "| %s | %s | %v | %.4f | %.4f | %s | %s | %.4f | %.4f | %.1f | %s |\n", s.Name, c, use,
					l.achieved, l.fairtrain, optional(l.thresholds), optional(l.scan), l.unconstrained, l.majority, l.seconds, l.status)
			}
		}
	}
	total.print(w)
	return nil
}

// load reads and encodes the rows, with or without the group as a feature.
func (s study) load(dir string, use bool) (train.Options, error) {
	o := train.DefaultOptions()
	schema, err := s.Schema()
	if err != nil {
		return o, err
	}
	if use {
		schema = schema.Expose([]string{s.group})
	} else {
		schema = schema.Protect([]string{s.group})
	}
	t, err := catalogue.LoadTable(s.Path(dir), nil, schema, table.Options{})
	if err != nil {
		return o, err
	}
	if o.Encoding, err = encoding.Learn(t, nil); err != nil {
		return o, err
	}
	o.Data, err = o.Encoding.Apply(t, nil)
	return o, err
}

// line is a row of the table; 0 stands for a missing figure.
type line struct {
	achieved, fairtrain, thresholds, scan, unconstrained, majority float64

	seconds float64
	status  string
}

func compare(ctx context.Context, o train.Options, use bool, temperatures []float64) (line, error) {
	start := time.Now()
	r, _, err := train.Run(ctx, o)
	if err != nil {
		return line{}, err
	}
	l := line{
		achieved: *r.Requirements[0].Train, fairtrain: float64(r.Train.Accuracy),
		unconstrained: r.Baselines.Unconstrained.Train.Accuracy, majority: r.Baselines.Majority.Train.Accuracy,
		seconds: time.Since(start).Seconds(), status: string(r.Status),
	}
	if len(r.Requirements[0].WithinOneDecision) > 0 {
		l.status += ", within one decision of each group"
	}
	if use {
		if l.thresholds, err = train.BestThresholds(ctx, o); err != nil {
			return l, err
		}
	}
	if temperatures != nil {
		l.scan, err = scanned(ctx, o, temperatures)
	}
	return l, err
}

// scanned returns the best training accuracy of classifiers trained at some temperatures
// and bounds on scores, of those whose decisions keep the bound.
func scanned(ctx context.Context, o train.Options, temperatures []float64) (float64, error) {
	bounded := o.Constraints[0].(model.GroupConstraint)
	best := 0.0
	for _, temperature := range temperatures {
		for _, factor := range []float64{0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 5} {
			one := o
			one.On, one.Model.Temperature = train.Scores, temperature
			one.MaxPasses = 300
			bound := factor * bounded.Level
			if bounded.Kind == model.Ratio {
				bound = min(1, 0.4+factor*0.12)
			}
			one.Constraints = []model.Constraint{bounded.WithLevel(bound)}
			_, trained, err := train.Run(ctx, one)
			if err != nil {
				return 0, err
			}
			accuracy, holds, err := judge(o, trained.Weights, trained.Intercept)
			if err != nil {
				return 0, err
			}
			if holds {
				best = max(best, accuracy)
			}
		}
	}
	return best, nil
}

// judge returns the accuracy of decisions on the rows to train on and whether they keep the
// bound.
func judge(o train.Options, weights []float64, intercept float64) (float64, bool, error) {
	r, err := model.NewRequirement(o.Constraints[0], o.Data, model.Decisions)
	if err != nil {
		return 0, false, err
	}
	decisions := make([]float64, o.Data.Rows())
	o.Data.X.MulRange(decisions, weights, 0, len(decisions))
	right := 0
	for i, t := range decisions {
		decisions[i] = 0
		if t+intercept >= 0 { // the scan is at the threshold ½
			decisions[i] = 1
		}
		if (decisions[i] == 1) == (o.Data.Y[i] > 0) {
			right++
		}
	}
	return float64(right) / float64(len(decisions)), r.Judge(decisions).Excess <= 0, nil
}

func optional(v float64) string {
	if v == 0 {
		return "–"
	}
	return fmt.Sprintf("%.4f", v)
}

// comparison sums up all lines.
type comparison struct {
	cells, broken    int
	thresholds, scan rival
}

// rival sums up how far fairtrain is ahead of another method.
type rival struct {
	cells, behind int
	ahead         float64 // sum
}

// tolerated is the distance behind that is not counted.
const tolerated = 0.001

func (c *comparison) add(l line) {
	c.cells++
	if l.status == string(train.NotReached) {
		c.broken++
	}
	c.thresholds.add(l.fairtrain, l.thresholds)
	c.scan.add(l.fairtrain, l.scan)
}

func (r *rival) add(fairtrain, other float64) {
	if other == 0 {
		return
	}
	r.cells++
	r.ahead += fairtrain - other
	if fairtrain < other-tolerated {
		r.behind++
	}
}

func (c *comparison) print(w io.Writer) {
	fmt.Fprintf(w, "\n%d cells, %d in which the bound is not kept.\n", c.cells, c.broken)
	c.thresholds.print(w, "best group thresholds")
	c.scan.print(w, "scan")
}

func (r *rival) print(w io.Writer, name string) {
	if r.cells > 0 {
		fmt.Fprintf(w, "Against the %s: %+.4f on average of %d, more than %v behind in %d.\n", name, r.ahead/float64(r.cells), r.cells, tolerated, r.behind)
	}
}
