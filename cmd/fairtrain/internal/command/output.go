package command

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/results"
)

// resultWriter is standard output, which remembers the first error: the library that
// prints help does not look at it, and no result may get lost unnoticed.
type resultWriter struct {
	w   io.Writer
	err error
}

func (r *resultWriter) Write(b []byte) (int, error) {
	if f, ok := r.w.(*os.File); ok && isClosed(f) {
		r.err = errClosed
		return 0, r.err
	}
	n, err := r.w.Write(b)
	if r.err == nil {
		r.err = err
	}
	return n, err
}

var errClosed = errors.New("standard output is closed, so that there is no result (>/dev/null discards it)")

// inertWriter writes text for people: control characters are shown and not sent to the
// terminal. Names of columns, levels and files may hold anything, and all talk goes through
// here. Machines get these names unchanged.
type inertWriter struct{ w io.Writer }

// Write writes text that ends with a whole character.
func (i inertWriter) Write(text []byte) (int, error) {
	if _, err := io.WriteString(i.w, names.Text(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Print writes a result for people to stdout.
func (p *Program) Print(result []byte) error {
	_, err := inertWriter{p.Stdout}.Write(result)
	return err
}

// PrintTables writes tables to stdout in their format, as text under a title.
func (p *Program) PrintTables(format results.TableFormat, title string, tables ...results.Table) error {
	var b bytes.Buffer
	if format == results.Text {
		b.WriteString(title)
	}
	for k, t := range tables {
		if k > 0 {
			b.WriteByte('\n')
		}
		if err := t.Write(&b, format); err != nil {
			return err
		}
	}
	if format != results.CSV {
		return p.Print(b.Bytes())
	}
	_, err := p.Stdout.Write(b.Bytes())
	return err
}

// PrintJSON writes a result as one JSON object on one line, names as they are.
func (p *Program) PrintJSON(result any) error {
	text, err := EncodeJSON(result)
	if err != nil {
		return err
	}
	_, err = p.Stdout.Write(text)
	return err
}

// EncodeJSON is what PrintJSON prints.
func EncodeJSON(result any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(result)
	if _, ok := errors.AsType[*json.UnsupportedValueError](err); ok {
		return nil, fmt.Errorf("a number of the result is not finite, which JSON can't hold: %w", err)
	}
	return b.Bytes(), err
}

// WriteOutput writes a file while it is made, so that it need not fit into memory, and puts it in
// place completely or not at all. Standard output, pipes and devices get what there is before an
// error.
func (p *Program) WriteOutput(path string, write func(io.Writer) error) error {
	buffered := func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 1<<16)
		if err := write(b); err != nil {
			return err
		}
		return b.Flush()
	}
	if isStream(path) {
		return p.toStream(path, buffered)
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := buffered(f); err != nil {
		return err
	}
	return f.Commit()
}

// isStream reports whether a path names something that is written to and not replaced:
// standard output, a pipe or a device.
func isStream(path string) bool {
	info, err := os.Stat(path)
	return path == "-" || err == nil && !info.Mode().IsRegular()
}

func (p *Program) toStream(path string, write func(io.Writer) error) error {
	if path == "-" {
		return write(p.Stdout)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// Content is a file to be written.
type Content struct {
	Path string
	Data []byte
}

// Rendered returns what write writes as the content of the file at path.
func Rendered(path string, write func(io.Writer) error) (Content, error) {
	var b bytes.Buffer
	err := write(&b)
	return Content{path, b.Bytes()}, err
}

// WriteOutputs writes outputs that belong together: all files or none, and then the outputs to
// standard output, pipes and devices. All files are on the disk before the first of them takes
// its place.
func (p *Program) WriteOutputs(outputs ...Content) error {
	var files []*atomicfile.Pending
	var streams []Content
	for _, out := range outputs {
		if isStream(out.Path) {
			streams = append(streams, out)
			continue
		}
		f, err := atomicfile.Create(out.Path)
		if err != nil {
			return err
		}
		defer f.Discard()
		if _, err := f.Write(out.Data); err != nil {
			return err
		}
		if err := f.Sync(); err != nil {
			return err
		}
		files = append(files, f)
	}
	for _, f := range files {
		if err := f.Commit(); err != nil {
			return err
		}
	}
	for _, out := range streams {
		err := p.toStream(out.Path, func(w io.Writer) error { _, err := w.Write(out.Data); return err })
		if err != nil {
			return err
		}
	}
	return nil
}

// Rescue is the error of an output that could not be written, after what it was has been put into a
// file of its own, if that can be done: in one of the given folders, or that for temporary files. It
// may have taken hours, or rows that can't be had again.
func Rescue(err error, what, name string, write func(io.Writer) error, folders ...string) error {
	for _, dir := range append(folders, os.TempDir()) {
		f, fault := os.CreateTemp(dir, "fairtrain-"+name+"-*.json")
		if fault != nil {
			continue
		}
		if fault := errors.Join(write(f), f.Close()); fault != nil {
			os.Remove(f.Name())
			continue
		}
		return Advise(err, what+" is in "+f.Name())
	}
	return err
}

// ReportWidth is the width of a report for people, in columns.
const ReportWidth = 100

// WriteTable writes rows of cells as columns under a header, the first to the left and
// the others to the right.
func WriteTable(b *bytes.Buffer, header []string, rows [][]string) {
	t := results.Table{Columns: header, Wide: true}
	for _, row := range rows {
		t.Rows = append(t.Rows, results.Row(row...))
	}
	if err := t.Write(b, results.Text); err != nil {
		panic(err) // a buffer takes everything
	}
}

// Count is a number of things: "1 line", "2 lines".
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
