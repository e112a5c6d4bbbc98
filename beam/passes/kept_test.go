package passes

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fairtrain/fairtrain/beam/shards"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/problem"
)

// TestKept asks again what an earlier program has asked: of the same rows in another place, with an
// answer damaged, and of other rows.
func TestKept(t *testing.T) {
	list, p, state := written(t, 3)
	p.kept = newKept(t.TempDir(), list)
	fair := state()
	n, _ := fair.Dims()
	x := make([]float64, n)
	want := problem.Objective(fair, x, nil)

	elsewhere, err := shards.Write(t.TempDir(), census.Train(), 3)
	if err != nil {
		t.Fatal(err)
	}
	moved, _, err := shards.Open(elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	other, err := shards.Write(t.TempDir(), census.Test(), 3)
	if err != nil {
		t.Fatal(err)
	}
	others, _, err := shards.Open(other)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(p.kept.dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%d answers are kept, want 1: %v", len(files), err)
	}
	intact, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	damaged := append([]byte{}, intact...)
	damaged[len(damaged)/2] ^= 1
	for _, test := range []struct {
		name    string
		list    []shards.Shard
		content []byte
		jobs    int
	}{
		{"as it was", list, intact, 0},
		{"in another place", moved, intact, 0},
		{"cut off", list, intact[:20], 1},
		{"damaged", list, damaged, 1},
		{"of other rows", others, intact, 1},
	} {
		if err := os.WriteFile(files[0], test.content, 0o600); err != nil {
			t.Fatal(err)
		}
		p.shards, p.kept = test.list, newKept(p.kept.dir, test.list)
		before := p.Jobs()
		f := problem.Objective(state(), x, nil)
		if jobs := p.Jobs() - before; jobs != test.jobs || (test.name != "of other rows" && f != want) {
			t.Errorf("%s: %v after %d jobs, want %v after %d", test.name, f, jobs, want, test.jobs)
		}
	}
}
