package shards

import (
	cryptorand "crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/fairtrain/fairtrain/beam/files"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/packed"
	"github.com/fairtrain/fairtrain/internal/rng"
)

// Find returns the packed files that match a pattern as shards of which nothing else is known, in the
// order of their names.
func Find(pattern string) ([]Shard, error) {
	paths, err := files.Glob(pattern)
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s: no file matches, expected packed files (data pack writes them)", pattern)
	}
	var list []Shard
	for k, path := range paths {
		list = append(list, Shard{Path: path, First: k})
	}
	return list, nil
}

// Survey asks what shards are, and how many rows they have of each label in each of some groups.
type Survey struct {
	Groups []string // specifications
}

// Found is what one shard is.
type Found struct {
	Rows, Features int
	Beginning      [64]byte
	Hash           string
	Like           [sha256.Size]byte // of what shards of one data set have in common
	Weighted       bool
	Cells          map[string]int // rows, see cells
	Weights        map[string]CellWeights
	Missing        []dataset.ColumnCount
}

// Of opens a shard, checks all of it, and counts its rows.
func (s *Survey) Of(path string) (*Found, error) {
	f, beginning, err := open(path, 0)
	for _, spec := range s.Groups { // the number of a feature that other shards have
		if k, bad := strconv.Atoi(spec); err == nil && bad == nil && k > f.Data.Features() && f.Encoding == nil {
			f, beginning, err = open(path, k)
		}
	}
	if err != nil {
		return nil, err
	}
	found := &Found{
		Rows: f.Data.Rows(), Features: f.Data.Features(), Beginning: beginning, Hash: f.Data.Hash,
		Like: likeness(f), Weighted: f.Data.Weights != nil, Cells: map[string]int{}, Missing: f.Data.Missing,
	}
	c, err := newCells(f.Data, s.Groups)
	if err != nil {
		return nil, err
	}
	for i := range f.Data.Rows() {
		found.Cells[c.of(i)]++
	}
	if f.Data.Weights == nil {
		return found, nil
	}
	found.Weights = map[string]CellWeights{}
	for i, w := range f.Data.Weights {
		cell, known := found.Weights[c.of(i)]
		if !known {
			cell.Sum = Exact{}
		}
		cell.Sum.add(w)
		cell.Largest = max(cell.Largest, w)
		found.Weights[c.of(i)] = cell
	}
	return found, nil
}

// likeness is equal for shards that are alike.
func likeness(f *packed.File) [sha256.Size]byte {
	d := f.Data
	parts := []any{f.Encoding, d.Rule, d.Weights == nil, f.Identities == nil}
	if f.Encoding == nil {
		parts = append(parts, d.Cols)
	}
	for _, a := range d.Attributes {
		parts = append(parts, a.Name, a.Levels, a.Numbers == nil)
	}
	text, err := json.Marshal(parts)
	if err != nil {
		panic(err) // it is what packed files have in them as JSON
	}
	return sha256.Sum256(text)
}

// cells tell rows apart by groups and label.
type cells struct {
	d      *dataset.Dataset
	groups []*dataset.Strata
	name   map[int]string // that were met
}

func newCells(d *dataset.Dataset, groups []string) (*cells, error) {
	c := &cells{d: d, name: map[int]string{}}
	for _, spec := range groups {
		s, err := d.StrataAs(spec, nil)
		if err != nil {
			return nil, err
		}
		c.groups = append(c.groups, s)
	}
	return c, nil
}

// of returns the name of the cell of row i, which has the names of its groups.
func (c *cells) of(i int) string {
	k := int(c.d.Y[i]+1) / 2
	for _, s := range c.groups {
		k = k*(len(s.Names)+1) + s.Group(i)
	}
	name, known := c.name[k]
	if !known {
		name = fmt.Sprintf("%+d", c.d.Y[i])
		for _, s := range c.groups {
			group := "" // of no group
			if g := s.Group(i); g < len(s.Names) {
				group = s.Names[g]
			}
			name += fmt.Sprintf(" %q", group)
		}
		c.name[k] = name
	}
	return name
}

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

// cellsOf adds up what was found.
func cellsOf(all []*Found) (cells map[string]int, rows int) {
	cells = map[string]int{}
	for _, f := range all {
		rows += f.Rows
		for cell, n := range f.Cells {
			cells[cell] += n
		}
	}
	return cells, rows
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

// known returns shards of which all is known. They must be alike.
func known(list []Shard, all []*Found) ([]Shard, error) {
	first, features := 0, 0
	for k, f := range all {
		s := &list[k]
		s.First, s.Rows, s.Beginning = first, f.Rows, f.Beginning
		first += f.Rows
		features = max(features, f.Features)
		if f.Like == all[0].Like {
			continue
		}
		a, _, err := open(list[0].Path, 0)
		if err != nil {
			return nil, err
		}
		b, _, err := open(s.Path, 0)
		if err != nil {
			return nil, err
		}
		if err := alike(a, b); err != nil {
			return nil, err
		}
	}
	for k := range list {
		list[k].Features = features
	}
	return list, nil
}

// Asker has places answer for shards.
type Asker interface {
	Survey(list []Shard, s *Survey) ([]*Found, error)
	Draw(list []Shard, d *Draw) (paths []string, err error)
}

// Sample is how many rows the driver is to hold, at random by the seed, of each label in each of some
// groups.
type Sample struct {
	Rows   int
	Groups []string
	Seed   uint64
	Dir    string // by which workers hand them over
	// Features are the least that rows of an exam are to have.
	Features int
}

// Open returns the shards that match a pattern, and their rows: all of them or, if they are more, a
// sample. Nothing but the sample comes here then.
func (s Sample) Open(pattern string, ask Asker) ([]Shard, catalogue.Input, error) {
	var in catalogue.Input
	list, err := Find(pattern)
	if err != nil {
		return nil, in, err
	}
	survey := &Survey{Groups: s.Groups}
	all, err := ask.Survey(list, survey)
	if err != nil {
		return nil, in, err
	}
	count, rows := cellsOf(all)
	if rows <= s.Rows {
		return Open(pattern)
	}
	if list, err = known(list, all); err != nil {
		return nil, in, err
	}
	weights := weightsOf(all)
	if weights != nil {
		sum := total(weights)
		if !(sum > 0) || math.IsInf(sum, 1) {
			return nil, in, fmt.Errorf("%s: the sum of the weights is %v", pattern, sum)
		}
		for k := range list {
			list[k].Unit = unitOf(sum)
		}
	}
	draw := survey.draw(all, s.Rows, s.Seed, s.Dir)
	paths, err := ask.Draw(list, draw)
	if err != nil {
		return nil, in, err
	}
	in, err = s.read(paths, list[0].Features)
	if err != nil {
		return nil, in, err
	}
	in.Rows.Name = pattern
	if err := draw.stand(in.Rows, count, weights, rows); err != nil {
		return nil, in, err
	}
	in.Rows.Hash = hashOf(all)
	var lacking []dataset.ColumnCount
	for _, f := range all {
		lacking = append(lacking, f.Missing...)
	}
	in.Rows.Missing = missing(lacking, in.Encoding)
	return list, in, nil
}

// hashOf returns the hash of rows, as Open does.
func hashOf(all []*Found) string {
	content := sha256.New()
	for _, f := range all {
		fmt.Fprintln(content, f.Hash)
	}
	return hex.EncodeToString(content.Sum(nil))
}

// read reads the rows drawn.
func (s Sample) read(paths []string, features int) (catalogue.Input, error) {
	var opened []*packed.File
	for _, path := range paths {
		if path == "" {
			continue
		}
		f, _, err := open(path, features)
		if err != nil {
			return catalogue.Input{}, err
		}
		defer files.Remove(path)
		opened = append(opened, f)
	}
	if len(opened) == 0 {
		return catalogue.Input{}, errors.New("no rows were drawn")
	}
	return join(opened, features)
}
