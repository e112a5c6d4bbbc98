package train_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
)

// TestShifted: where the label depends on a number that women have less of, parity makes decisions
// depend on what is noise, and that is said. Without a requirement nothing is said.
func TestShifted(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	var text strings.Builder
	text.WriteString("sex,job,x,z,hired\n")
	for range 4000 {
		man := r.IntN(2)
		x := r.NormFloat64() + 0.3*float64(man)
		hired := r.Float64() < 1/(1+math.Exp(-x))
		fmt.Fprintf(&text, "%c,%c,%.3f,%.3f,%v\n", "fm"[man], "abc"[r.IntN(3)], x, r.NormFloat64(), hired)
	}
	for _, test := range []struct {
		constraint model.Constraint
		says       bool
	}{
		{model.DemographicParity.For("sex", 0.02), true},
		{model.DemographicParity.For("sex", 0.5), false},
		{model.Unconstrained(), false},
	} {
		o := train.DefaultOptions()
		o.Constraints = []model.Constraint{test.constraint}
		schema := &tabular.Schema{Label: tabular.LabelSpec{Column: "hired"}, Columns: []tabular.ColumnSpec{{Name: "sex", As: tabular.Drop}}}
		rows, err := tabular.Read(strings.NewReader(text.String()),
			schema.WithGroups([]string{"sex"}), tabular.Options{Name: "people"})
		if err != nil {
			t.Fatal(err)
		}
		if o.Encoding, err = encoding.Learn(rows, nil); err != nil {
			t.Fatal(err)
		}
		if o.Data, err = o.Encoding.Apply(rows, nil); err != nil {
			t.Fatal(err)
		}
		found, trained, err := train.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		var kept []classifier.Shift
		for _, s := range found.Shifts {
			kept = append(kept, s.Rounded(trained.Features.LeastRows()))
		}
		if diff := cmp.Diff(kept, trained.Training.Shifts, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("the model file forgets: %s", diff)
		}
		for _, s := range found.Shifts {
			if s.Column != "job" || s.Highest.Rate-s.Lowest.Rate < 0.2 ||
				s.FreeHighest-s.FreeLowest > 0.1 || s.Lowest.Rows+s.Highest.Rows > 3000 {
				t.Errorf("%v: %+v", test.constraint, s)
			}
		}
		if len(found.Shifts) > 0 != test.says {
			t.Errorf("%v: %d shifts", test.constraint, len(found.Shifts))
		}
	}
}
