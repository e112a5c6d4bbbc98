package tabular

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
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

// above returns how many of the rows of a file are no part of the table: the row sep= by which spreadsheets
// know the delimiter, and a few titles above what is surely a header, or the header of earlier files.
func (s *Schema) above(rows [][]string, earlier []string) int {
	n := 0
	if len(rows) > 1 && namesDelimiter(rows[0]) {
		n = 1
	}
	const few = 5 // rows for a title
	titles := delimited.Titles(rows[n:])
	below := rows[n+titles:]
	inWords := !slices.ContainsFunc(rows[n:n+titles], func(row []string) bool { return row[0] != "" && !beginsWithLetter(row[0]) })
	if titles > 0 && inWords && len(below) > 0 && len(earlier) > 0 && orderOf(earlier, below[0]) != nil {
		return n + titles
	}
	if titles == 0 || len(below) <= few*titles || s.Format.Header != nil && !*s.Format.Header {
		return n
	}
	if is, isDoubtful := s.hasHeader(below); is && !isDoubtful && !slices.Contains(below[0][unnamedIndex(below[0]):], "") {
		n += titles
	}
	return n
}

// namesDelimiter reports whether a row is sep= and a delimiter, which may have cut it.
func namesDelimiter(row []string) bool {
	rest, found := strings.CutPrefix(row[0], "sep=")
	return found && (len(row) == 1 && len(rest) == 1 || len(row) == 2 && rest+row[1] == "")
}

// margins are what is no part of the table in a file.
type margins struct {
	above int // lines above the header, or above the first row
	below int // rows below the header
	last  int // line in which the last of these begins
}

// margins returns what is no part of the table in a file that begins with a sample. The earlier header is that of
// files before, nil for none.
func (s *Schema) margins(f delimited.Format, sample string, whole bool, earlier []string) (m margins) {
	f, rows := f.Detect(sample, whole)
	n := s.above(rows, earlier)
	if n > 0 {
		m.above = f.LineOf(sample, n) - 1
	}
	if *f.Header {
		m.below = importIDs(rows[n:])
	}
	if m.below > 0 {
		m.last = f.LineOf(sample, n+m.below)
	}
	return m
}

// importIDs returns how many rows below a header end with one of import ids. Qualtrics, a program for surveys, writes the
// questions and these ids below the names of columns. There are none in other files.
func importIDs(rows [][]string) int {
	const most = 2
	for k := 1; k <= most && k < len(rows) && len(rows[k]) == len(rows[0]); k++ {
		if !slices.ContainsFunc(rows[k], func(v string) bool { return !strings.HasPrefix(v, `{"ImportId":`) }) {
			return k
		}
	}
	return 0
}

// hasHeader reports whether the first row names the columns. If the schema has names for
// columns, all values of the row must be such names. Otherwise the row is a header if it has a
// column that the schema mentions, or if it looks like a header.
func (s *Schema) hasHeader(rows [][]string) (is, isDoubtful bool) {
	if len(s.Names) > 0 {
		unknown := func(v string) bool { return !slices.Contains(s.Names, v) }
		return !slices.ContainsFunc(rows[0][unnamedIndex(rows[0]):], unknown), false
	}
	if importIDs(rows) > 0 {
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
	return looksLikeHeader(rows, s.missing())
}

// unnamedIndex returns 1 if a header begins with a column without a name, and 0 otherwise.
// Some programs write the number of the row into such a column.
func unnamedIndex(header []string) int {
	if header[0] == "" && len(header) > 1 {
		return 1
	}
	return 0
}

// looksLikeHeader reports whether the first row looks like names of columns. Such a row has no
// number and no missing value, but perhaps columns without a name. If no named column has numbers below
// the row, all have names, and no value of the row occurs again in its column.
func looksLikeHeader(rows [][]string, missing []string) (does, isDoubtful bool) {
	recurs, number, unnamed := false, false, false
	for j, name := range rows[0] {
		if j < unnamedIndex(rows[0]) {
			continue
		}
		if name == "" { // a column without a name, or a missing value
			unnamed = true
			continue
		}
		if isNumber := numparse.Is(name) && !beginsWithLetter(name); isNumber || slices.Contains(missing, name) { // EUR 2024 is a name
			return false, false
		}
		numbers, values := 0, 0
		for _, fields := range rows[1:] {
			if j >= len(fields) || slices.Contains(missing, fields[j]) {
				continue
			}
			values++
			recurs = recurs || fields[j] == name
			if numparse.Is(fields[j]) {
				numbers++
			}
		}
		number = number || numbers > 0 && numbers == values
	}
	return number || !recurs && !unnamed, !number && !recurs && !unnamed
}

func beginsWithLetter(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(first)
}
