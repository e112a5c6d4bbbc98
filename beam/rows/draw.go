package rows

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/internal/jobs"
	"github.com/fairtrain/fairtrain/internal/rng"
)

func init() { jobs.Register(draw{}, drawn{}) }

// draw is the job that draws rows of shards at random, each with the share of its cell. Which ones
// depends on their numbers and the seed only.
type draw struct {
	Groups []string
	Cells  []string
	Shares []float64 // of the cells
	Seed   uint64
}

// drawn is a packed file with the rows drawn, empty if there are none.
type drawn struct{ File []byte }

// newDraw returns a draw of about so many of some rows: the same share of every cell, but at least
// some rows, where it has them.
func newDraw(groups []string, count map[string]int, total, rows int, seed uint64) draw {
	const least = 1024
	d := draw{Groups: groups, Cells: slices.Sorted(maps.Keys(count)), Seed: seed}
	for _, cell := range d.Cells {
		d.Shares = append(d.Shares, max(float64(rows)/float64(total), least/float64(count[cell])))
	}
	return d
}

// Do implements jobs.Job.
func (d draw) Do(_ context.Context, part any) (any, error) {
	s := part.(Shard)
	f, err := s.load()
	if err != nil {
		return nil, err
	}
	c, err := newCells(f.Data, d.Groups)
	if err != nil {
		return nil, err
	}
	share := map[string]float64{}
	for k, cell := range d.Cells {
		share[cell] = d.Shares[k]
	}
	key := rng.New(d.Seed, "sample").Uint64()
	var rows []int
	var random rand.PCG
	for i := range f.Data.Rows() {
		random.Seed(key, uint64(s.First+i))
		if float64(random.Uint64()>>11)/(1<<53) < share[c.of(i)] {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return drawn{}, nil
	}
	dir, err := os.MkdirTemp("", "fairtrain-sample-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "rows.fpk")
	if err := write(path, f.Data.Pick(rows, f.Data.Name), f.Encoding); err != nil {
		return nil, err
	}
	content, err := os.ReadFile(path)
	return drawn{content}, err
}

// stand gives rows weights by which those of a cell stand for all rows of the cell.
func (d draw) stand(sample *dataset.Dataset, count map[string]int, rows int) error {
	c, err := newCells(sample, d.Groups)
	if err != nil {
		return err
	}
	has := map[string]int{}
	for i := range sample.Rows() {
		has[c.of(i)]++
	}
	for cell, n := range count {
		if has[cell] == 0 {
			return fmt.Errorf("%s: none of the %d rows %s was drawn", sample.Name, n, cell)
		}
	}
	sample.SampleOf, sample.Weights = rows, make([]float64, sample.Rows())
	for i := range sample.Weights {
		cell := c.of(i)
		sample.Weights[i] = float64(count[cell]) / float64(has[cell]) * float64(sample.Rows()) / float64(rows)
	}
	return nil
}
