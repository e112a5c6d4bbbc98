// The program models compares linear and additive models, and what others would use, on new rows
// of real tables: without a constraint, with demographic parity within 0.02 and with equalized odds
// within 0.03. It prints the tables of docs/models.md.
//
//	FAIRTRAIN_DATA=data go run ./examples/models -seeds 5
//
// Where Python is, it makes an environment with scikit-learn, InterpretML, LightGBM and Fairlearn in
// the folder -out, which takes minutes once; the figures of these are stored there and found again.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
)

// A source is a table of $FAIRTRAIN_DATA, read by a built-in schema or, without one, by its label.
type source struct{ name, file, schema, label, group string }

var sources = []source{
	{"people", "people", "", "hired", "sex"},
	{"Adult", "adult/adult.data", "adult", "", "sex"},
	{"COMPAS", "compas/compas-two-years.csv", "compas", "", "race=African-American"},
	{"credit", "credit-default/credit-card-clients.csv", "credit-default", "", "SEX"},
	{"Dutch", "dutch/dutch.csv", "", "occupation", "sex"},
	{"German", "german/german.data", "german", "", "sex"},
	{"Lending", "loan/lendingclub.csv.gz", "lendingclub", "", "home_ownership=RENT"},
}

// A result is what a method reaches on the test rows of a split. Figures that it lacks are nil.
type result struct {
	Table      string   `json:"-"`
	Method     string   `json:"method"`
	Constraint string   `json:"constraint"` // none, dp or eo
	Accuracy   float64  `json:"accuracy"`
	AUC        *float64 `json:"auc"`
	LogLoss    *float64 `json:"log_loss"`
	Disparity  *float64 `json:"disparity"`
	Seconds    float64  `json:"seconds"`
	Excess     float64  `json:"-"` // of the disparity over the bound
	Noise      float64  `json:"-"` // of the excess, if the bound were met exactly
	Constant   float64  `json:"-"` // log loss of the share of positive labels
}

var bounds = map[string]float64{"dp": 0.02, "eo": 0.03}

const (
	share    = 0.3 // of the rows to test on
	linear   = "linear"
	unseen   = "additive"
	training = "additive, --aim training"
	pairs    = "additive, --interactions auto"
)

func main() {
	tables := flag.String("tables", "Adult,COMPAS,credit,Dutch,German,Lending", "tables, separated by commas")
	seeds := flag.Int("seeds", 1, "the number of splits of each table")
	peers := flag.Bool("peers", true, "compare with what others would use, where Python is")
	out := flag.String("out", filepath.Join(os.TempDir(), "fairtrain-models"),
		"folder for splits and what the peers reach")
	flag.Parse()
	runtime.GOMAXPROCS(1) // as the peers, so that seconds compare
	log.SetFlags(0)
	err := run(context.Background(), os.Stdout, strings.Split(*tables, ","), *seeds, *peers, *out)
	if err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, names []string, seeds int, peers bool, out string) error {
	python := ""
	if peers {
		var err error
		if python, err = environment(ctx, out); err != nil {
			log.Printf("without peers: %v", err)
		}
	}
	var all []result
	for _, s := range sources {
		if !slices.Contains(names, s.name) {
			continue
		}
		for seed := 1; seed <= seeds; seed++ {
			log.Printf("%s, split %d", s.name, seed)
			found, err := s.measure(ctx, uint64(seed), python, out)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			all = append(all, found...)
		}
	}
	write(w, all)
	return nil
}

// table reads the rows, without the column of the group among the features.
func (s source) table() (*tabular.Table, error) {
	schema := &tabular.Schema{Label: tabular.LabelSpec{Column: s.label}}
	file := s.file
	if s.schema != "" {
		var err error
		if schema, err = tabular.LoadSchema(s.schema); err != nil {
			return nil, err
		}
	}
	if s.name != "people" {
		file = filepath.Join(os.Getenv("FAIRTRAIN_DATA"), s.file)
	}
	return catalogue.LoadTable(file, nil, schema.Protect([]string{s.group}), tabular.Options{})
}

// measure returns what all methods reach on a split.
func (s source) measure(ctx context.Context, seed uint64, python, out string) ([]result, error) {
	t, err := s.table()
	if err != nil {
		return nil, err
	}
	var found []result
	for _, constraint := range []string{"none", "dp", "eo"} {
		methods := []string{linear, unseen, training}
		if constraint == "none" {
			methods = []string{linear, unseen, pairs}
		}
		for _, method := range methods {
			r, err := s.train(ctx, t, seed, method, constraint)
			if err != nil {
				return nil, err
			}
			found = append(found, r)
		}
	}
	if python == "" {
		return found, nil
	}
	others, err := s.others(ctx, t, seed, python, filepath.Join(out, fmt.Sprintf("%s-%d", s.name, seed)))
	return append(found, others...), err
}

// train trains a model of ours.
func (s source) train(
	ctx context.Context, t *tabular.Table, seed uint64, method, constraint string,
) (result, error) {
	o := train.DefaultOptions()
	o.Seed, o.Class, o.ChooseL2 = seed, train.Additive, true
	switch method {
	case linear:
		o.Class = train.Linear
	case training:
		o.Aim = train.AimTraining
	case pairs:
		o.Interactions = train.AutoInteractions
	}
	spec := "none"
	switch constraint {
	case "dp":
		spec = fmt.Sprintf("demographic-parity:group=%s,bound=%g", s.group, bounds[constraint])
	case "eo":
		spec = fmt.Sprintf("equalized-odds:group=%s,bound=%g", s.group, bounds[constraint])
	}
	c, err := model.ParseConstraint(spec)
	if err != nil {
		return result{}, err
	}
	o.Constraints = []model.Constraint{c}
	began := time.Now()
	if err := o.Learn(t, share); err != nil {
		return result{}, err
	}
	report, _, err := train.Run(ctx, o)
	if err != nil {
		return result{}, err
	}
	v := report.Validation
	r := result{
		Table: s.name, Method: method, Constraint: constraint, Seconds: time.Since(began).Seconds(),
		Accuracy: float64(v.Accuracy), AUC: (*float64)(&v.AUC), LogLoss: (*float64)(&v.LogLoss),
	}
	positive := 0.0
	for _, y := range o.ValidationData.Y {
		positive += float64(y+1) / 2 / float64(len(o.ValidationData.Y))
	}
	r.Constant = -positive*math.Log(positive) - (1-positive)*math.Log(1-positive)
	if constraint != "none" {
		q := report.Requirements[0]
		r.Disparity = q.Validation
		r.Excess = max(0, *q.Validation-q.Bound)
		if e := q.ValidationExtremes; e != nil { // a normal error e has E max(0, e) = sd(e)/√(2π)
			variance := func(g model.GroupRate) float64 { return g.Value * (1 - g.Value) / float64(g.Rows) }
			r.Noise = math.Sqrt((variance(e.Lowest) + variance(e.Highest)) / (2 * math.Pi))
		}
	}
	return r, nil
}
