package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
	"github.com/fairtrain/fairtrain/internal/inert"
	"github.com/fairtrain/fairtrain/results"
)

// resultWriter is standard output, which remembers the first error: the library that
// prints help does not look at it, and no result may get lost unnoticed.
type resultWriter struct {
	w   io.Writer
	err error
}

func (r *resultWriter) Write(b []byte) (int, error) {
	n, err := r.w.Write(b)
	if r.err == nil {
		r.err = err
	}
	return n, err
}

// inertWriter is where people read: what a terminal would obey is shown to them. Names of
// columns, levels and files may hold anything, and all talk goes through here. Machines get
// the same names as they are.
type inertWriter struct{ w io.Writer }

// Write writes text that ends with a whole character.
func (i inertWriter) Write(text []byte) (int, error) {
	if _, err := io.WriteString(i.w, inert.Text(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// print writes a result for people to stdout.
func (p *program) print(result []byte) error {
	_, err := inertWriter{p.stdout}.Write(result)
	return err
}

// printTable writes a table to stdout, to whom its format is for.
func (p *program) printTable(table []byte, format results.TableFormat) error {
	if format != results.CSV {
		return p.print(table)
	}
	_, err := p.stdout.Write(table)
	return err
}

// printJSON writes a result as one JSON object on one line.
func (p *program) printJSON(result any) error {
	e := json.NewEncoder(p.stdout)
	e.SetEscapeHTML(false)
	return e.Encode(result)
}

// writeOutput writes a file completely or not at all; standard output, pipes and devices
// get everything at once.
func (p *program) writeOutput(path string, write func(io.Writer) error) error {
	var content bytes.Buffer
	if err := write(&content); err != nil {
		return err
	}
	if path == "-" {
		_, err := p.stdout.Write(content.Bytes())
		return err
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, content.Bytes(), 0) // no file is made
	}
	return atomicfile.WriteFile(path, content.Bytes())
}

// writeTable writes rows of cells as columns under a header, the first to the left and
// the others to the right.
func writeTable(w io.Writer, header []string, rows [][]string) {
	widths := make([]int, len(header))
	for _, row := range append([][]string{header}, rows...) {
		for j, cell := range row {
			row[j] = inert.Line(cell)
			widths[j] = max(widths[j], utf8.RuneCountInString(row[j]))
		}
	}
	for _, row := range append([][]string{header}, rows...) {
		var line strings.Builder
		fmt.Fprintf(&line, "%-*s", widths[0], row[0])
		for j, cell := range row[1:] {
			fmt.Fprintf(&line, "  %*s", widths[j+1], cell)
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}
