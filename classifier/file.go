package classifier

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
)

// Format names the version of the model file that this package reads and writes: JSON
// with the fields of file. A change that an older reader would misunderstand gets a new
// number.
const Format = "fairtrain-model/1"

// file is the model file. Pointers distinguish values that are missing or null from 0.
type file struct {
	Format      string       `json:"format"`
	Features    *Features    `json:"features"`
	Weights     []*float64   `json:"weights"`
	Intercept   *float64     `json:"intercept"`
	Threshold   *float64     `json:"threshold"`
	Constraints []Constraint `json:"constraints"`
	Training    *Training    `json:"training"`
	Tests       []Test       `json:"tests,omitempty"`
	Reference   *Reference   `json:"reference,omitempty"`
}

// Load reads the model file at path. Errors name the path, and the line and column or
// the field.
func Load(path string) (*Classifier, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path)
}

// Read reads a model file from r; name stands for the file in errors.
func Read(r io.Reader, name string) (*Classifier, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	// The format is looked at first: a file of another version may differ in anything.
	var head struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("%s: not a model file: %s", position(name, data, err), reason(err))
	}
	if head.Format != Format {
		return nil, fmt.Errorf("%s: format is %q, must be %q", name, head.Format, Format)
	}
	var f file
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("%s: %s", position(name, data, err), reason(err))
	}
	c, err := f.classifier()
	if err == nil {
		err = c.Validate()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// classifier returns the content of f, in which nothing may be missing but constraints, tests and the reference.
func (f *file) classifier() (*Classifier, error) {
	for _, field := range []struct {
		name    string
		missing bool
	}{
		{"features", f.Features == nil},
		{"weights", f.Weights == nil},
		{"intercept", f.Intercept == nil},
		{"threshold", f.Threshold == nil},
		{"training", f.Training == nil},
	} {
		if field.missing {
			return nil, fmt.Errorf("%s is missing", field.name)
		}
	}
	weights := make([]float64, len(f.Weights))
	for j, w := range f.Weights {
		if w == nil {
			return nil, fmt.Errorf("weights[%d] is null", j)
		}
		weights[j] = *w
	}
	return &Classifier{
		Features:    *f.Features,
		Weights:     weights,
		Intercept:   *f.Intercept,
		Threshold:   *f.Threshold,
		Constraints: f.Constraints,
		Training:    *f.Training,
		Tests:       f.Tests,
		Reference:   f.Reference,
	}, nil
}

// position is "name:line:column" of an error of package json, or the name alone if the
// error has no position.
func position(name string, data []byte, err error) string {
	var offset int64
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = syntax.Offset
	} else if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		offset = mismatch.Offset
	} else {
		return name
	}
	before := data[:max(0, min(offset-1, int64(len(data))))]
	line := 1 + bytes.Count(before, []byte{'\n'})
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("%s:%d:%d", name, line, column)
}

// reason is an error of package json in terms of the file.
func reason(err error) string {
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && mismatch.Field != "" {
		return fmt.Sprintf("%s: found %s, need %s", mismatch.Field, mismatch.Value, mismatch.Type)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// Write writes c as a model file. Every number is written so that reading it gives the
// same bits.
func (c *Classifier) Write(w io.Writer) error {
	if err := c.Validate(); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	f := file{
		Format:      Format,
		Features:    &c.Features,
		Weights:     make([]*float64, len(c.Weights)),
		Intercept:   &c.Intercept,
		Threshold:   &c.Threshold,
		Constraints: c.Constraints,
		Training:    &c.Training,
		Tests:       c.Tests,
		Reference:   c.Reference,
	}
	for j := range c.Weights {
		f.Weights[j] = &c.Weights[j]
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	return e.Encode(f)
}

// Save writes c to path, replacing any file there: the whole file or, on error, nothing.
func (c *Classifier) Save(path string) error {
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		return err
	}
	return atomicfile.WriteFile(path, b.Bytes())
}
