package shards

import (
	cryptorand "crypto/rand"
	"fmt"
	"math/rand/v2"

	"github.com/fairtrain/fairtrain/beam/files"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/packed"
	"github.com/fairtrain/fairtrain/internal/rng"
)

// Draw draws rows at random, each with the share of its cell or, where rows have weights, half by this share
// and half in proportion to its weight: heavy rows are not missed, and light ones, which count as rows,
// are not rare. Which ones depends on their numbers and the seed only.
type Draw struct {
	Groups []string
	Share  map[string]float64 // of cells
	Mean   map[string]float64 // weight; nil without weights
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
	for cell, w := range weightsOf(all) {
		if d.Mean == nil {
			d.Mean = map[string]float64{}
		}
		d.Mean[cell] = w.Sum.value() / float64(count[cell])
	}
	return d
}

// probability is that of drawing a row of a cell, where it is below 1.
func (d *Draw) probability(cell string, weight float64) float64 {
	share, mean := d.Share[cell], d.Mean[cell]
	if share < 1 && mean > 0 {
		return share * (1 + weight/mean) / 2
	}
	return share
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
		weight := 0.0
		if f.Data.Weights != nil {
			weight = f.Data.Weights[i]
		}
		if float64(random.Uint64()>>11)/(1<<53) < d.probability(c.of(i), weight) {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return "", nil
	}
	f.Data = f.Data.Pick(rows, f.Data.Name)
	path = files.Join(d.Dir, fmt.Sprintf("%s-%016d.fpk", d.Name, s.First))
	return path, upload(path, f)
}

// upload writes rows as a packed file, wherever that is.
func upload(path string, f *packed.File) error {
	return files.Create(path, func(local string) error { return write(local, f.Data, f.Encoding) })
}

// stand gives rows weights by which those of a cell stand for all rows of the cell. If rows have weights,
// each stands for a number of rows and for a weight, in inverse proportion to the probability with which
// it was drawn; both add up to those of the cell.
func (d *Draw) stand(drawn *dataset.Dataset, count map[string]int, weights map[string]*CellWeights, rows int) error {
	c, err := newCells(drawn, d.Groups)
	if err != nil {
		return err
	}
	inverse := make([]float64, drawn.Rows())
	stand, weigh := map[string]float64{}, map[string]float64{}
	for i := range inverse {
		cell := c.of(i)
		inverse[i] = 1
		if d.Mean != nil {
			inverse[i] = 1 / min(d.probability(cell, drawn.Weights[i]), 1)
			weigh[cell] += float64(inverse[i] * drawn.Weights[i])
		}
		stand[cell] += inverse[i]
	}
	for cell, n := range count {
		switch {
		case stand[cell] == 0:
			return fmt.Errorf("%s: none of the %d rows %s was drawn", drawn.Name, n, cell)
		case d.Mean != nil && weigh[cell] == 0 && d.Mean[cell] > 0:
			return fmt.Errorf("%s: none of the rows %s that have a weight was drawn", drawn.Name, cell)
		}
	}
	drawn.SampleOf = rows
	n := float64(drawn.Rows())
	stands := make([]float64, drawn.Rows())
	for i := range stands {
		cell := c.of(i)
		stands[i] = inverse[i] * float64(count[cell]) / stand[cell] * n / float64(rows)
	}
	if d.Mean == nil {
		drawn.Weights = stands
		return nil
	}
	drawn.OfWeights = &dataset.OfWeights{Total: total(weights), Stands: stands}
	factor := map[string]float64{}
	for cell, w := range weights {
		if weigh[cell] > 0 {
			factor[cell] = w.Sum.value() / weigh[cell] * n / float64(rows)
		}
	}
	own := drawn.Weights
	drawn.Weights = make([]float64, len(own))
	for i, w := range own {
		cell := c.of(i)
		drawn.OfWeights.Largest = append(drawn.OfWeights.Largest, weights[cell].Largest)
		drawn.Weights[i] = w * inverse[i] * factor[cell]
	}
	return nil
}
