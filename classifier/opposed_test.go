package classifier

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/fairtrain/fairtrain/internal/rng"
)

// TestOpposed compares the columns whose effects run against their association with correlations by
// plain loops over rows, in which pay is a good sign and its weight negative, and checks that reasons
// leave them out unless all are asked for.
func TestOpposed(t *testing.T) {
	const rows = 400
	r := rng.New(1, "opposed")
	text := new(strings.Builder)
	text.WriteString("sex,job,pay,height,age,y\n")
	for range rows {
		good, pay, missing := r.NormFloat64(), "", r.IntN(10) == 0
		if !missing {
			pay = fmt.Sprintf("%.3f", good+r.NormFloat64())
		}
		label := 0
		if good+0.5*r.NormFloat64() > 0 {
			label = 1
		}
		job := []string{"cook", "nurse", "king"}[r.IntN(3)]
		fmt.Fprintf(text, "%s,%s,%s,%.3f,%d,%d\n", []string{"f", "m"}[r.IntN(2)], job, pay, good*0.1+1.7, 20+r.IntN(50), label)
	}
	c, d := peopleModel(t, text.String(), 0.5, -0.7, 0.2, -0.9, 0.4, 1.1, -0.3)
	s, err := c.Contributions()
	if err != nil {
		t.Fatal(err)
	}
	labels, added := make([]float64, rows), make([][]float64, len(s.Columns))
	parts := make([]float64, len(s.Columns))
	for i, y := range d.Y {
		labels[i] = float64(y)
		s.Of(parts, d.X, i)
		for k, v := range parts {
			added[k] = append(added[k], v)
		}
	}
	found := map[string]float64{}
	c.Training.Opposed = c.FindOpposed(d)
	for _, o := range c.Training.Opposed {
		found[o.Column] = o.Correlation
	}
	for k, column := range s.Columns {
		want := stat.Correlation(added[k], labels, nil)
		got, is := found[column.Name]
		if is != (want < -2/math.Sqrt(rows)) || is && math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: correlation %v, opposed %v with %v", column.Name, want, is, got)
		}
	}
	if found["pay"] == 0 {
		t.Errorf("pay is not among %v", found)
	}
	for _, s.All = range []bool{false, true} {
		named := false
		for i := range rows {
			for _, reason := range s.Against(d.X, nil, i, len(s.Columns)) {
				named = named || found[reason.Column] != 0
			}
		}
		if named != s.All {
			t.Errorf("all reasons %v: an opposed column is one %v", s.All, named)
		}
	}
}
