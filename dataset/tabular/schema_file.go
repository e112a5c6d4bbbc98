package tabular

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/tomlfile"
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
	s := &Schema{}
	if err := tomlfile.Decode(name, r, s, nil); err != nil {
		return nil, err
	}
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// Write writes s in TOML, as readSchema reads it.
func (s *Schema) Write(w io.Writer) error {
	return toml.NewEncoder(w).Encode(s)
}
