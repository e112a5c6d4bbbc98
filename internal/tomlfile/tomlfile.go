// Package tomlfile reads the TOML files that people write: schemas, presets, cards and
// configurations.
package tomlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/fairtrain/fairtrain/internal/sidefile"
)

// Decode reads the TOML file of a name into dst. Errors name the file, the line and the column. A
// key for which dst has no field is an error. hint, unless nil, returns what follows it for the last
// part of the key and the table before it.
func Decode(name string, r io.Reader, dst any, hint func(table []string, last string) string) error {
	text, err := sidefile.ReadFrom(r, name, sidefile.Text)
	if err != nil {
		return err
	}
	err = toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(dst)
	if missing, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		first := missing.Errors[0]
		key := first.Key()
		last := len(key) - 1
		line, column := first.Position()
		message := fmt.Sprintf("%s:%d:%d: unknown key %.100q", name, line, column, strings.Join(key, "."))
		if hint != nil {
			message += hint(key[:last], key[last])
		}
		return errors.New(message)
	}
	if fault, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := fault.Position()
		return fmt.Errorf("%s:%d:%d: %w", name, line, column, err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
