package tabular

import (
	"slices"

	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
)

// detect fills in what the schema's format leaves open. The sample is the beginning of the
// file; if whole, it is the whole file.
func (s *Schema) detect(sample string, whole bool) delimited.Format {
	f, rows := s.Format.Detect(sample, whole)
	if f.Header == nil {
		header := false
		if rows = rows[s.titles(rows):]; len(rows) > 0 {
			header, _ = s.hasHeader(rows)
		}
		f.Header = &header
	}
	return f
}

// titles returns how many of the first rows of a file stand above what is surely a header.
func (s *Schema) titles(rows [][]string) int {
	n := delimited.Titles(rows)
	if n == 0 || s.Format.Header != nil && !*s.Format.Header {
		return 0
	}
	if is, isDoubtful := s.hasHeader(rows[n:]); !is || isDoubtful {
		return 0
	}
	return n
}

// hasHeader reports whether the first row names the columns. If the schema has names for
// columns, all values of the row must be such names. Otherwise the row is a header if it has a
// column that the schema mentions, or if it looks like a header.
func (s *Schema) hasHeader(rows [][]string) (is, isDoubtful bool) {
	if len(s.Names) > 0 {
		unknown := func(v string) bool { return !slices.Contains(s.Names, v) }
		return !slices.ContainsFunc(rows[0][delimited.UnnamedIndex(rows[0]):], unknown), false
	}
	specs := s.index()
	mentioned := func(v string) bool {
		_, declared := specs[v]
		return v != "" && (declared || s.grouped(v) || v == s.Label.Column || v == s.Weight)
	}
	if slices.ContainsFunc(rows[0], mentioned) {
		return true, false
	}
	return delimited.LooksLikeHeader(rows, s.missing())
}
