// Package sidefile reads files whole that are small beside the rows: models, schemas, presets, cards,
// certificates, SIF problems, and what the program itself has stored. A file that is larger than
// such files are, or than the memory for it, is refused before it is read; of a pipe or a device no
// more than that is read.
package sidefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/fairtrain/fairtrain/internal/memory"
)

const (
	// Text is the most bytes of a file that a person writes: a schema, a preset, a card.
	Text = 1 << 20
	// Most is the most bytes of any file.
	Most = 1 << 27
)

// What is made of a file takes memory, too: a string of 16 bytes for every short one of a JSON file,
// its text, and its place in a list that grows; and for every object, even an empty one, a struct
// such as that of a column.
const perByte, perObject = 16, 512

// Read returns the content of the file, the pipe or the device at path, of at most so many bytes.
// Opening a pipe waits for somebody to write to it.
func Read(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err // says "open PATH: …"
	}
	defer f.Close()
	return ReadFrom(f, path, most)
}

// ReadFrom is Read of what is open already, such as standard input. Errors call it by name.
func ReadFrom(r io.Reader, name string, most int64) ([]byte, error) {
	size := int64(0) // as far as it is known
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
	}
	if err := check(name, size, most); err != nil {
		return nil, err
	}
	if budget := memory.Budget(); budget > 0 {
		most = min(most, budget/perByte)
	}
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if n := int64(len(text)); n > most {
		return nil, check(name, n, most)
	}
	objects := perObject * float64(bytes.Count(text, []byte("{")))
	return text, memory.Check(name+": what it describes", perByte*float64(len(text))+objects)
}

// check returns an error if so many bytes are too many.
func check(name string, size, most int64) error {
	if err := memory.Check(fmt.Sprintf("%s: to read %d bytes", name, size), perByte*float64(size)); err != nil {
		return err
	}
	if size > most {
		return fmt.Errorf("%s: more than %d bytes, and no such file has as many", name, most)
	}
	return nil
}

// Position is "name:line:column" of an error of package json about a text, or the name alone if the
// error has no position.
func Position(name string, text []byte, err error) string {
	var offset int64
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = syntax.Offset
	} else if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		offset = mismatch.Offset
	} else {
		return name
	}
	before := text[:max(0, min(offset-1, int64(len(text))))]
	line := 1 + bytes.Count(before, []byte{'\n'})
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("%s:%d:%d", name, line, column)
}
