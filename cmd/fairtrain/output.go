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

// print writes a result to stdout.
func (p *program) print(result []byte) error {
	_, err := p.stdout.Write(result)
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
		return p.print(content.Bytes())
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
			widths[j] = max(widths[j], utf8.RuneCountInString(cell))
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
