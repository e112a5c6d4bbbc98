package table

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/tomlguard"
)

//go:embed schemas/*.toml
var builtin embed.FS

// SchemaNames returns the names of the built-in schemas, sorted.
func SchemaNames() []string {
	files, err := fs.Glob(builtin, "schemas/*.toml")
	if err != nil {
		panic(err) // the pattern is malformed
	}
	for k, file := range files {
		files[k] = strings.TrimSuffix(path.Base(file), ".toml")
	}
	slices.Sort(files)
	return files
}

// LoadSchema returns the built-in schema of the given name. If there is none, it reads the
// file of this path.
func LoadSchema(name string) (*Schema, error) {
	if f, err := builtin.Open("schemas/" + name + ".toml"); err == nil {
		defer f.Close()
		return readSchema(f, name)
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("schema %q is neither a file nor built in (%s)%s: %w",
			name, strings.Join(SchemaNames(), ", "), textfile.DidYouMean(name, SchemaNames()), fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readSchema(f, name)
}

// readSchema reads a schema in TOML. Errors call the file by name. A key that schemas do not
// have is an error.
func readSchema(r io.Reader, name string) (*Schema, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := tomlguard.Check(text); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s := &Schema{}
	meta, err := toml.Decode(string(text), s)
	if fault, ok := errors.AsType[toml.ParseError](err); ok {
		return nil, textfile.Errorf(name, fault.Position.Line, max(fault.Position.Col, 1), "%s", fault.Message)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "toml: "))
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, unknownKey(name, string(text), unknown[0])
	}
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// unknownKey returns the error about an unknown key, at the first line that sets the key.
func unknownKey(name, text string, key toml.Key) *textfile.ParseError {
	last := key[len(key)-1]
	known := tomlKeys(reflect.TypeFor[Schema](), key[:len(key)-1])
	line, column := tomlguard.Place(text, last)
	return textfile.Errorf(name, line, column, "unknown key %q%s", key.String(), textfile.DidYouMean(last, known))
}

// tomlKeys returns the keys that the table at a path below t may have.
func tomlKeys(t reflect.Type, path toml.Key) []string {
	for t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var keys []string
	for f := range t.Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		switch {
		case len(path) > 0 && key == path[0]:
			return tomlKeys(f.Type, path[1:])
		case len(path) > 0:
		case f.Anonymous:
			keys = append(keys, tomlKeys(f.Type, nil)...)
		default:
			keys = append(keys, key)
		}
	}
	return keys
}

// Write writes s in TOML, as readSchema reads it.
func (s *Schema) Write(w io.Writer) error {
	e := toml.NewEncoder(w)
	e.Indent = ""
	return e.Encode(s)
}
