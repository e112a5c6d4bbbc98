package train_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	builtin "github.com/fairtrain/fairtrain/dataset/people"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/internal/datatest"
	"github.com/fairtrain/fairtrain/internal/rng"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// monotoneTable is a table with numbers in which the score is to be monotone, against their effect
// some of them.
type monotoneTable struct {
	schema, file, group string
	directions          map[string]string
}

func (m *monotoneTable) read(t *testing.T) *tabular.Table {
	t.Helper()
	text := builtin.Table(builtin.TrainName)
	if m.file != "" {
		text = datatest.Read(t, m.file)
	}
	if strings.HasSuffix(m.file, ".gz") {
		r, err := gzip.NewReader(bytes.NewReader(text))
		if err == nil {
			text, err = io.ReadAll(r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	schema := &tabular.Schema{Label: tabular.LabelSpec{Column: "occupation"}}
	if m.schema != "" {
		var err error
		if schema, err = tabular.LoadSchema(m.schema); err != nil {
			t.Fatal(err)
		}
	}
	numbers := []string{}
	if m.schema == "" {
		for name := range m.directions {
			numbers = append(numbers, name)
		}
	}
	table, err := tabular.Read(bytes.NewReader(text), schema.Protect([]string{m.group}),
		tabular.Options{Name: "rows.csv", Monotone: m.directions, Numeric: numbers})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// violations changes one number of a row to that of another row, or to one far out, and counts the
// rows whose score or decision goes the wrong way.
func violations(t *testing.T, table *tabular.Table, c *classifier.Classifier, directions map[string]string, pairs int) (wrong, tried int) {
	t.Helper()
	score := func() []float64 {
		d, err := c.Features.Encoding.Apply(table, nil)
		if err != nil {
			t.Fatal(err)
		}
		scores := make([]float64, d.Rows())
		if err := c.Scores(scores, d.X); err != nil {
			t.Fatal(err)
		}
		return scores
	}
	before, r := score(), rng.New(1, "pairs")
	for tried < pairs {
		for name, direction := range directions {
			column := table.Column(name)
			own := slices.Clone(column.Numbers)
			for i := range own {
				column.Numbers[i] = own[r.IntN(len(own))]
				if far := r.IntN(100); far < 2 {
					column.Numbers[i] = []float64{-1e12, 1e12}[far]
				}
			}
			for i, after := range score() {
				up := column.Numbers[i] - own[i] // NaN if one is missing
				if direction == tabular.Falling {
					up = -up
				}
				if up > 0 && after < before[i] || up < 0 && after > before[i] || up == 0 && after != before[i] {
					wrong++
				}
				if up != 0 && !math.IsNaN(up) {
					tried++
				}
			}
			copy(column.Numbers, own)
		}
	}
	return wrong, tried
}

// TestMonotone: no pair of rows that differ in one number goes the wrong way, whatever the search
// for fair decisions has made of the weights.
func TestMonotone(t *testing.T) {
	for name, m := range map[string]monotoneTable{
		"people": {"people", "", "sex", map[string]string{"test_score": "+", "age": "-", "years_experience": "+", "distance_km": "+"}},
		"adult":  {"adult", "adult/adult.data", "sex", map[string]string{"age": "+", "hours-per-week": "-", "capital-gain": "+"}},
		"compas": {"compas", "compas/compas-two-years.csv", "race=African-American|Caucasian", map[string]string{"age": "-", "priors_count": "+", "juv_fel_count": "-"}},
		"credit": {"credit-default", "credit-default/credit-card-clients.csv", "SEX", map[string]string{"LIMIT_BAL": "-", "BILL_AMT1": "+", "PAY_AMT1": "-"}},
		"dutch":  {"", "dutch/dutch.csv", "sex", map[string]string{"age": "+", "edu_level": "-"}},
		"german": {"german", "german/german.data", "sex", map[string]string{"duration": "-", "amount": "+", "age": "+"}},
		"loans":  {"lendingclub", "loan/lendingclub.csv.gz", "income", map[string]string{"dti": "-", "loan_amnt": "+", "revol_util": "-"}},
	} {
		t.Run(name, func(t *testing.T) {
			table := m.read(t)
			for k, spec := range []string{"demographic-parity:group=" + m.group + ",bound=0.02", "equalized-odds:group=" + m.group + ",bound=0.03"} {
				o := train.DefaultOptions()
				o.Class, o.Constraints, o.Model.L2 = train.Additive, parse(t, spec), 1e-5
				if o.ChooseL2 = m.file == ""; o.ChooseL2 {
					o.Aim = train.AimUnseen
					if err := o.Learn(table, 0); err != nil {
						t.Fatal(err)
					}
				} else { // without cross-validation, which takes as long as all else
					var err error
					if o.Encoding, err = encoding.LearnShapes(table, nil, 32<<(3*k)); err == nil {
						o.Data, err = o.Encoding.Apply(table, nil)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				if points := classifier.DefaultScale(); m.file == "" && k == 1 {
					o.Points = &points
				}
				r, trained, err := train.Run(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				wrong, tried := violations(t, table, written(t, trained), m.directions, 100_000)
				t.Logf("%s: %s by %s, residual %.1e, accuracy %.4f, %d of %d pairs, %.0f passes, %.2f s", spec, r.Status, r.MadeBy, r.ScaledResidual, float64(r.Train.Accuracy), wrong, tried, r.Passes, r.Seconds)
				if wrong > 0 {
					t.Errorf("%s: %d of %d pairs go the wrong way", spec, wrong, tried)
				}
				if len(r.Monotone) != len(m.directions) || !slices.ContainsFunc(r.Monotone, func(m classifier.Monotone) bool { return m.Binding > 0 }) {
					t.Errorf("%s: monotone are %v", spec, r.Monotone)
				}
				if !r.Satisfied() || r.Status != solver.Converged {
					t.Errorf("%s: %s", spec, r.Status)
				}
			}
		})
	}
}

// TestMonotoneOnSmallTables: whatever a table is like, weights keep their orders, to the last bit.
func TestMonotoneOnSmallTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		text.WriteString("g,a,b,y\n")
		rows, levels := rapid.IntRange(20, 80).Draw(t, "rows"), rapid.IntRange(1, 12).Draw(t, "levels")
		for i := range rows {
			number := func(name string) string {
				if rapid.IntRange(0, 9).Draw(t, name) == 0 && i > 4 {
					return ""
				}
				return fmt.Sprint(rapid.IntRange(0, levels).Draw(t, name))
			}
			label := rapid.IntRange(0, 1).Draw(t, "label")
			if i < 4 {
				label = i % 2
			}
			fmt.Fprintf(&text, "%d,%s,%s,%d\n", i/2%2, number("a"), number("b"), label)
		}
		direction := rapid.SampledFrom([]string{"+", "-"})
		schema := &tabular.Schema{MinCount: 1, Label: tabular.LabelSpec{Column: "y", Positive: []string{"1"}}, Columns: []tabular.ColumnSpec{
			{Name: "a", As: rapid.SampledFrom([]string{tabular.Standardise, tabular.Raw}).Draw(t, "as"), Monotone: direction.Draw(t, "direction")},
			{Name: "b", As: tabular.Bins, Bins: 4, Monotone: direction.Draw(t, "direction")},
		}}
		table, err := tabular.Read(strings.NewReader(text.String()), schema.Protect([]string{"g"}), tabular.Options{Name: "f.csv"})
		if err != nil {
			t.Fatal(err)
		}
		o := train.DefaultOptions()
		o.Class = rapid.SampledFrom([]string{train.Additive, train.Linear}).Draw(t, "class")
		o.ChooseL2, o.Aim, o.MaxPasses = rapid.Bool().Draw(t, "cross-validated"), train.AimTraining, 60
		spec := rapid.SampledFrom([]string{"none", "demographic-parity:group=g,bound=0.1", "share:group=g=1,omega=0.3"}).Draw(t, "constraint")
		c, err := model.ParseConstraint(spec)
		if err != nil {
			t.Fatal(err)
		}
		o.Constraints = []model.Constraint{c}
		if err := o.Learn(table, 0); err != nil {
			t.Fatal(err)
		}
		r, trained, err := train.Run(context.Background(), o)
		if err != nil || math.IsNaN(r.Objective) {
			t.Fatal(r, err)
		}
		for _, order := range o.Data.Orders {
			for j := order.First; j < order.End; j++ {
				w := trained.Weights[j]
				if j > order.First {
					w -= trained.Weights[j-1]
				} else if !order.Alone() {
					continue
				}
				if order.Sign()*w < 0 {
					t.Fatalf("%s: weights %v do not keep %+v", spec, trained.Weights[order.First:order.End], order)
				}
			}
		}
	})
}

// TestMonotoneCertificate recomputes the KKT residual of a problem on scores from the weights of the
// classifier, with multipliers of the bounds, by plain loops.
func TestMonotoneCertificate(t *testing.T) {
	const l2, bound, tolerance = 1e-4, 0.05, 3e-4
	m := monotoneTable{"people", "", "sex", map[string]string{"test_score": "+", "age": "-", "years_experience": "+", "distance_km": "+"}}
	table := m.read(t)
	o := train.DefaultOptions()
	o.Constraints, o.On, o.Loss, o.Model.L2, o.Tolerance = parse(t, "demographic-parity:group=sex,bound=0.05"), train.Scores, train.Logistic, l2, tolerance
	var err error
	if o.Encoding, err = encoding.LearnShapes(table, nil, 32); err != nil {
		t.Fatal(err)
	}
	d, err := o.Encoding.Apply(table, nil)
	if err != nil {
		t.Fatal(err)
	}
	o.Data = d
	r, trained, err := train.Run(t.Context(), o)
	if err != nil || r.Status != solver.Converged {
		t.Fatal(r, err)
	}
	n, rows := d.Features(), float64(d.Rows())
	w := trained.Weights
	sex, err := d.Strata("sex")
	if err != nil {
		t.Fatal(err)
	}
	var people [2]float64
	for i := range d.Rows() {
		people[sex.Group(i)]++
	}
	gradient, difference, parity := make([]float64, n+1), make([]float64, n+1), 0.0
	for i, y := range d.Y {
		margin := trained.Intercept
		for j, v := range d.X.Row(i) {
			margin += w[j] * v
		}
		score := 1 / (1 + math.Exp(-margin))
		slope := (score - max(float64(y), 0)) / rows
		group := float64(1-2*sex.Group(i)) / people[sex.Group(i)]
		parity += group * score
		for j, v := range d.X.Row(i) {
			gradient[j] += slope * v
			difference[j] += group * score * (1 - score) * v
		}
		gradient[n] += slope
		difference[n] += group * score * (1 - score)
	}
	for _, b := range d.Blocks {
		root := math.Sqrt(float64(b.End - b.First - 1))
		for j := b.First; j < b.End; j++ {
			switch {
			case !b.Bins:
				gradient[j] += l2 * w[j]
			case j+1 < b.End:
				gradient[j] += l2 * root * (w[j] - w[j+1])
				gradient[j+1] -= l2 * root * (w[j] - w[j+1])
			}
		}
	}
	// stationarity is that of a multiplier of the parity, with a multiplier ≥ 0 of each step that is 0:
	// it passes on what it can to the next bin.
	stationarity := func(lambda float64) (sum float64, binding []int) {
		left := slices.Clone(gradient)
		for j, d := range difference {
			left[j] += lambda * d
		}
		for _, o := range d.Orders {
			sign, count := 1.0, 0
			if m.directions[o.Column] == tabular.Falling {
				sign = -1
			}
			for j := o.First; j+1 < o.End; j++ {
				if u := -sign * left[j]; w[j] == w[j+1] && u > 0 {
					left[j], left[j+1] = 0, left[j+1]+left[j]
					count++
				}
			}
			binding = append(binding, count)
		}
		for _, l := range left {
			sum += l * l
		}
		return math.Sqrt(sum), binding
	}
	low, high := -2.0, 2.0
	for range 200 { // the residual is convex in the multiplier
		a, b := low+(high-low)/3, high-(high-low)/3
		atA, _ := stationarity(a)
		if atB, _ := stationarity(b); atA < atB {
			high = b
		} else {
			low = a
		}
	}
	lambda := (low + high) / 2
	residual, binding := stationarity(lambda)
	residual = math.Hypot(residual, math.Hypot(max(math.Abs(parity)-bound, 0), lambda*(math.Abs(parity)-bound)))
	t.Logf("residual %.2e, reported %.2e; multiplier %.3f of a difference of %.4f; steps that bind: %v, reported %v", residual, r.KKTResidual, lambda, parity, binding, r.Monotone)
	const more = 3 // as these multipliers are not the best ones
	if residual > more*tolerance || lambda*parity <= 0 {
		t.Errorf("residual %g, multiplier %g", residual, lambda)
	}
	for k, b := range binding {
		if reported := r.Monotone[k]; reported.Binding == 0 != (b == 0) {
			t.Errorf("%s binds at %d steps, reported are %d", reported.Column, b, reported.Binding)
		}
	}
}
