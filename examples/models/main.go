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
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
)

//go:embed peers.py
var peersScript []byte

const packages = "scikit-learn pandas interpret-core lightgbm fairlearn"

// A source is a table of $FAIRTRAIN_DATA, read by a built-in schema or, without one, by its label.
type source struct{ name, file, schema, label, group string }

var sources = []source{
	{"people", "people", "", "hired", "sex"},
	{"Adult", "adult/adult.data", "adult", "", "sex"},
	{"COMPAS", "compas/compas-two-years.csv", "compas", "", "race=African-American"},
	{"credit", "credit-default/credit-card-clients.csv", "credit-default", "", "SEX"},
	{"Dutch", "dutch/dutch.csv", "", "occupation", "sex"},
	{"German", "german/german.data", "german", "", "sex"},
	{"Lending", "loan/lendingclub.csv.gz", "lendingclub", "", "home_ownership"},
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
}

var bounds = map[string]float64{"dp": 0.02, "eo": 0.03}

const (
	share  = 0.3 // of the rows to test on
	linear = "linear"
	// of the additive model, by what its bound is about
	unseen, training = "additive", "additive, --aim training"
)

func main() {
	tables := flag.String("tables", "Adult,COMPAS,credit,Dutch,German,Lending", "the tables, separated by commas")
	seeds := flag.Int("seeds", 1, "the number of splits of each table")
	peers := flag.Bool("peers", true, "compare with what others would use, where Python is")
	out := flag.String("out", filepath.Join(os.TempDir(), "fairtrain-models"), "folder for splits and what the others reach")
	flag.Parse()
	log.SetFlags(0)
	if err := run(context.Background(), os.Stdout, strings.Split(*tables, ","), *seeds, *peers, *out); err != nil {
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

// environment returns the Python that has the peers, which it installs in the folder.
func environment(ctx context.Context, out string) (string, error) {
	env := filepath.Join(out, "venv")
	python := filepath.Join(env, "bin", "python")
	if _, err := os.Stat(python); err == nil {
		return python, nil
	}
	log.Printf("installing %s", packages)
	if text, err := exec.CommandContext(ctx, "python3", "-m", "venv", env).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, text)
	}
	text, err := exec.CommandContext(ctx, python, append([]string{"-m", "pip", "install", "--quiet"}, strings.Fields(packages)...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, text)
	}
	return python, nil
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
		for _, method := range []string{linear, unseen, training} {
			if constraint == "none" && method == training {
				continue
			}
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
func (s source) train(ctx context.Context, t *tabular.Table, seed uint64, method, constraint string) (result, error) {
	o := train.DefaultOptions()
	o.Seed, o.Class, o.ChooseL2 = seed, train.Additive, true
	if method == linear {
		o.Class = train.Linear
	}
	if method == training {
		o.Aim = train.AimTraining
	}
	spec := map[string]string{"none": "none", "dp": "demographic-parity:group=%s,bound=0.02", "eo": "equalized-odds:group=%s,bound=0.03"}[constraint]
	if constraint != "none" {
		spec = fmt.Sprintf(spec, s.group)
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
	if constraint != "none" {
		q := report.Requirements[0]
		r.Disparity = q.Validation
		r.Excess = max(0, *q.Validation-q.Bound)
		if q.ValidationExtremes != nil { // a normal error e has E max(0, e) = sd(e)/√(2π)
			r.Noise = q.ValidationExtremes.StandardError(false) / math.Sqrt(2*math.Pi)
		}
	}
	return r, nil
}

// others returns what the peers reach, from the folder if it has their figures.
func (s source) others(ctx context.Context, t *tabular.Table, seed uint64, python, folder string) ([]result, error) {
	stored := filepath.Join(folder, "peers.jsonl")
	text, err := os.ReadFile(stored)
	if err != nil {
		fitted, held, err := dataset.SplitRows(t.Rows, share, seed)
		if err != nil {
			return nil, err
		}
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return nil, err
		}
		for name, rows := range map[string][]int{"train.csv": fitted, "test.csv": held} {
			if err := s.writeRows(t, rows, filepath.Join(folder, name)); err != nil {
				return nil, err
			}
		}
		run := exec.CommandContext(ctx, python, "-", folder)
		run.Stdin, run.Stderr = bytes.NewReader(peersScript), os.Stderr
		if text, err = run.Output(); err != nil {
			return nil, fmt.Errorf("peers: %w", err)
		}
		if err := os.WriteFile(stored, text, 0o666); err != nil {
			return nil, err
		}
	}
	var found []result
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		r := result{Table: s.name}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", stored, err)
		}
		if r.Disparity != nil {
			r.Excess = max(0, *r.Disparity-bounds[r.Constraint])
		}
		found = append(found, r)
	}
	return found, nil
}

// writeRows writes the columns that are features, the label y and the group g.
func (s source) writeRows(t *tabular.Table, rows []int, path string) error {
	e, err := encoding.Learn(t, nil)
	if err != nil {
		return err
	}
	d, err := e.Apply(t, rows)
	if err != nil {
		return err
	}
	by, err := d.Strata(s.group)
	if err != nil {
		return err
	}
	features := slices.DeleteFunc(slices.Clone(t.Schema.Columns), func(c tabular.ColumnSpec) bool { return c.As == tabular.Drop })
	head := []string{"y", "g"}
	for _, c := range features {
		kind := "c_"
		if t.Column(c.Name).Numbers != nil {
			kind = "n_"
		}
		head = append(head, kind+c.Name)
	}
	lines := [][]string{head}
	cell := func(c *tabular.Column, i int) string {
		switch {
		case c.Numbers == nil && c.Codes.At(i) > 0:
			return c.Levels[c.Codes.At(i)-1]
		case c.Numbers == nil || math.IsNaN(c.Numbers[i]):
			return ""
		}
		return strconv.FormatFloat(c.Numbers[i], 'g', -1, 64)
	}
	for k, i := range rows {
		line := []string{strconv.Itoa(int(d.Y[k]+1) / 2), strconv.Itoa(by.Group(k))}
		for _, c := range features {
			line = append(line, cell(t.Column(c.Name), i))
		}
		lines = append(lines, line)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return csv.NewWriter(f).WriteAll(lines)
}
