// Package delimited cuts text into rows of values, such as the text of a CSV file. Quotes may
// surround values between delimiters (RFC 4180), and values between blanks in one line.
//
//	Format     how a text is written, and how that is found out
//	Records    the rows of a text, one after the other
//	Rows       the rows of a chunk, by columns
package delimited

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// Format is how a CSV file is written.
type Format struct {
	// Delimiter separates the values: "," or ";" or "|" or a tab, "blank" for any number of
	// blanks and tabs, or "" to find out.
	Delimiter string `toml:"delimiter,omitempty" json:"delimiter,omitempty"`
	// Header says whether the first row names the columns; nil means to find out.
	Header *bool `toml:"header,omitempty" json:"header,omitempty"`
	// Titles is the number of rows above the header; nil means to find out.
	Titles *int `toml:"titles,omitempty" json:"titles,omitempty"`
	// Comments are the beginnings of rows that are no data.
	Comments []string `toml:"comments,omitempty" json:"comments,omitempty"`
}

// blanks is the delimiter that stands for any number of blanks and tabs.
const blanks = "blank"

// delimiters returns the delimiters that files may have.
func delimiters() []string { return []string{",", ";", "\t", "|", blanks} }

// Quotes reports whether values may be quoted, so that a line end may be part of a value.
func (f Format) Quotes() bool { return f.Delimiter != blanks }

// Validate reports everything that is wrong with f.
func (f Format) Validate() error {
	var errs []error
	if f.Delimiter != "" && !slices.Contains(delimiters(), f.Delimiter) {
		errs = append(errs, fmt.Errorf("delimiter is %q, must be one of %q", f.Delimiter, delimiters()))
	}
	if f.Titles != nil && (*f.Titles < 0 || f.Header == nil || !*f.Header) {
		errs = append(errs, fmt.Errorf("titles is %d, must be ≥ 0 and with header = true", *f.Titles))
	}
	if slices.Contains(f.Comments, "") {
		errs = append(errs, errors.New(`comments contains "", with which every row begins`))
	}
	return errors.Join(errs...)
}

// Detect finds out the delimiter and the comments, where f leaves them open, from a sample:
// the beginning of a file. It returns the rows of the sample, too, up to the first fault. If
// whole, the sample is the whole file.
//
// The delimiter is a comma, semicolon, tab or bar: the one that cuts the most rows into the
// same number of values, at least two. Of two that cut as many rows, it is the one that gives
// more values. If none cuts rows, the delimiter is any number of blanks, if blanks cut all
// rows alike, or else the comma. A first row that begins with # or |, and is not cut although
// others are, is a comment.
func (f Format) Detect(sample string, whole bool) (found Format, rows [][]string) {
	if end := strings.LastIndexByte(sample, '\n'); !whole && end >= 0 {
		sample = sample[:end+1]
	}
	if f.Delimiter == "" {
		f.Delimiter, rows = f.detectDelimiter(sample)
	} else {
		rows = f.cut(sample)
	}
	if f.Comments == nil && len(rows) > 1 && len(rows[0]) == 1 && regularityOf(rows).width > 1 {
		if mark := rows[0][0][:min(len(rows[0][0]), 1)]; mark == "#" || mark == "|" {
			f.Comments = []string{mark}
			rows = f.cut(sample)
		}
	}
	return f, rows
}

// MostTitles is the largest number of rows above a header that is looked for.
const MostTitles = 20

// FindTitles returns how many of the first rows of a text may stand above its header: those that have
// no value but the first, above a row that is as wide as most are and has only names, and others. The
// header may have two lines, of which the last one, with as many names, is nearer to the data.
func FindTitles(rows [][]string, missing []string) int {
	usual := regularityOf(rows).width
	n := slices.IndexFunc(rows[:min(len(rows), MostTitles)], func(values []string) bool {
		return slices.ContainsFunc(values[1:], func(v string) bool { return v != "" })
	})
	if n >= 0 && namesBelow(rows[n:], usual, missing) {
		return n + 1
	}
	if n <= 0 || n+1 == len(rows) || len(rows[n]) != usual || slices.Contains(rows[n][UnnamedIndex(rows[n]):], "") {
		return 0
	}
	return n
}

// namesBelow reports whether the second row names the columns, too: all its values differ, there are as
// many as in the first one, and none is a number where numbers are below, in two columns at least.
func namesBelow(rows [][]string, width int, missing []string) bool {
	const few = 5
	if len(rows) < few || len(rows[0]) != width || len(rows[1]) != width || distinct(rows[1]) < width || distinct(rows[0]) < width-1 {
		return false
	}
	numbers := 0
	for j, name := range rows[1] {
		values, recurs := 0, false
		numeric := !slices.ContainsFunc(rows[2:], func(row []string) bool {
			if j >= len(row) || slices.Contains(missing, row[j]) {
				return false
			}
			values++
			recurs = recurs || row[j] == name
			return !numparse.Is(row[j])
		})
		switch {
		case recurs || slices.Contains(missing, name) || numeric && values > 0 && isNumber(name, rows[2:], j):
			return false
		case numeric && values > 1:
			numbers++
		}
	}
	return numbers > 1
}

// distinct returns the number of distinct values of a row that are not empty.
func distinct(row []string) int {
	seen := map[string]bool{}
	for _, v := range row {
		seen[v] = v != ""
	}
	delete(seen, "")
	return len(seen)
}

func (f Format) detectDelimiter(sample string) (found string, rows [][]string) {
	var best regularity
	for _, delimiter := range delimiters() {
		if delimiter == blanks && best.width > 0 || delimiter != blanks && !strings.Contains(sample, delimiter) {
			continue
		}
		f.Delimiter = delimiter
		cut := f.cut(sample)
		r := regularityOf(cut)
		if r.width < 2 || delimiter == blanks && r.rows < len(cut) {
			continue
		}
		if r.rows > best.rows || r.rows == best.rows && r.width > best.width {
			best, found, rows = r, delimiter, cut
		}
	}
	if best.width == 0 {
		f.Delimiter = ","
		return f.Delimiter, f.cut(sample)
	}
	return found, rows
}

// cut cuts a sample into rows, up to the first fault.
func (f Format) cut(sample string) [][]string {
	var rows [][]string
	records := NewRecords(textfile.Chunk{Text: []byte(sample), Line: 1, Err: io.EOF}, "", f)
	for {
		values, err := records.Next()
		if err != nil {
			return completed(rows)
		}
		rows = append(rows, slices.Clone(values))
	}
}

// completed adds the name that a header has not which is one value shorter than all other rows: an empty
// one of the first column, if that names the rows, as R writes them, or of the last column, if that is empty.
func completed(rows [][]string) [][]string {
	const few = 3
	if len(rows) < few {
		return rows
	}
	width := len(rows[0]) + 1
	names, isEmpty := map[string]bool{}, true
	for _, row := range rows[1:] {
		if len(row) != width || width < few {
			return rows
		}
		names[row[0]] = true
		isEmpty = isEmpty && row[width-1] == ""
	}
	switch {
	case isEmpty:
		rows[0] = append(rows[0], "")
	case len(names) == len(rows)-1 && !names[""]:
		rows[0] = slices.Insert(rows[0], 0, "")
	}
	return rows
}

// regularity is how well a delimiter suits: the most frequent number of values in a row, and
// how many rows have this number.
type regularity struct{ width, rows int }

func regularityOf(rows [][]string) regularity {
	count := map[int]int{}
	for _, values := range rows {
		count[len(values)]++
	}
	var r regularity
	for width, n := range count {
		if n > r.rows || n == r.rows && width > r.width {
			r = regularity{width, n}
		}
	}
	return r
}

// UnnamedIndex returns 1 if a header begins with a column without a name, and 0 otherwise.
// Some programs write the number of the row into such a column.
func UnnamedIndex(header []string) int {
	if header[0] == "" && len(header) > 1 {
		return 1
	}
	return 0
}

// LooksLikeHeader reports whether the first row looks like names of columns. Such a row has no
// number and no missing value, but perhaps columns without a name. If no named column has numbers
// below the row, all have names, and no value of the row occurs again in its column.
func LooksLikeHeader(rows [][]string, missing []string) bool {
	recurs, number, unnamed := false, false, false
	for j, name := range rows[0] {
		if j < UnnamedIndex(rows[0]) {
			continue
		}
		if name == "" { // a column without a name, or a missing value
			unnamed = true
			continue
		}
		if isNumber(name, rows[1:], j) || slices.Contains(missing, name) {
			return false
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
	return number || !recurs && !unnamed
}

// isNumber reports whether a value above some rows is a number and no name of column j. EUR 2024 is a
// name, and so is 1stFloor, unless numbers below have that unit.
func isNumber(value string, rows [][]string, j int) bool {
	unit, ok := numparse.Unit(value)
	first, _ := utf8.DecodeRuneInString(value)
	if !ok || unicode.IsLetter(first) || !strings.ContainsFunc(unit, unicode.IsLetter) {
		return ok && !unicode.IsLetter(first)
	}
	for _, row := range rows {
		if j < len(row) {
			if below, ok := numparse.Unit(row[j]); ok {
				return numparse.SameUnit(unit, below)
			}
		}
	}
	return true
}
