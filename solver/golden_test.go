package solver_test

import (
	"bytes"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/kkt"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/solver/reference"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// goldenCandidates are the methods of the conformance suite and other paths through FSFO.
func goldenCandidates() []candidate {
	fsfo := func(change func(s *solver.FSFO)) func() solver.Method {
		return func() solver.Method {
			s := solver.DefaultFSFO()
			change(s)
			return s
		}
	}
	return append(candidates(),
		candidate{name: "fsfo estimated", make: fsfo(func(s *solver.FSFO) {
			s.Rule, s.Tau, s.CEta, s.Source, s.Truncate = solver.Fixed, 3, 50, solver.FromEstimate, true
			s.Decay, s.DecayAfter, s.RecurseF, s.RecurseC = 0.3, 20, 5, 7
		})},
		candidate{name: "fsfo theory steps", make: fsfo(func(s *solver.FSFO) {
			s.Rule, s.Tau, s.EpsBar, s.CEta, s.Truncate = solver.Theory, 4, 0.5, 1000, true
			s.Constants = problem.Constants{G: 20, M: 10, Lf: 5, Lc: 2, LJ: 0.1, Lhf: 0.1, Lhc: 0.1, SigmaF: 0.5, SigmaC: 0.5, SigmaJ: 0.5, Nu: 2}
		})},
		candidate{name: "finite-sum chosen", make: func() solver.Method {
			s := solver.DefaultFiniteSum()
			s.Tau, s.W, s.Rho0, s.Eta = 5, 0.5, 40, 0.02
			s.RecurseF, s.RecurseC, s.RecurseJ = 3, 4, 5
			return s
		}},
		candidate{name: "sgd by default", make: func() solver.Method { return solver.DefaultSGD() }},
	)
}

// TestGolden freezes what every method does on small problems, to the last bit: a change of
// code that is meant to change no result must leave testdata/methods.golden as it is. Go's
// compiler and gonum round differently on other processors.
func TestGolden(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skipf("the golden file is of amd64, this is %s", runtime.GOARCH)
	}
	var b bytes.Buffer
	for _, c := range goldenCandidates() {
		for _, kind := range []struct {
			m          int
			inequality bool
		}{{1, true}, {3, true}, {3, false}} {
			_, p := conformanceProblem(t, kind.m, 0.1, kind.inequality)
			fmt.Fprintf(&b, "%s, m = %d, inequalities %v\n", c.name, kind.m, kind.inequality)
			writeRun(t, &b, p, c.make())
		}
	}
	for _, m := range []int{1, 3} {
		q, _ := conformanceProblem(t, m, 0.1, true)
		r, err := reference.Solve(t.Context(), q, 1e-6, nil)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "alm, m = %d\n  objective %v, multipliers %v, residual %v, %d passes, x %s\n", m, r.Objective, r.Y, r.Residual, r.Passes, bits(r.X))
	}
	compareGolden(t, "testdata/methods.golden", b.Bytes())
}

// writeRun writes where a run of the method is after some steps and at its end.
func writeRun(t *testing.T, b *bytes.Buffer, p *problem.Standard, method solver.Method) {
	t.Helper()
	n, m := p.Dims()
	values, evaluator := problem.NewValues(n, m), kkt.NewEvaluator(p)
	write := func(what string, x, y []float64) {
		p.Evaluate(values, x, nil)
		score := evaluator.Score(values)
		fmt.Fprintf(b, "  %s: objective %v, constraint %v, score %v, x %s, y %s\n", what,
			values.Objective, values.Constraint, score.Max(), bits(x), bits(y))
	}
	recorder := func(s *solver.Snapshot) (bool, error) {
		if it := s.Iterate; it.K == 1 || it.K == 10 {
			write(fmt.Sprintf("step %d", it.K), it.X, it.Y)
			fmt.Fprintf(b, "    %+v\n", it.Diag)
		}
		return false, nil
	}
	r, err := solver.Run(t.Context(), p, method, solver.Settings{MaxSamples: 20_000}, solver.NewStreams(3, 0), recorder)
	if err != nil {
		t.Fatal(err)
	}
	write(fmt.Sprintf("%s after %d steps, %d samples, %d evaluations", r.Status, r.Iterations,
		r.Counters.Samples(), r.Counters.Evaluations()), r.X, r.Y)
}

// bits is a digest of all bits of x.
func bits(x []float64) string {
	h := fnv.New64a()
	for _, v := range x {
		fmt.Fprintf(h, "%x ", math.Float64bits(v))
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// compareGolden compares with a file that go test -update rewrites.
func compareGolden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s (-before +now):\n%s", path, diff)
	}
}
