package tabular

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
)

// german writes a whole number with points between thousands.
func german(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return german(n/1000) + fmt.Sprintf(".%03d", n%1000)
}

// drawn returns n texts, each of which draw returns.
func drawn(n int, draw func(r *rand.Rand) string) []string {
	r := rand.New(rand.NewPCG(6, 0))
	texts := make([]string, n)
	for i := range texts {
		texts[i] = draw(r)
	}
	return texts
}

// TestThousands: points before three digits separate thousands if that is likelier than decimals.
// Whatever leaves it open is noted.
func TestThousands(t *testing.T) {
	salary := func(r *rand.Rand) string { return german(200 + r.IntN(3800)) }
	shortest := func(digits int) func(r *rand.Rand) string {
		return func(r *rand.Rand) string {
			if r.IntN(50) == 0 {
				return fmt.Sprint(1 + r.IntN(99))
			}
			return fmt.Sprintf("%d.%0*d", 1+r.IntN(99), digits, 1+10*r.IntN(99))
		}
	}
	for name, test := range map[string]struct {
		texts []string
		want  byte // the mark
		noted bool
	}{
		"many numbers":              {drawn(20_000, func(r *rand.Rand) string { return german(1 + r.IntN(30_000)) }), ',', true},
		"few levels":                {drawn(1000, func(r *rand.Rand) string { return german(100 * (2 + r.IntN(38))) }), ',', true},
		"salaries":                  {drawn(1000, salary), ',', true},
		"four rows":                 {strings.Fields("3.283 525 1.462 990 701"), ',', true},
		"with a unit":               {drawn(1000, func(r *rand.Rand) string { return salary(r) + " €" }), ',', true},
		"below 0":                   {drawn(1000, func(r *rand.Rand) string { return "-" + salary(r) }), ',', true},
		"some missing":              {drawn(1000, func(r *rand.Rand) string { return []string{"?", salary(r)}[min(1, r.IntN(9))] }), ',', true},
		"always three decimals":     {drawn(1000, func(r *rand.Rand) string { return fmt.Sprintf("%.3f", 1+98*r.Float64()) }), '.', true},
		"decimals with whole":       {drawn(1000, shortest(3)), '.', true},
		"two digits decide":         {append(drawn(1000, salary), "4.25"), '.', false},
		"two points decide":         {append(drawn(1000, salary), "1.234.567"), ',', false},
		"means of three":            {drawn(1000, func(r *rand.Rand) string { return []string{"1", "1.333", "1.667", "2", "2.333", "3"}[r.IntN(6)] }), '.', true},
		"thousands without a point": {drawn(1000, func(r *rand.Rand) string { return []string{salary(r), fmt.Sprint(r.IntN(5000))}[r.IntN(2)] }), '.', true},
		"too few whole numbers":     {append(drawn(1000, func(r *rand.Rand) string { return german(1000 + r.IntN(9000)) }), "7", "8", "9"), '.', true},
		"decimals beside":           {append(drawn(1000, salary), "0.5"), '.', false},
	} {
		text := "x;y\n"
		for k, value := range test.texts {
			text += fmt.Sprintf("%s;%d\n", value, k%2)
		}
		for way, opts := range map[string]Options{"inferred": {}, "declared": {Numeric: []string{"x"}}} {
			for _, workers := range []int{1, 2, 7} {
				opts.Name = "f.csv"
				table, err := readParts(text, nil, opts, 1000, workers)
				if err != nil {
					t.Fatalf("%s, %s: %v", name, way, err)
				}
				spec, _ := table.Schema.column("x")
				noted := false
				for _, n := range table.Notes {
					noted = noted || n.Kind == Ambiguous
				}
				if spec.Decimal != string(test.want) && (test.noted || test.want == ',') || noted != test.noted {
					t.Errorf("%s, %s, %d workers: decimals behind %q, noted %v, want %q and %v",
						name, way, workers, spec.Decimal, noted, test.want, test.noted)
				}
				for i, got := range numbersOf(table.Column("x")) {
					if want, _, ok := numparse.Parse(test.texts[i], test.want); ok && got != want {
						t.Fatalf("%s, %s, %d workers: %q is %v, want %v", name, way, workers, test.texts[i], got, want)
					}
				}
			}
		}
	}
}

// TestThousandsOverruled: a schema is believed more than what is likely, and so are other columns.
func TestThousandsOverruled(t *testing.T) {
	whole, fixed := "x;y\n", "x;z;y\n"
	for k, value := range drawn(1000, func(r *rand.Rand) string { return german(1000 + r.IntN(3000)) }) {
		whole += fmt.Sprintf("%s;%d\n%d;%d\n", value, k%2, 100+k%900, k%2)
		fixed += fmt.Sprintf("%s;0,%d;%d\n", value, k%7, k%2)
	}
	table := readTable(t, whole, &Schema{Columns: []ColumnSpec{{Name: "x", As: Raw, Decimal: "."}}})
	if low, _ := bounds(numbersOf(table.Column("x"))); low >= 4 {
		t.Errorf("numbers from %v with decimals behind a point", low)
	}
	few := &Schema{Columns: []ColumnSpec{{Name: "x", As: Raw}}} // as a model's, which has learned decimals such as 0.5
	if low, _ := bounds(numbersOf(readTable(t, "x;y\n1.250;1\n8;0\n9;1\n12;0\n", few).Column("x"))); low != 1.25 {
		t.Errorf("numbers from %v in a declared column, want 1.25", low)
	}
	if low, _ := bounds(numbersOf(readTable(t, fixed, nil).Column("x"))); low < 1000 {
		t.Errorf("numbers from %v beside decimals behind a comma", low)
	}
}

func bounds(values []float64) (low, high float64) {
	low, high = values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

// typedTexts is a source of one column of numbers x and a label y.
type typedTexts struct {
	texts []string
	read  bool
}

func (s *typedTexts) Columns() []SourceColumn {
	return []SourceColumn{{Name: "x", Number: true}, {Name: "y"}}
}

func (s *typedTexts) Next([]bool) (int, []Values, error) {
	if s.read {
		return 0, nil, nil
	}
	s.read = true
	labels := make(texts, len(s.texts))
	for k := range labels {
		labels[k] = []string{"no", "yes"}[k%2]
	}
	return len(s.texts), []Values{texts(s.texts), labels}, nil
}

func (s *typedTexts) Locate(delimited.Place) (file, part string) { return "f", "" }

// TestThousandsOfTypes: numbers of a column that has a type have decimals behind a point, without a
// note.
func TestThousandsOfTypes(t *testing.T) {
	src := &typedTexts{texts: drawn(1000, func(r *rand.Rand) string { return german(200 + r.IntN(3800)) })}
	table, err := Collect(src, nil, Options{Name: "f"})
	if err != nil {
		t.Fatal(err)
	}
	if low, _ := bounds(numbersOf(table.Column("x"))); low >= 4 || len(table.Notes) > 0 {
		t.Errorf("numbers from %v, notes %v", low, table.Notes)
	}
}
