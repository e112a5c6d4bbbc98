package input

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/table"
)

// TestDrift: numbers in another unit are named, those of other people are not.
func TestDrift(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	read := func(schema *table.Schema, rows int, unit, more float64) *table.Table {
		var b strings.Builder
		b.WriteString("age,salary,y\n")
		for i := range rows {
			fmt.Fprintf(&b, "%d,%.4f,%d\n", 18+r.IntN(50), unit*(15_000+more+5000*r.ExpFloat64()), i%2)
		}
		rowsOf, err := table.Read(strings.NewReader(b.String()), schema, table.Options{Name: "f.csv"})
		if err != nil {
			t.Fatal(err)
		}
		return rowsOf
	}
	training := read(nil, 1000, 1, 0)
	e, err := encoding.Learn(training, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rows       int
		unit, more float64
		want       bool
	}{{200, 1, 0, false}, {200, 1, 5000, false}, {200, 0.001, 0, true}, {200, 1000, 0, true}, {200, 1, 20_000, true}, {10, 0.001, 0, false}} {
		d, err := e.Apply(read(e.Schema, c.rows, c.unit, c.more), nil)
		if err != nil {
			t.Fatal(err)
		}
		found := drift(d, e)
		if len(found) > 0 != c.want || c.want && (len(found) != 1 || !strings.HasPrefix(found[0], "salary has the mean ")) {
			t.Errorf("%+v: %q", c, found)
		}
	}
}
