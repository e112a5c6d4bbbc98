package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

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

// printJSON writes a result as one JSON object on one line, names as they are.
func (p *program) printJSON(result any) error {
	text, err := encodeJSON(result)
	if err != nil {
		return err
	}
	_, err = p.stdout.Write(text)
	return err
}

func encodeJSON(result any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(result)
	if _, ok := errors.AsType[*json.UnsupportedValueError](err); ok {
		return nil, fmt.Errorf("a number of the result is not finite, which JSON can't hold: %w", err)
	}
	return b.Bytes(), err
}

// writeOutput writes a file completely or not at all; standard output, pipes and devices
// get everything at once.
func (p *program) writeOutput(path string, write func(io.Writer) error) error {
	out, err := rendered(path, write)
	if err != nil {
		return err
	}
	return p.writeOutputs(out)
}

// isStream reports whether a path names what is written to as it is, not replaced:
// standard output, a pipe or a device.
func isStream(path string) bool {
	info, err := os.Stat(path)
	return path == "-" || err == nil && !info.Mode().IsRegular()
}

func (p *program) writeStream(out content) error {
	if out.path == "-" {
		_, err := p.stdout.Write(out.data)
		return err
	}
	return os.WriteFile(out.path, out.data, 0) // no file is made
}

// content is a file to be written.
type content struct {
	path string
	data []byte
}

// rendered returns what write writes as the content of the file at path.
func rendered(path string, write func(io.Writer) error) (content, error) {
	var b bytes.Buffer
	err := write(&b)
	return content{path, b.Bytes()}, err
}

// writeOutputs writes outputs that belong together: files all or none, and after them what
// goes to standard output, pipes and devices.
func (p *program) writeOutputs(outputs ...content) error {
	var files, streams []content
	for _, out := range outputs {
		if isStream(out.path) {
			streams = append(streams, out)
		} else {
			files = append(files, out)
		}
	}
	if err := writeTogether(files...); err != nil {
		return err
	}
	for _, out := range streams {
		if err := p.writeStream(out); err != nil {
			return err
		}
	}
	return nil
}

// writeTogether writes regular files that belong together. All are on the disk before the
// first takes its place.
func writeTogether(files ...content) error {
	pending := make([]*atomicfile.Pending, len(files))
	for i, file := range files {
		p, err := atomicfile.Create(file.path)
		if err != nil {
			return err
		}
		defer p.Discard()
		if _, err := p.Write(file.data); err != nil {
			return err
		}
		if err := p.Sync(); err != nil {
			return err
		}
		pending[i] = p
	}
	for _, p := range pending {
		if err := p.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// writeTable writes rows of cells as columns under a header, the first to the left and
// the others to the right.
func writeTable(b *bytes.Buffer, header []string, rows [][]string) {
	t := results.Table{Columns: header, Wide: true}
	for _, row := range rows {
		t.Rows = append(t.Rows, results.Row(row...))
	}
	if err := t.Write(b, results.Text); err != nil {
		panic(err) // a buffer takes everything
	}
}
