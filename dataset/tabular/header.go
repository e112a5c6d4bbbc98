package tabular

import (
	"slices"

	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
)

// detect fills in what the schema's format leaves open. The sample is the beginning of the
// file; if whole, it is the whole file.
func (s *Schema) detect(sample string, whole bool) delimited.Format {
	f, _ := s.detectHeader(sample, whole)
	return f
}

// detectHeader also reports whether there is a header only because its values do not occur again.
func (s *Schema) detectHeader(sample string, whole bool) (f delimited.Format, isDoubtful bool) {
	f, rows := s.Format.Detect(sample, whole)
	if f.Header == nil {
		header := false
		if rows = rows[s.above(rows, nil):]; len(rows) > 0 {
			header, isDoubtful = s.hasHeader(rows)
		}
		f.Header = &header
	}
	return f, isDoubtful
}

// above returns how many of the rows of a file are no part of the table: the row sep= by which
// spreadsheets know the delimiter, and a few titles above what is surely a header, or the header of
// earlier files.
func (s *Schema) above(rows [][]string, earlier []string) int {
	n := 0
	if len(rows) > 1 && delimited.NamesDelimiter(rows[0]) {
		n = 1
	}
	const few = 5 // rows for a title
	titles := delimited.Titles(rows[n:])
	below := rows[n+titles:]
	inWords := !slices.ContainsFunc(rows[n:n+titles],
		func(row []string) bool { return row[0] != "" && !delimited.BeginsWithLetter(row[0]) })
	if titles > 0 && inWords && len(below) > 0 && len(earlier) > 0 && orderOf(earlier, below[0]) != nil {
		return n + titles
	}
	if titles == 0 || len(below) <= few*titles || s.Format.Header != nil && !*s.Format.Header {
		return n
	}
	if is, isDoubtful := s.hasHeader(below); is && !isDoubtful &&
		!slices.Contains(below[0][delimited.UnnamedIndex(below[0]):], "") {
		n += titles
	}
	return n
}

// margins are what is no part of the table in a file.
type margins struct {
	above int // lines above the header, or above the first row
	below int // rows below the header
	last  int // line in which the last of these begins
}

// margins returns what is no part of the table in a file that begins with a sample. The earlier
// header is that of files before, nil for none.
func (s *Schema) margins(f delimited.Format, sample string, whole bool, earlier []string) (m margins) {
	f, rows := f.Detect(sample, whole)
	n := s.above(rows, earlier)
	if n > 0 {
		m.above = f.LineOf(sample, n) - 1
	}
	if *f.Header {
		m.below = delimited.ImportIDs(rows[n:])
	}
	if m.below > 0 {
		m.last = f.LineOf(sample, n+m.below)
	}
	return m
}

// hasHeader reports whether the first row names the columns. If the schema has names for
// columns, all values of the row must be such names. Otherwise the row is a header if it has a
// column that the schema mentions, or if it looks like a header.
func (s *Schema) hasHeader(rows [][]string) (is, isDoubtful bool) {
	if len(s.Names) > 0 {
		unknown := func(v string) bool { return !slices.Contains(s.Names, v) }
		return !slices.ContainsFunc(rows[0][delimited.UnnamedIndex(rows[0]):], unknown), false
	}
	if delimited.ImportIDs(rows) > 0 {
		return true, false
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
