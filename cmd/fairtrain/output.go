package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/google/renameio/v2"

	"github.com/fairtrain/fairtrain/dataset"
)

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

// checkOutput refuses a path that must not be written: a file that the command reads, or
// one that is there already and not replaceable. Commands call it before they do any
// work. The path "-" is standard output; inputs are names of data or paths.
func checkOutput(flag, path string, inputs []string, replaceable func(path string) bool) error {
	if path == "-" {
		return nil
	}
	if path == "" {
		return usagef("--%s is empty, must be a file or -", flag)
	}
	for _, input := range inputs {
		if isSameFile(path, input) {
			return usagef("--%s %s is also an input", flag, path)
		}
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s: is a directory, expected a file to write", path)
	case err == nil && info.Mode().IsRegular() && !replaceable(path):
		return advise(fmt.Errorf("%s exists", path), fmt.Sprintf("choose another file with --%s, or replace it with --force", flag))
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return err
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	return nil
}

// isSameFile reports whether path is the file behind a name of data.
func isSameFile(path, input string) bool {
	source, err := dataset.Resolve(input)
	if err != nil {
		return false
	}
	a, errA := os.Stat(path)
	b, errB := os.Stat(source)
	return errA == nil && errB == nil && os.SameFile(a, b)
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
	const permissions = 0o644
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, content.Bytes(), permissions)
	}
	return renameio.WriteFile(path, content.Bytes(), permissions)
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
