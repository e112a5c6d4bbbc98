// Package parquet reads Parquet files as package tabular reads CSV files: with the same names of
// columns and the same texts, the tables are the same. github.com/parquet-go/parquet-go decodes
// them.
package parquet

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
)

// Magic is what a Parquet file begins with.
const Magic = "PAR1"

// Read reads the files at some paths, one after the other, as tabular.Read reads a CSV file. All
// must have the same columns of the same types, in any order. The table's hash is the SHA-256
// of the files, one after the other.
//
// Integers and floating-point numbers have the shortest texts that read back as the same number,
// booleans are true and false. A decimal has all its digits; times are as in 2025-01-31 10:00:00.5,
// in UTC if the file says in what zone. Bytes are texts. Nulls and NaN are
// missing. Columns of lists, records and other types can't be used, and are dropped unless they are
// asked for. Names, keys and hints that other programs leave in the file play no
// part.
//
// Memory is that of tabular.Read, and in addition a page for each column, and a block of rows.
// All processors decode the columns. A fault is a *textfile.ParseError that names the file,
// the row group and the column.
func Read(paths []string, schema *tabular.Schema, opts tabular.Options) (*tabular.Table, error) {
	var files []*file
	for _, path := range paths {
		f, closer, err := open(path)
		if err != nil {
			return nil, err
		}
		defer closer.Close()
		files = append(files, f)
	}
	return read(files, schema, opts)
}

func read(files []*file, schema *tabular.Schema, opts tabular.Options) (*tabular.Table, error) {
	for _, f := range files {
		if err := f.sameAs(files[0]); err != nil {
			return nil, err
		}
	}
	t, err := tabular.Collect(&source{files: files}, schema, opts)
	if err != nil {
		return nil, err
	}
	var hashes []string
	for _, f := range files {
		hash := sha256.New()
		if _, err := io.Copy(hash, io.NewSectionReader(f.in, 0, f.size)); err != nil {
			return nil, err
		}
		hashes = append(hashes, hex.EncodeToString(hash.Sum(nil)))
		if len(files) > 1 && f.rows() > 0 {
			t.Files = append(t.Files, hashes[len(hashes)-1])
		}
	}
	t.Hash = dataset.HashOfFiles(hashes)
	return t, nil
}

// blockRows is the number of rows that are decoded at a time.
const blockRows = 1 << 12

// source is files one after the other. It implements tabular.Source.
type source struct {
	files   []*file
	file    int       // that is read
	group   int       // of its row groups
	row     int       // of the group
	columns []*column // of the group; nil before its first row
	rows    int       // so far
	places  []place   // of the row groups so far
	before  []int     // rows before each of them
}

// place is where a row group is.
type place struct {
	path  string
	group int
}

func (s *source) Columns() []tabular.SourceColumn {
	var list []tabular.SourceColumn
	for _, c := range s.files[0].columns {
		list = append(list, tabular.SourceColumn{Name: c.name, Number: c.number != nil || c.decimal, Unfit: c.unfit})
	}
	return list
}

func (s *source) Locate(at delimited.Place) (path, part string) {
	if at.Line == 1 {
		return s.files[0].path, "columns"
	}
	k, found := slices.BinarySearch(s.before, at.Line-2)
	if !found {
		k--
	}
	return s.places[k].path, fmt.Sprintf("row group %d, row %d", s.places[k].group+1, at.Line-1-s.before[k])
}

// Next decodes a block of rows of a row group.
func (s *source) Next(wanted []bool) (int, []tabular.Values, error) {
	for s.columns == nil {
		if s.file == len(s.files) {
			return 0, nil, nil
		}
		f := s.files[s.file]
		if s.group == len(f.groups) {
			s.file, s.group = s.file+1, 0
			continue
		}
		if f.groups[s.group].NumRows == 0 {
			s.group++
			continue
		}
		if err := s.begin(f); err != nil {
			return 0, nil, err
		}
	}
	f := s.files[s.file]
	left := int(f.groups[s.group].NumRows) - s.row
	count := min(left, blockRows)
	list := make([]tabular.Values, len(wanted))
	var decoding errgroup.Group
	decoding.SetLimit(runtime.GOMAXPROCS(0))
	for k, c := range s.columns {
		if c == nil || !wanted[k] {
			continue
		}
		decoding.Go(func() error {
			if err := c.read(count); err != nil {
				return f.fault(s.group, k, err)
			}
			list[k] = c
			return nil
		})
	}
	if err := decoding.Wait(); err != nil {
		return 0, nil, err
	}
	s.row += count
	s.rows += count
	if count == left {
		s.columns, s.row, s.group = nil, 0, s.group+1
	}
	return count, list, nil
}

// begin opens the columns of a row group.
func (s *source) begin(f *file) error {
	s.before = append(s.before, s.rows)
	s.places = append(s.places, place{f.path, s.group})
	for k := range f.columns {
		c, err := f.open(s.group, k)
		if err != nil {
			return f.fault(s.group, k, err)
		}
		s.columns = append(s.columns, c)
	}
	return nil
}
