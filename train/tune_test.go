package train

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/internal/rng"
	"github.com/fairtrain/fairtrain/model"
)

// tunedRun returns a task that is tuned, and the report of a run of it.
func tunedRun(t *testing.T, rows int, aim string) (*task, *Report) {
	t.Helper()
	o := learned(t, rows, 1)
	c, err := model.ParseConstraint("demographic-parity:group=g,bound=0.05")
	if err != nil {
		t.Fatal(err)
	}
	o.Constraints, o.Aim = []model.Constraint{c}, aim
	k, err := newTask(o)
	if err != nil {
		t.Fatal(err)
	}
	free, err := unconstrained(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	if k, err = k.tuned(t.Context(), free); err != nil {
		t.Fatal(err)
	}
	r, _, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return k, r
}

// TestTune recounts the figures on rows held out, and compares the aims.
func TestTune(t *testing.T) {
	for _, aim := range []string{AimUnseen, AimTraining} {
		k, r := tunedRun(t, 1500, aim)
		chosen, d := k.tuning.chosen, k.Choice.Data
		by, err := d.Strata("g")
		if err != nil {
			t.Fatal(err)
		}
		var positive, rows [2]float64
		right := 0.0
		for i, m := range chosen.margins {
			g := by.Group(i)
			rows[g]++
			if m >= 0 {
				positive[g]++
			}
			if (m >= 0) == (d.Y[i] > 0) {
				right++
			}
		}
		p, q := positive[0]/rows[0], positive[1]/rows[1]
		gap, se := math.Abs(p-q), math.Sqrt(p*(1-p)/rows[0]+q*(1-q)/rows[1])
		unseen := r.Requirements[0]
		if math.Abs(*unseen.Unseen-gap) > 1e-12 || math.Abs(*unseen.UnseenSE-se) > 1e-12 {
			t.Errorf("%s: unseen %v ± %v, want %v ± %v", aim, *unseen.Unseen, *unseen.UnseenSE, gap, se)
		}
		if accuracy := right / float64(d.Rows()); math.Abs(accuracy-chosen.Accuracy) > 1e-12 || math.Abs(float64(r.Unseen.Accuracy)-accuracy) > 1e-12 {
			t.Errorf("%s: accuracy %v and %v on rows held out, want %v", aim, chosen.Accuracy, r.Unseen.Accuracy, accuracy)
		}
		for _, s := range k.tuning.tried {
			if aim == AimUnseen && s.within && chosen.within && s.Accuracy > chosen.Accuracy+tie {
				t.Errorf("%+v is more accurate than the chosen setting %+v", s, chosen)
			}
		}
		if aim == AimTraining && (chosen.Inner != 1 || *unseen.Train > 0.05) {
			t.Errorf("%v at the training bound, trained for %v of it", *unseen.Train, chosen.Inner)
		}
	}
}

// TestTuneRepeats: a run does not depend on the number of processors.
func TestTuneRepeats(t *testing.T) {
	_, first := tunedRun(t, 400, AimUnseen)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	_, second := tunedRun(t, 400, AimUnseen)
	if diff := cmp.Diff(first.Requirements, second.Requirements); diff != "" {
		t.Errorf("(-several +one)\n%s", diff)
	}
	if diff := cmp.Diff(first.CrossValidation.Tried, second.CrossValidation.Tried); diff != "" {
		t.Errorf("(-several +one)\n%s", diff)
	}
}

// TestFoldsWithoutGroup: where a fold has all rows of a group, decisions are not cross-validated,
// and the report names the group.
func TestFoldsWithoutGroup(t *testing.T) {
	o := learned(t, 400, 1)
	c, err := model.ParseConstraint("demographic-parity:group=tiny,bound=0.05")
	if err != nil {
		t.Fatal(err)
	}
	o.Constraints = []model.Constraint{c}
	r, _, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"tiny=yes"}; !cmp.Equal(r.InOneFold, want) || r.Aim != "" || r.Requirements[0].Unseen != nil {
		t.Errorf("groups of one fold %q, want %q; aim %q", r.InOneFold, want, r.Aim)
	}
}

// learned returns the options for so many rows, encoded.
func learned(t *testing.T, rows int, seed uint64) Options {
	t.Helper()
	o := DefaultOptions()
	o.Class, o.ChooseL2 = Additive, true
	if err := o.Learn(drawn(t, rows, seed), 0); err != nil {
		t.Fatal(err)
	}
	return o
}

// drawn returns so many rows: group b is younger, age decides, and a single row is tiny.
func drawn(t *testing.T, rows int, seed uint64) *tabular.Table {
	t.Helper()
	r, text := rng.New(seed, "tune"), new(strings.Builder)
	fmt.Fprintln(text, "age,job,g,tiny,y")
	for i := range rows {
		g, age := "a", 40+10*r.NormFloat64()
		if i%3 == 0 {
			g, age = "b", age-5
		}
		label, tiny := "no", "no"
		if age+8*r.NormFloat64() > 40 {
			label = "yes"
		}
		if i == 7 {
			tiny = "yes"
		}
		fmt.Fprintf(text, "%.1f,%c,%s,%s,%s\n", age, 'a'+rune(r.IntN(5)), g, tiny, label)
	}
	schema := &tabular.Schema{Label: tabular.LabelSpec{Column: "y"}}
	table, err := tabular.Read(strings.NewReader(text.String()), schema.WithGroups([]string{"g", "tiny"}), tabular.Options{Name: "drawn"})
	if err != nil {
		t.Fatal(err)
	}
	return table
}
