// Command people trains fair classifiers on the public data sets of the field, from their
// raw files in $FAIRTRAIN_DATA, and prints what fairness costs as a Markdown table:
//
//	go run ./examples/people
//
// Every row is a model whose decisions satisfy the constraint on the training rows, beside
// the one without a constraint, judged on rows that neither has seen.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
)

// study is a data set with the constraints to be tried on it.
type study struct {
	name, schema string
	data, test   string // files; no test file means that 3 of 10 rows are held out
	constraints  []string
	merge        map[string][]string // races that form one group
}

var studies = []study{
	{
		name: "Adult", schema: "adult", data: "adult/adult.data", test: "adult/adult.test",
		constraints: []string{
			"demographic-parity:group=sex,bound=0.02",
			"equalized-odds:group=sex,bound=0.05",
			"demographic-parity:group=race,bound=0.02",
			"equalized-odds:group=race,bound=0.05",
			"demographic-parity:group=sex*race,bound=0.02",
			"equalized-odds:group=sex*race,bound=0.05",
		},
	},
	{
		name: "Adult, two races merged", schema: "adult", data: "adult/adult.data", test: "adult/adult.test",
		constraints: []string{"equalized-odds:group=sex*race,bound=0.05"},
		merge:       map[string][]string{"Other": {"Amer-Indian-Eskimo", "Other"}},
	},
	{
		name: "COMPAS", schema: "compas", data: "compas/compas-two-years.csv",
		constraints: []string{"equal-opportunity:group=race=African-American,bound=0.02"},
	},
	{
		name: "German credit", schema: "german", data: "german/german.data",
		constraints: []string{"demographic-parity:group=sex,bound=0.02"},
	},
	{
		name: "Credit default", schema: "credit-default", data: "credit-default/credit-card-clients.csv",
		constraints: []string{"demographic-parity:group=SEX,bound=0.005"},
	},
	{
		name: "LendingClub", schema: "lendingclub", data: "loan/lendingclub.csv.gz",
		constraints: []string{"demographic-parity:group=income,bound=0.02"},
	},
}

func main() {
	if err := run(context.Background(), os.Stdout, os.Getenv("FAIRTRAIN_DATA"), studies); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, dir string, studies []study) error {
	if dir == "" {
		return errors.New("FAIRTRAIN_DATA must name the folder of the data")
	}
	fmt.Fprintln(w, "| data | constraint on decisions | disparity, training rows | test rows | test accuracy | AUC | seconds | rounds |")
	fmt.Fprintln(w, "|---|---|---:|---:|---:|---:|---:|---:|")
	for _, s := range studies {
		o, err := s.load(dir)
		if err != nil {
			return err
		}
		for _, spec := range s.constraints {
			if err := compare(ctx, w, o, s.name, spec); err != nil {
				return err
			}
		}
	}
	return nil
}

// load reads and encodes the rows.
func (s study) load(dir string) (train.Options, error) {
	o := train.DefaultOptions()
	o.Model.Intercept = true
	schema, err := dataset.LoadSchema(s.schema)
	if err != nil {
		return o, err
	}
	for i, g := range schema.Groups {
		if g.Column == "race" && s.merge != nil {
			schema.Groups[i].Name, schema.Groups[i].Merge = "race", s.merge
		}
	}
	t, err := dataset.LoadTable(filepath.Join(dir, s.data), nil, schema, dataset.CSVOptions{})
	if err != nil {
		return o, err
	}
	var rows, held []int // nil means all
	if s.test == "" {
		if rows, held, err = dataset.Deal(t.Rows, 0.3, 1); err != nil {
			return o, err
		}
	}
	if o.Encoding, err = dataset.Learn(t, rows); err != nil {
		return o, err
	}
	if o.Data, err = o.Encoding.Apply(t, rows); err != nil {
		return o, err
	}
	if s.test != "" {
		if t, err = dataset.LoadTable(filepath.Join(dir, s.test), nil, o.Encoding.Schema, dataset.CSVOptions{}); err != nil {
			return o, err
		}
	}
	o.TestData, err = o.Encoding.Apply(t, held)
	return o, err
}

// compare prints the rows of the table for one constraint.
func compare(ctx context.Context, w io.Writer, o train.Options, name, spec string) error {
	c, err := model.ParseConstraint(spec)
	if err != nil {
		return err
	}
	for _, constraint := range []model.Constraint{model.Without(c.(model.Grouped)), c} {
		o.Constraints = []model.Constraint{constraint}
		o.Decisions = constraint == c
		start := time.Now()
		r, _, err := train.Run(ctx, o)
		if err != nil {
			return err
		}
		label := "none"
		if o.Decisions {
			label = spec
			for _, c := range r.Constraints {
				if !c.Satisfied {
					label += " (not reached)"
					break
				}
			}
		}
		fmt.Fprintf(w, "| %s | %s | %.4f | %.4f | %.4f | %.4f | %.1f | %d |\n", name, label,
			float64(disparity(c, r.Train.Report)), float64(disparity(c, r.Test.Report)),
			float64(r.Test.Accuracy), float64(r.Test.AUC), time.Since(start).Seconds(), r.Rounds)
	}
	return nil
}

// disparity returns the figure that a constraint is about.
func disparity(c model.Constraint, r *fairness.Report) fairness.Value {
	switch c.(type) {
	case model.EqualOpportunity:
		return r.EqualOpportunityDifference
	case model.EqualizedOdds:
		return r.EqualizedOddsDifference
	}
	return r.DemographicParityDifference
}
