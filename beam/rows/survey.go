package rows

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/packed"
	"github.com/fairtrain/fairtrain/internal/jobs"
)

func init() { jobs.Register(survey{}, &Found{}) }

// survey is the job that finds out what shards are, of which nothing but the path is known, and how
// many rows they have of each label in each of some groups.
type survey struct {
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
	Missing        []dataset.ColumnCount
}

// Do implements jobs.Job: it opens a shard, checks all of it, and counts its rows.
func (s survey) Do(_ context.Context, part any) (any, error) {
	path := part.(Shard).Path
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

// hashOf returns the hash of rows, as Open does.
func hashOf(all []*Found) string {
	content := sha256.New()
	for _, f := range all {
		fmt.Fprintln(content, f.Hash)
	}
	return hex.EncodeToString(content.Sum(nil))
}
