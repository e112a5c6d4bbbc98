// Package textfile reads text files as people have them, in bounded memory: UTF-8, Latin-1 or
// UTF-16, in chunks that are parsed side by side. It says where a fault is, and what may have
// been meant.
package textfile

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/xrash/smetrics"
)

const (
	sampleSize = 1 << 16 // bytes of a file that tell what it is
	BufferSize = 1 << 18 // fits the second-level cache, so that hash and parser share it
)

// Sample reads the beginning of a stream, to find out what it is. The reader that it returns
// begins there again. If whole, the sample is the whole stream.
func Sample(r io.Reader) (again *bufio.Reader, sample []byte, whole bool, err error) {
	sample, err = io.ReadAll(io.LimitReader(r, sampleSize))
	if err != nil {
		return nil, nil, false, err
	}
	if len(sample) < sampleSize {
		return bufio.NewReaderSize(bytes.NewReader(sample), len(sample)), sample, true, nil
	}
	return bufio.NewReaderSize(io.MultiReader(bytes.NewReader(sample), r), sampleSize), sample, false, nil
}

// ParseError is a fault in a data file. Line and Column count from 1, columns in bytes. In a
// Parquet file, Part says where the fault is. There Line is the number of the row, plus 1 as if
// there were a header, and Column the number of the column; both are 1 if Part says all.
type ParseError struct {
	File   string `json:"file"`
	Part   string `json:"-"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Msg    string `json:"message"`
}

func (e *ParseError) Error() string {
	if e.Part != "" {
		return fmt.Sprintf("%s: %s: %s", e.File, e.Part, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// Errorf returns the fault at a position of a file.
func Errorf(file string, line, column int, format string, args ...any) *ParseError {
	return &ParseError{File: file, Line: line, Column: column, Msg: fmt.Sprintf(format, args...)}
}

// File is a text file, or one of several that are read as one.
type File struct {
	io.Reader
	Name string // for errors
}

// Files returns the next of several files, io.EOF after the last one. A file is not used any more
// once the next one is asked for.
type Files func() (File, error)

// One returns a single file.
func One(r io.Reader, name string) Files {
	return func() (f File, err error) {
		if r == nil {
			return f, io.EOF
		}
		f, r = File{r, name}, nil
		return f, nil
	}
}

// Mark is the byte-order mark of UTF-8.
const Mark = "\xef\xbb\xbf"

// Part is a file of several that are read as one text.
type Part struct {
	File  string
	First int // its first line in the text, from 1
}

// Locate corrects a fault at a line of a text that consists of the given parts: it is at a line of
// its file.
func Locate(fault *ParseError, parts []Part) {
	k, found := slices.BinarySearchFunc(parts, fault.Line, func(p Part, line int) int { return p.First - line })
	if !found {
		k--
	}
	if k >= 0 {
		fault.File, fault.Line = parts[k].File, fault.Line-parts[k].First+1
	}
}

// Quote shows a token, shortened if it is long.
func Quote(token string) string {
	const longest = 24
	if utf8.RuneCountInString(token) > longest {
		token = string([]rune(token)[:longest]) + "…"
	}
	return strconv.Quote(token)
}

// QuoteAll shows the first of a list of values.
func QuoteAll(levels []string) string {
	const most = 8
	var shown []string
	for k, level := range levels {
		if k == most {
			shown = append(shown, fmt.Sprintf("… (%d in all)", len(levels)))
			break
		}
		shown = append(shown, Quote(level))
	}
	if len(shown) == 0 {
		return "no values"
	}
	return strings.Join(shown, ", ")
}

// DidYouMean returns a hint ` (did you mean "…"?)` with the candidate that is most like name.
// A candidate with more than two typing errors is none; without one, the hint is "".
func DidYouMean(name string, candidates []string) string {
	best, fewest := "", 3
	for _, c := range candidates {
		d := smetrics.WagnerFischer(strings.ToLower(name), strings.ToLower(c), 1, 1, 1) // Levenshtein's distance
		if d < fewest && d < len(c) {
			best, fewest = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}
