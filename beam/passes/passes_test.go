package passes

import (
	"flag"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/beam/shards"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
)

func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	Quiet()
	os.Exit(m.Run())
}

// written returns the census in shards, and what states problems on it.
func written(t testing.TB, count int) ([]shards.Shard, *Passes, func() *model.Fair) {
	t.Helper()
	pattern, err := shards.Write(t.TempDir(), census.Train(), count)
	if err != nil {
		t.Fatal(err)
	}
	list, in, err := shards.Open(pattern)
	if err != nil {
		t.Fatal(err)
	}
	p := New(list, t.TempDir(), "")
	return list, p, func() *model.Fair {
		o := model.DefaultOptions()
		o.Remote = p
		fair, err := model.New(in.Rows, in.Rows, []model.Constraint{model.DemographicParity.For("71", 0.01)}, o)
		if err != nil {
			t.Fatal(err)
		}
		return fair
	}
}

// TestTogether asks many questions at once, which few jobs must answer, each its own.
func TestTogether(t *testing.T) {
	_, p, state := written(t, 3)
	fair := state()
	n, _ := fair.Dims()
	const questions = 20
	var asked sync.WaitGroup
	var got [questions]float64
	for k := range got {
		one := state()
		asked.Go(func() {
			x := make([]float64, n)
			x[0] = float64(k)
			got[k] = problem.Objective(one, x, nil)
			if err := one.Err(); err != nil {
				t.Error(err)
			}
		})
	}
	asked.Wait()
	for k := range got {
		x := make([]float64, n)
		x[0] = float64(k)
		if f := problem.Objective(fair, x, nil); f != got[k] {
			t.Errorf("question %d: %v, by itself %v", k, got[k], f)
		}
	}
	if p.Jobs() >= 2*questions {
		t.Errorf("%d jobs for %d questions, of which half came at once", p.Jobs(), 2*questions)
	}
}

// TestCuts evaluates five times the census in shards, which must give the bits of rows in memory.
func TestCuts(t *testing.T) {
	once := census.Train()
	var rows []int
	for i := range 5 * once.Rows() {
		rows = append(rows, i%once.Rows())
	}
	d := once.Pick(rows, "many")
	values := func(d *dataset.Dataset, remote model.Remote) *problem.Values {
		fair, err := model.New(d, d, []model.Constraint{model.DemographicParity.For("71", 0.01)}, model.Options{Alpha: 2, Remote: remote})
		if err != nil {
			t.Fatal(err)
		}
		n, m := fair.Dims()
		v, x := problem.NewValues(n, m), make([]float64, n)
		for j := range x {
			x[j] = math.Sin(float64(j))
		}
		fair.Evaluate(v, x, nil)
		if err := fair.Err(); err != nil {
			t.Fatal(err)
		}
		return v
	}
	want := values(d, nil)
	for _, count := range []int{1, 3, 7} {
		pattern, err := shards.Write(t.TempDir(), d, count)
		if err != nil {
			t.Fatal(err)
		}
		list, in, err := shards.Open(pattern)
		if err != nil {
			t.Fatal(err)
		}
		p := New(list, t.TempDir(), "")
		if diff := cmp.Diff(want, values(in.Rows, p)); diff != "" {
			t.Errorf("%s (-memory +shards):\n%s", p.Where(), diff)
		}
	}
}

// TestDamage damages a shard after the driver has read it, and before a worker does.
func TestDamage(t *testing.T) {
	list, _, state := written(t, 3)
	fair := state()
	path := list[1].Path
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)/3] ^= 1
	if err := os.Remove(path); err != nil { // the driver has mapped it
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	n, _ := fair.Dims()
	f := problem.Objective(fair, make([]float64, n), nil)
	if err := fair.Err(); !math.IsNaN(f) || err == nil || !strings.HasPrefix(err.Error(), path+": is damaged") {
		t.Errorf("f is %v and the error %v, want NaN and a damaged %s", f, err, path)
	}
}

// TestOpenDamaged opens shards of which one is damaged: it is named, and not tried again.
func TestOpenDamaged(t *testing.T) {
	pattern, err := shards.Write(t.TempDir(), census.Test(), 3)
	if err != nil {
		t.Fatal(err)
	}
	list, err := shards.Find(pattern)
	if err != nil {
		t.Fatal(err)
	}
	path := list[2].Path
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)/3] ^= 1
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(pattern, shards.Sample{Rows: 5000, Dir: t.TempDir()}); err == nil || !strings.HasPrefix(err.Error(), path+": is damaged") {
		t.Errorf("error %v, want a damaged %s", err, path)
	}
}

// BenchmarkPass is a pass over the census in 8 shards: mostly the start of a job.
func BenchmarkPass(b *testing.B) {
	_, _, state := written(b, 8)
	fair := state()
	n, _ := fair.Dims()
	x := make([]float64, n)
	for b.Loop() {
		x[0]++
		problem.Objective(fair, x, nil)
	}
	if fair.Err() != nil {
		b.Fatal(fair.Err())
	}
}
