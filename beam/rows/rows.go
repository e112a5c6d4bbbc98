// Package rows has rows in several packed files, of which each worker opens those that it is given.
//
//	Open    all rows, one shard after the other, this file
//	Sample  all rows, or some of them if they are many, sample.go; what shards are, survey.go; which
//	        rows, draw.go
//	Write   rows as shards, write.go
package rows

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/packed"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/internal/jobs"
	"github.com/fairtrain/fairtrain/internal/memory"
)

func init() { jobs.Register(Shard{}) }

// Shard is a packed file with some of the rows.
type Shard struct {
	Path        string
	First, Rows int // the number of rows in the shards before, and of its own
	Features    int // of all shards
	// Beginning is that of the file. It has the checksum of the file's checksums, and so tells
	// whether this is still the file that it was.
	Beginning [64]byte
}

// loaded are the shards that this process has opened and checked, which stay mapped.
var loaded jobs.Cache[Shard, *dataset.Dataset]

// Open implements shards.Shard.
func (s Shard) Open() (*dataset.Dataset, int, error) {
	d, err := loaded.Get(s, func() (*dataset.Dataset, error) {
		f, err := s.load()
		if err != nil {
			return nil, err
		}
		return f.Data, nil
	})
	return d, s.First, err
}

// Anywhere implements workers.Movable: the beginning of the file tells what it is.
func (s Shard) Anywhere() any {
	s.Path = ""
	return s
}

// load opens the file of a shard and checks all of it.
func (s Shard) load() (*packed.File, error) {
	f, beginning, err := open(s.Path, s.Features)
	if err == nil && beginning != s.Beginning {
		err = fmt.Errorf("%s: it is another file than when training began", s.Path)
	}
	return f, err
}

// open opens a packed file, and returns its beginning, too.
func open(path string, features int) (p *packed.File, beginning [64]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, beginning, err
	}
	defer f.Close()
	if p, err = packed.Open(path, features); err != nil {
		return nil, beginning, err
	}
	p.Data.Name = path
	_, err = io.ReadFull(f, beginning[:])
	return p, beginning, err
}

// Open opens the packed files that match a pattern, in the order of their names, and checks all
// of them. It returns the shards and their rows, one shard after the other.
func Open(pattern string) ([]Shard, catalogue.Input, error) {
	list, err := Find(pattern)
	if err != nil {
		return nil, catalogue.Input{}, err
	}
	var opened []*packed.File
	rows, features := 0, 0
	for k := range list {
		s := &list[k]
		f, beginning, err := open(s.Path, 0)
		if err != nil {
			return nil, catalogue.Input{}, err
		}
		opened = append(opened, f)
		s.First, s.Rows, s.Beginning = rows, f.Data.Rows(), beginning
		rows += f.Data.Rows()
		features = max(features, f.Data.Features())
	}
	for k := range list {
		list[k].Features = features
	}
	in, err := join(opened, features)
	if err != nil {
		return nil, in, err
	}
	in.Rows.Name = pattern
	return list, in, nil
}

// join copies the rows of files, one file after the other.
func join(opened []*packed.File, features int) (catalogue.Input, error) {
	first := opened[0]
	in := catalogue.Input{Packed: true, Encoding: first.Encoding}
	total, need := 0, 0.0
	for _, f := range opened {
		if err := alike(first, f); err != nil {
			return in, err
		}
		total += f.Data.Rows()
		const perRow, perValue = 64, 24 // while they are copied
		need += perRow*float64(f.Data.Rows()) + perValue*float64(f.Data.X.NNZ())
	}
	if err := memory.Check("the rows of all shards", need); err != nil {
		return in, err
	}
	d := &dataset.Dataset{
		Rule: first.Data.Rule, Cols: first.Data.Cols, Attributes: slices.Clone(first.Data.Attributes),
		Blocks: first.Data.Blocks, Orders: first.Data.Orders,
	}
	for k := range d.Attributes {
		a := &d.Attributes[k]
		a.Numbers = nil
		if a.Levels != nil {
			a.Codes = dataset.MakeCodes(total, len(a.Levels)-1)
		}
	}
	content := sha256.New()
	rows := sparse.Joiner{Cols: features}
	var lacking []dataset.ColumnCount
	before := 0
	for _, f := range opened {
		lacking = append(lacking, f.Data.Missing...)
		fmt.Fprintln(content, f.Data.Hash)
		rows.Append(copyRows(f.Data))
		d.Weights = append(d.Weights, f.Data.Weights...)
		for k, a := range f.Data.Attributes {
			for i := range a.Codes.Len() {
				d.Attributes[k].Codes.Put(before+i, a.Codes.At(i))
			}
			d.Attributes[k].Numbers = append(d.Attributes[k].Numbers, a.Numbers...)
		}
		in.Identities = append(in.Identities, f.Identities...)
		before += f.Data.Rows()
	}
	if features > len(d.Cols) {
		d.Cols = nil
	}
	d.Missing = missing(lacking, first.Encoding)
	d.X, d.Y = rows.Finish()
	d.Hash = hex.EncodeToString(content.Sum(nil))
	in.Rows = d
	return in, nil
}

// missing adds up the rows of shards without a value, by column.
func missing(counts []dataset.ColumnCount, e *encoding.Encoding) (list []dataset.ColumnCount) {
	if e == nil {
		return nil
	}
	list = []dataset.ColumnCount{}
	rows := map[string]int{}
	for _, c := range counts {
		rows[c.Column] += c.Rows
	}
	for _, f := range e.Features {
		if n := rows[f.Column]; n > 0 {
			list = append(list, dataset.ColumnCount{Column: f.Column, Rows: n})
		}
	}
	return list
}

func copyRows(d *dataset.Dataset) *sparse.Builder {
	b := new(sparse.Builder)
	for i, y := range d.Y {
		for j, v := range d.X.Row(i) {
			b.Push(uint32(j), v)
		}
		b.EndRow(y)
	}
	return b
}

// alike reports what two shards differ in that all shards must have in common.
func alike(a, b *packed.File) error {
	differ := ""
	switch {
	case !a.Encoding.Equal(b.Encoding):
		differ = "is encoded otherwise"
	case a.Encoding == nil && a.Data.Cols != nil && !slices.Equal(a.Data.Cols, b.Data.Cols):
		differ = "has features of other names"
	case a.Data.Rule != b.Data.Rule:
		differ = "has labels of another meaning"
	case (a.Data.Weights == nil) != (b.Data.Weights == nil) || (a.Identities == nil) != (b.Identities == nil):
		differ = "has other columns"
	case !slices.EqualFunc(a.Data.Attributes, b.Data.Attributes, sameAttribute):
		differ = "has other columns of groups, or other levels of them"
	}
	if differ != "" {
		return fmt.Errorf("%s: it %s than %s, expected shards of one data set (fairtrain data pack --like packs them alike)", b.Data.Name, differ, a.Data.Name)
	}
	return nil
}

func sameAttribute(a, b dataset.Attribute) bool {
	return a.Name == b.Name && slices.Equal(a.Levels, b.Levels) && (a.Numbers == nil) == (b.Numbers == nil)
}
