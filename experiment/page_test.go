package experiment

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/internal/datatest"
	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/solver"
)

// TestPage compares the tables of docs/comparison.md with the paper's parameters to runs of their presets.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../docs/comparison.md")
	if err != nil {
		t.Fatal(err)
	}
	figure := regexp.MustCompile(`[+−]?\d+\.(\d+)`)
	for _, name := range []string{"a9a", "loan"} {
		p, err := Load("paper-" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"a9a", "a9a.t", "loan"} {
			datatest.Path(t, file)
		}
		p.Run.Records, p.Problem.Reference = 1, 0
		s, err := Compare(t.Context(), p, nil, Settings{Dir: t.TempDir(), Jobs: 2})
		if err != nil {
			t.Fatal(err)
		}
		_, table, _ := strings.Cut(string(page), "| "+name+", at the end | objective |")
		for _, m := range results.Summarise(s.Runs(), nil) {
			_, line, found := strings.Cut(table, "\n| "+names.Method(m.Label)+" | ")
			if !found {
				t.Fatalf("%s: there is no row of %s", name, m.Label)
			}
			stated := figure.FindAllStringSubmatch(line, 6)
			for i, v := range []results.Spread{m.Objective, m.Constraint, m.KKT} {
				for k, want := range []float64{v.Mean, v.SD} {
					text := stated[2*i+k]
					got, err := strconv.ParseFloat(strings.Replace(text[0], "−", "-", 1), 64)
					if rounding := 0.51 * math.Pow(10, -float64(len(text[1]))); err != nil || math.Abs(got-want) > rounding {
						t.Errorf("%s: of %s the page says %s, a run %v", name, m.Label, text[0], want)
					}
				}
			}
		}
	}
}

// TestDepartures checks what paper-a9a and docs/comparison.md say of where the presets differ from the
// paper: of batches of rows of the constraint on invented people, of the rest on a9a.
func TestDepartures(t *testing.T) {
	share := func(stratified bool) float64 {
		in, err := newInstance(ProblemSpec{
			Data: "synthetic", ConstraintData: "synthetic.t", Alpha: 2, Stratified: stratified,
			Constraints: []string{"share:group=71,omega=0.3"},
		})
		if err != nil {
			t.Fatal(err)
		}
		w, err := in.open(1)
		if err != nil {
			t.Fatal(err)
		}
		var b problem.Batch
		const size = 40000
		w.standard.DrawConstraint(&b, size, solver.NewStreams(1, 0).Constraint)
		members, all := map[int]bool{}, 0.0
		for i := range in.constraint.Rows() {
			for j := range in.constraint.X.Row(i) {
				members[i] = members[i] || j == 70
			}
			if members[i] {
				all++
			}
		}
		drawn := 0.0
		for _, i := range b.Index {
			if members[i] {
				drawn++
			}
		}
		t.Logf("%v of the rows, %v of those drawn", all/float64(in.constraint.Rows()), drawn/size)
		return drawn / size / (all / float64(in.constraint.Rows()))
	}
	if r := share(false); math.Abs(r-1) > 0.08 {
		t.Errorf("the group is drawn %v times as often as it occurs", r)
	}
	if r := share(true); r < 2 {
		t.Errorf("stratified, the group is drawn %v times as often as it occurs", r)
	}

	datatest.Path(t, "a9a")
	datatest.Path(t, "a9a.t")
	end := func(scale float64, options map[string]any) results.Point {
		p, err := Load("paper-a9a")
		if err != nil {
			t.Fatal(err)
		}
		m := p.Methods[0].with(options)
		m.Scale = scale
		p.Methods, p.Run.Seeds, p.Run.Records, p.Problem.Reference = []MethodSpec{m}, 1, 1, 0
		s, err := Compare(t.Context(), p, nil, Settings{Dir: t.TempDir(), Jobs: 1})
		if err != nil {
			t.Fatal(err)
		}
		return s.Runs()[0].Final()
	}
	asItIs := end(1, nil)
	for _, rho := range []float64{0.001, 24} {
		if p := end(1, map[string]any{"rho0": rho}); p.Objective != asItIs.Objective {
			t.Errorf("rho0 = %v ends at the objective %v, not %v", rho, p.Objective, asItIs.Objective)
		}
	}
	unknown := map[string]any{"constants": "bounds"}
	for _, name := range []string{"g", "m", "l_f", "l_c", "l_j", "l_hf", "l_hc"} {
		unknown[name] = 0.0
	}
	const start = 0.595126569575 // the objective at x = 0
	if p := end(16281, unknown); math.Abs(p.Objective-start) > 1e-12 {
		t.Errorf("with the sum and bounds, FSFO comes to the objective %v, from %v", p.Objective, start)
	}
	if p := end(1, map[string]any{"truncate": true}); p.Objective == asItIs.Objective {
		t.Error("truncation changes nothing")
	}
}
