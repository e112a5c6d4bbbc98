package shards

import (
	cryptorand "crypto/rand"
	"fmt"
	"math/rand/v2"

	"github.com/fairtrain/fairtrain/beam/files"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/internal/rng"
)

// Draw draws rows at random, each with the share of its cell. Which ones depends on their numbers and the
// seed only.
type Draw struct {
	Groups []string
	Share  map[string]float64 // of cells
	Seed   uint64
	Dir    string // that has the rows drawn as packed files
	Name   string // of these, which no other run has
}

// draw returns a draw of about so many of the rows that were found: the same share of every cell, but
// at least some rows, where it has them.
func (s *Survey) draw(all []*Found, rows int, seed uint64, dir string) *Draw {
	const least = 1024
	d := &Draw{Groups: s.Groups, Share: map[string]float64{}, Seed: seed, Dir: dir, Name: "sample-" + cryptorand.Text()}
	count, total := cellsOf(all)
	for cell, n := range count {
		d.Share[cell] = max(float64(rows)/float64(total), least/float64(n))
	}
	return d
}

// From draws rows of a shard and returns the path of the file that has them, empty if there are none.
func (d *Draw) From(s Shard) (path string, err error) {
	f, err := s.load()
	if err != nil {
		return "", err
	}
	c, err := newCells(f.Data, d.Groups)
	if err != nil {
		return "", err
	}
	key := rng.New(d.Seed, "sample").Uint64()
	var rows []int
	var random rand.PCG
	for i := range f.Data.Rows() {
		random.Seed(key, uint64(s.First+i))
		if float64(random.Uint64()>>11)/(1<<53) < d.Share[c.of(i)] {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return "", nil
	}
	f.Data = f.Data.Pick(rows, f.Data.Name)
	path = files.Join(d.Dir, fmt.Sprintf("%s-%016d.fpk", d.Name, s.First))
	return path, write(path, f.Data, f.Encoding)
}

// stand gives rows weights by which those of a cell stand for all rows of the cell.
func (d *Draw) stand(drawn *dataset.Dataset, count map[string]int, rows int) error {
	c, err := newCells(drawn, d.Groups)
	if err != nil {
		return err
	}
	has := map[string]int{}
	for i := range drawn.Rows() {
		has[c.of(i)]++
	}
	for cell, n := range count {
		if has[cell] == 0 {
			return fmt.Errorf("%s: none of the %d rows %s was drawn", drawn.Name, n, cell)
		}
	}
	drawn.SampleOf, drawn.Weights = rows, make([]float64, drawn.Rows())
	for i := range drawn.Weights {
		cell := c.of(i)
		drawn.Weights[i] = float64(count[cell]) / float64(has[cell]) * float64(drawn.Rows()) / float64(rows)
	}
	return nil
}
