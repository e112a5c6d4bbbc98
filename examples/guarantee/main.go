// Command guarantee shows what a guarantee is worth. It takes the rows of
// the synthetic census as a whole population, draws training sets of different sizes from
// it, with replacement, and trains
//
//   - plainly: a classifier whose decisions on the training rows satisfy the constraint;
//   - with a guarantee: on 7 of 10 rows, with a margin, tested on the other three.
//
// As the population is known, the true disparity of each classifier is known. The last
// columns test a classifier without a margin, which is near the edge. The two tests of a run
// use the same rows: that is no way to get a guarantee, only a way to count errors.
//
//	go run ./examples/guarantee -runs 1000
//
// prints the table of docs/guarantee.md, which explains it.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/internal/rng"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
)

// study is a simulation.
type study struct {
	population *dataset.Dataset
	constraint model.GroupConstraint
	sizes      []int
	runs       int
	confidence float64
	held       float64 // share of the rows to test on
	power      float64 // that the margin aims at
	seed       uint64
}

func main() {
	s := study{constraint: model.DemographicParity.For("72", 0.1), held: 0.3, power: 0.85, confidence: 0.95}
	flag.StringVar(&s.constraint.Group, "group", s.constraint.Group, "demographic parity is between this `group` and the others")
	flag.Float64Var(&s.constraint.Level, "bound", s.constraint.Level, "rates of positive decisions may differ by so much")
	sizes := flag.String("rows", "500,1000,2000,5000,10000,20000,50000", "draw so many `rows` each time")
	flag.IntVar(&s.runs, "runs", 20, "train so often for each size")
	flag.Uint64Var(&s.seed, "seed", 1, "selects the random numbers")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, s, *sizes); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, s study, sizes string) error {
	s.population = merge(census.Synthetic())
	for text := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 10 {
			return fmt.Errorf("-rows has %q, must be numbers of at least 10", text)
		}
		s.sizes = append(s.sizes, n)
	}
	fmt.Fprintln(w, "| rows | plain: bound broken | accuracy | foretold | guaranteed | guaranteed and broken | accuracy of those | no margin: guaranteed | guaranteed and broken |")
	fmt.Fprintln(w, "|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
	for _, n := range s.sizes {
		p, err := s.repeat(ctx, n)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %d | %.3f | %.4f | %.3f | %.3f | %.3f | %s | %.3f | %.3f |\n",
			n, p.plainBroken, p.plainAccuracy, p.foretold, p.guaranteed, p.broken, number(p.accuracy), p.bareGuaranteed, p.bareBroken)
	}
	return nil
}

// number shows what may be undefined.
func number(x float64) string {
	if x != x {
		return "–"
	}
	return fmt.Sprintf("%.4f", x)
}

// point is what runs with one number of rows found.
type point struct {
	plainBroken, plainAccuracy float64 // share of the classifiers, mean
	foretold                   float64 // mean probability of a guarantee, as training foretells it
	guaranteed                 float64 // share of the runs
	broken                     float64 // share of all runs with a guarantee that is false
	accuracy                   float64 // mean of the guaranteed classifiers, NaN for none
	bareGuaranteed, bareBroken float64 // the same shares without a margin in training
}

// outcome is what one run found.
type outcome struct {
	plain      truth
	foretold   float64
	guaranteed truth // trained with a margin
	bare       truth // guaranteed, though trained without
}

// truth is a classifier on the population.
type truth struct {
	given    bool // there is one
	gap      float64
	accuracy float64
}

func (s *study) repeat(ctx context.Context, rows int) (point, error) {
	outcomes := make([]outcome, s.runs)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(2)
	for k := range outcomes {
		g.Go(func() (err error) {
			outcomes[k], err = s.once(ctx, rows, k)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return point{}, err
	}
	var p point
	n := float64(s.runs)
	for _, o := range outcomes {
		p.plainAccuracy += o.plain.accuracy / n
		p.foretold += o.foretold / n
		if o.plain.gap > s.constraint.Level {
			p.plainBroken += 1 / n
		}
		if o.bare.given {
			p.bareGuaranteed += 1 / n
		}
		if o.bare.given && o.bare.gap > s.constraint.Level {
			p.bareBroken += 1 / n
		}
		if !o.guaranteed.given {
			continue
		}
		p.guaranteed += 1 / n
		p.accuracy += o.guaranteed.accuracy / n
		if o.guaranteed.gap > s.constraint.Level {
			p.broken += 1 / n
		}
	}
	p.accuracy /= p.guaranteed // NaN without any
	return p, nil
}

// once draws rows and trains on them in both ways.
func (s *study) once(ctx context.Context, rows, run int) (o outcome, err error) {
	r := rng.New(s.seed, "guarantee", rows, run)
	drawn := make([]int, rows)
	for i := range drawn {
		drawn[i] = r.IntN(s.population.Rows())
	}
	plain, err := fit(ctx, s.population.Pick(drawn, "drawn"), s.constraint)
	if err != nil {
		return o, err
	}
	if o.plain, err = s.truth(plain); err != nil {
		return o, err
	}

	held := int(s.held * float64(rows))
	fresh, training := s.population.Pick(drawn[:held], "fresh"), s.population.Pick(drawn[held:], "training")
	requirement, err := train.ToGuarantee(s.constraint, train.Decisions)
	if err != nil {
		return o, err
	}
	// A first classifier says how large the rates are, which the margin depends on.
	first, err := fit(ctx, training, s.constraint)
	if err != nil {
		return o, err
	}
	seen, err := evidence(first, training, requirement)
	if err != nil {
		return o, err
	}
	bound, err := guarantee.Margin(requirement, seen, held, s.confidence, s.power, 0)
	if err != nil {
		return o, err
	}
	candidate, err := fit(ctx, training, s.constraint.WithLevel(bound))
	if err != nil {
		return o, err
	}
	if seen, err = evidence(candidate, training, requirement); err != nil {
		return o, err
	}
	if o.foretold, err = guarantee.Chance([]guarantee.Requirement{requirement}, seen, held, s.confidence); err != nil {
		return o, err
	}
	if o.guaranteed, err = s.tested(candidate, fresh, requirement); err != nil {
		return o, err
	}
	o.bare, err = s.tested(first, fresh, requirement)
	return o, err
}

// tested returns the truth about a classifier if the fresh rows guarantee the requirement.
func (s *study) tested(m *classifier.Classifier, fresh *dataset.Dataset, r guarantee.Requirement) (truth, error) {
	e, err := evidence(m, fresh, r)
	if err != nil {
		return truth{}, err
	}
	report, err := guarantee.Test([]guarantee.Requirement{r}, e, s.confidence)
	if err != nil || !report.Holds {
		return truth{}, err
	}
	return s.truth(m)
}
