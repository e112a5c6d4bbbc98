package classifier

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/internal/sidefile"
)

// Format names the version of the model file that this package reads and writes: JSON
// with the fields of file. A change that an older reader would misunderstand gets a new
// number.
const Format = "fairtrain-model/1"

// file is the model file.
type file struct {
	Format string `json:"format"`
	*Classifier
}

// required are the keys that must be there.
var required = []string{"features", "weights", "intercept", "threshold", "training"}

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
	data, err := sidefile.ReadFrom(r, name, sidefile.Most)
	if err != nil {
		return nil, err
	}
	// The format is looked at first: a file of another version may differ in anything.
	var head struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("%s: not a model file: %s", sidefile.Position(name, data, err), reason(err))
	}
	if head.Format != Format {
		return nil, fmt.Errorf("%s: format is %q, must be %q", name, head.Format, Format)
	}
	f := file{Classifier: new(Classifier)}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("%s: %s", sidefile.Position(name, data, err), reason(err))
	}
	err = checkPresent(data)
	if err == nil {
		err = f.Validate()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f.shares()
	f.Training.nameMethod()
	return f.Classifier, nil
}

// nameMethod names the method of older files, where "fsfo" is the method finite-sum unless there is
// a rule of the paper's algorithm.
func (t *Training) nameMethod() {
	name := t.Solver
	if rule := t.Options["rule"]; name == "fsfo" && (rule == "" || rule == "finite-sum") {
		name = "finite-sum"
	}
	t.Method, t.Solver = cmp.Or(t.Method, name), ""
}

// shares gives the encoding the shares of its rare levels in training, to within the rounding of the
// reference, and the largest that may be outside the range of a number.
func (c *Classifier) shares() {
	if c.Reference == nil || c.Features.Encoding == nil {
		return
	}
	first := 0
	for k := range c.Features.Encoding.Features {
		e := &c.Features.Encoding.Features[k]
		if e.Rare {
			e.RareShare = c.Reference.Mean[first+len(e.Levels)]
		}
		if e.Range != nil {
			e.OutsideShare = float64(2*(c.Reference.MinCount-1)) / float64(c.Reference.Rows)
		}
		first += e.Width()
	}
}

// checkPresent returns an error if a value of a model file is missing or null, which would
// read as 0.
func checkPresent(data []byte) error {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil {
		return err
	}
	for _, key := range required {
		if text := keys[key]; text == nil || string(text) == "null" {
			return fmt.Errorf("%s is missing", key)
		}
	}
	if !bytes.Contains(keys["weights"], []byte("null")) {
		return nil
	}
	var weights []*float64
	if err := json.Unmarshal(keys["weights"], &weights); err != nil {
		return err
	}
	return fmt.Errorf("weights[%d] is null", slices.Index(weights, nil))
}

// reason is an error of package json in terms of the file.
func reason(err error) string {
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && mismatch.Field != "" {
		field := strings.TrimPrefix(mismatch.Field, "Classifier.") // which is no key
		return fmt.Sprintf("%s: found %s, need %s", field, mismatch.Value, mismatch.Type)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// Write writes c as a model file. Every number is written so that reading it gives the
// same bits.
func (c *Classifier) Write(w io.Writer) error {
	if err := c.Validate(); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	return e.Encode(file{Format, c})
}

// Digest is the SHA-256 of the file without the tests, hexadecimal: a model that is tested stays
// the same.
func (c *Classifier) Digest() (string, error) {
	untested := *c
	untested.Tests = nil
	h := sha256.New()
	err := untested.Write(h)
	return hex.EncodeToString(h.Sum(nil)), err
}
