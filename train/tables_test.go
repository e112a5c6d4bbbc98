package train_test

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/internal/rng"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// smallTable is how the rows of a small table are drawn.
type smallTable struct {
	rows      int
	numbers   int // of columns, the first of which may matter
	effect    float64
	rate      float64 // of positive labels, about
	copies    int     // of each row
	spoil     func(r *rand.Rand, row []string)
	separable bool
	weighted  bool
}

// smallTables are the kinds of tables that go wrong where a choice is made on the rows to train on.
var smallTables = map[string]smallTable{
	"noise":           {rows: 120, numbers: 6},
	"tiny":            {rows: 20, numbers: 3},
	"informative":     {rows: 150, numbers: 5, effect: 1.5},
	"wide":            {rows: 60, numbers: 500},
	"wide and useful": {rows: 80, numbers: 60, effect: 3},
	"separable":       {rows: 100, numbers: 4, separable: true},
	"rare":            {rows: 200, numbers: 4, effect: 1, rate: 0.02},
	"repeated":        {rows: 30, numbers: 4, copies: 5},
	"repeated useful": {rows: 40, numbers: 4, copies: 5, effect: 1.5},
	"weighted":        {rows: 150, numbers: 4, effect: 1, weighted: true},
	"constant": {rows: 100, numbers: 4, effect: 1, spoil: func(_ *rand.Rand, row []string) {
		row[1], row[2] = "7", "same"
	}},
	"twins": {rows: 100, numbers: 6, effect: 1, spoil: func(_ *rand.Rand, row []string) {
		copy(row[3:6], row[:3])
	}},
	"outliers": {rows: 100, numbers: 4, effect: 1, spoil: func(r *rand.Rand, row []string) {
		if r.IntN(20) == 0 {
			row[0], row[1] = "1e9", "-1e9"
		}
	}},
	"missing": {rows: 120, numbers: 5, effect: 1, spoil: func(r *rand.Rand, row []string) {
		row[1] = ""
		for _, k := range []int{0, 2} {
			if r.IntN(3) == 0 {
				row[k] = ""
			}
		}
	}},
	"categories": {rows: 150, numbers: 4, effect: 1, spoil: func(r *rand.Rand, row []string) {
		row[1], row[2] = fmt.Sprint("level ", r.IntN(30)), fmt.Sprint("level ", r.IntN(3))
	}},
}

// draw returns a file with so many rows, each copied as often as the table has it.
func (s *smallTable) draw(r *rand.Rand, rows, copies int) string {
	text := new(strings.Builder)
	w := csv.NewWriter(text)
	header := []string{}
	for k := range s.numbers {
		header = append(header, fmt.Sprint("x", k))
	}
	w.Write(append(header, "g", "w", "y"))
	rate := s.rate
	if rate == 0 {
		rate = 0.4
	}
	for range rows {
		row := make([]string, s.numbers, s.numbers+3)
		first := r.NormFloat64()
		row[0] = strconv.FormatFloat(first, 'g', 6, 64)
		for k := 1; k < s.numbers; k++ {
			row[k] = strconv.FormatFloat(r.NormFloat64(), 'g', 6, 64)
		}
		label, p := "0", 1/(1+math.Exp(-(s.effect*first+math.Log(rate/(1-rate)))))
		if s.separable && first > 0 || !s.separable && r.Float64() < p {
			label = "1"
		}
		if s.spoil != nil {
			s.spoil(r, row)
		}
		row = append(row, string('a'+rune(r.IntN(2))), fmt.Sprint(1+r.IntN(3)), label)
		for range max(copies, 1) {
			w.Write(row)
		}
	}
	w.Flush()
	return text.String()
}

// logLosses returns the loss of each new row by a classifier that was trained on the others, with
// the constraints, and by their base rate.
func (s *smallTable) logLosses(t *testing.T, seed uint64, constraints []model.Constraint) (own, constant []float64) {
	t.Helper()
	const fresh = 1000
	r := rng.New(seed, "small table")
	given := tabular.Schema{Label: tabular.LabelSpec{Column: "y", Positive: []string{"1"}}}
	given.Columns = []tabular.ColumnSpec{{Name: "w", As: tabular.Drop}}
	if s.weighted {
		given.Weight, given.Columns = "w", nil
	}
	read := func(text string, schema *tabular.Schema) *tabular.Table {
		rows, err := tabular.Read(strings.NewReader(text), schema, tabular.Options{Name: "small"})
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	rows := read(s.draw(r, s.rows, s.copies), given.Protect([]string{"g"}))
	o := train.DefaultOptions()
	o.Class, o.ChooseL2, o.Constraints, o.Seed = train.Additive, true, constraints, seed
	if err := o.Learn(rows, 0); err != nil {
		t.Fatal(err)
	}
	report, trained, err := train.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if b := report.Baselines; b != nil && len(report.Requirements) > 0 && report.MadeBy != train.AsSolved {
		// the same decision for everybody satisfies the constraint, too
		if own, same := report.Train.Accuracy, b.Majority.Train.Accuracy; float64(own) < float64(same)-1e-9 {
			t.Errorf("seed %d: accuracy %v by %s, of the same decision for everybody %v", seed, own, report.MadeBy, same)
		}
	}
	if u := report.Unseen; u != nil && !(float64(u.LogLoss) < math.Inf(1)) {
		t.Errorf("log loss on unseen rows is %v", u.LogLoss)
	}
	d, err := o.Encoding.Apply(read(s.draw(r, fresh, 1), o.Encoding.Schema), nil)
	if err != nil {
		t.Fatal(err)
	}
	scored, err := scoring.New(trained, d)
	if err != nil {
		t.Fatal(err)
	}
	positive, all := 0.0, 0.0
	for i, y := range o.Data.Y {
		all += o.Data.Weight(i)
		if y > 0 {
			positive += o.Data.Weight(i)
		}
	}
	loss := func(p float64, y int8) float64 {
		if y < 0 {
			p = 1 - p
		}
		return -math.Log(max(p, math.SmallestNonzeroFloat64))
	}
	if err := scored.Each(func(lo int, scores []float64) error {
		for i, p := range scores {
			y := d.Y[lo+i]
			own, constant = append(own, loss(p, y)), append(constant, loss(positive/all, y))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return own, constant
}

// TestSmallTables: on no small table is the log loss on new rows above that of a constant score by
// more than the noise of the rows to train on and of the new ones, and on average it is below.
func TestSmallTables(t *testing.T) {
	tables := 200
	if testing.Short() {
		tables = 30
	}
	kinds := slices.Sorted(maps.Keys(smallTables))
	bounded := parse(t, "demographic-parity:group=g,bound=0.05")
	sum := 0.0
	for seed := range tables {
		kind := kinds[seed%len(kinds)]
		s := smallTables[kind]
		constraints := []model.Constraint{model.Unconstrained()}
		if seed%4 == 0 {
			constraints = bounded
		}
		own, constant := s.logLosses(t, uint64(seed), constraints)
		floats.Sub(own, constant)
		mean, sd := stat.MeanStdDev(own, nil)
		if noise := sd * math.Sqrt(1/float64(s.rows)+1/float64(len(own))); !(mean <= 4*noise) {
			t.Errorf("%s, seed %d, %v: log loss is %.3f above that of a constant, noise %.3f", kind, seed, constraints, mean, noise)
		}
		sum += mean
	}
	if mean := sum / float64(tables); !(mean < -0.05) {
		t.Errorf("log loss is %.3f above that of a constant on average, want 0.05 below", mean)
	}
}
