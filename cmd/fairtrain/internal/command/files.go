package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/internal/atomicfile"
)

// Files are the files that a command reads and writes. A command declares them all and
// calls Check before it does any work, so that no output destroys anything that somebody
// wanted to keep: never an input or another output, and an existing file only with
// --force. The program asks the same rules again when it writes an output, as a file may have
// appeared meanwhile.
type Files struct {
	program *Program
	stdin   io.Reader
	inputs  []input
	outputs []output
}

type input struct {
	flag string // without dashes; "" of an argument
	name string // as it was given
	file identity
}

type output struct {
	flag string // without dashes
	name string // path as it was given; "-" is standard output
	file identity
	// folder is the value of the flag if it names the folder of the output.
	folder string
	// replaceable says whether the file may be replaced if it exists; nil: always.
	replaceable func(path string) bool
}

// NewFiles returns the files that flags of many commands name: a configuration and a
// schema to read.
func NewFiles(c *cli.Context) *Files {
	f := &Files{program: c.App.Metadata[programKey].(*Program), stdin: c.App.Reader}
	if c.IsSet("config") {
		f.Reads("config", c.String("config"))
	}
	if name := c.String("schema"); c.IsSet("schema") && !slices.Contains(tabular.SchemaNames(), name) {
		f.Reads("schema", name)
	}
	return f
}

// Reads declares inputs by their paths; "-" is standard input.
func (f *Files) Reads(flag string, paths ...string) {
	for _, path := range paths {
		f.inputs = append(f.inputs, input{flag, path, f.identifyInput(path)})
	}
}

// ReadsData declares inputs by the names of data or their paths.
func (f *Files) ReadsData(flag string, names ...string) {
	for _, name := range names {
		sources := catalogue.Sources(name)
		if len(sources) == 0 { // it is built in, or missing, which reading it will show
			f.inputs = append(f.inputs, input{flag: flag, name: name})
		}
		for _, path := range sources {
			f.inputs = append(f.inputs, input{flag, name, f.identifyInput(path)})
		}
	}
}

// identifyInput is identify, but standard input may come from a file.
func (f *Files) identifyInput(path string) identity {
	if file, ok := f.stdin.(*os.File); ok && path == "-" {
		if info, err := file.Stat(); err == nil {
			return identity{file.Name(), info}
		}
	}
	return identify(path)
}

// Writes declares an output; "-" is standard output. An existing file is an error unless
// it is replaceable.
func (f *Files) Writes(flag, path string, replaceable func(path string) bool) {
	f.outputs = append(f.outputs, output{flag, path, identify(path), "", replaceable})
}

// WritesInto declares an output in a folder, which need not exist; the name "." is all of
// the folder.
func (f *Files) WritesInto(flag, dir, name string, replaceable func(path string) bool) {
	path := filepath.Join(dir, name)
	f.outputs = append(f.outputs, output{flag, path, identify(path), dir, replaceable})
}

// Check returns an error if an output would destroy an input, another output or a file
// that is not replaceable, if it can't be written, and if standard input or standard
// output are asked for twice.
func (f *Files) Check() error {
	var names []string
	for _, in := range f.inputs {
		names = append(names, in.name)
	}
	if err := CheckNames(names...); err != nil {
		return err
	}
	for i, out := range f.outputs {
		if err := f.checkApart(out, f.outputs[:i]); err != nil {
			return err
		}
		if err := out.check(); err != nil {
			return err
		}
		f.program.replaceable[out.name] = out.replaceable
	}
	return nil
}

// checkApart returns an error if an output is also an input or another output.
func (f *Files) checkApart(out output, others []output) error {
	for _, in := range f.inputs {
		if !out.file.holds(in.file) {
			continue
		}
		where := fmt.Sprintf("--%s %s", out.flag, out.name)
		if out.folder != "" {
			where = fmt.Sprintf("%s, to be written to --%s %s,", out.name, out.flag, out.folder)
		}
		var hints []string
		if in.flag != "" {
			hints = append(hints, fmt.Sprintf("--%s %s is read from it", in.flag, in.name))
		}
		return Usage(fmt.Errorf("%s is also an input", where), hints...)
	}
	for _, other := range others {
		switch {
		case out.name == "-" && other.name == "-":
			return Usagef("--%s and --%s both want standard output", other.flag, out.flag)
		case out.file.holds(other.file):
			return Usagef("--%s %s and --%s %s are the same file", other.flag, other.name, out.flag, out.name)
		}
	}
	return nil
}

// check returns an error if an output can't be written or must not be.
func (out output) check() error {
	if out.name == "-" {
		return nil
	}
	if out.name == "" {
		return Usagef("--%s is empty, must be a file or -", out.flag)
	}
	kind := "file"
	if out.folder != "" {
		kind = "folder"
	}
	info, err := os.Stat(out.name)
	isFolder := err == nil && info.IsDir() || os.IsPathSeparator(out.name[len(out.name)-1])
	switch {
	case isFolder && out.name != filepath.Clean(out.folder):
		return fmt.Errorf("%s: is a directory, expected a file to write", out.name)
	case err == nil && info.Mode().IsRegular() && out.replaceable != nil && !out.replaceable(out.name):
		return Advise(fmt.Errorf("%s exists", out.name), fmt.Sprintf("choose another %s with --%s, or replace it with --force", kind, out.flag))
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if out.folder != "" {
		return atomicfile.Try(filepath.Join(existing(out.folder), filepath.Base(out.name)))
	}
	if _, err := os.Stat(filepath.Dir(out.file.path)); err != nil {
		return fmt.Errorf("%s cannot be written: %w", out.name, err)
	}
	if err == nil && !info.Mode().IsRegular() {
		return nil // a pipe or a device
	}
	return atomicfile.Try(out.name)
}

// existing returns the folder, or else the nearest one above it that is there.
func existing(dir string) string {
	for {
		above := filepath.Dir(dir)
		if _, err := os.Stat(dir); err == nil || above == dir {
			return dir
		}
		dir = above
	}
}

// IfForced is the rule for outputs that replace an existing file only with --force.
func IfForced(c *cli.Context) func(string) bool {
	return func(string) bool { return c.Bool("force") }
}

// identity identifies the file at a path, whether it exists or not: paths of one file
// have equal identities. The zero value is no file.
type identity struct {
	path string      // without links
	info fs.FileInfo // nil if there is no such file
}

// identify returns the identity of the file at a path.
func identify(path string) identity {
	if path == "" || path == "-" {
		return identity{}
	}
	id := identity{path: atomicfile.Target(path)}
	if info, err := os.Stat(path); err == nil {
		id.info = info
	}
	return id
}

// holds reports whether two paths name the same file, or the second one a file in a
// folder that the first one names. Terminals and pipes can be read and written at once.
func (id identity) holds(other identity) bool {
	if id.path == "" || other.path == "" {
		return false
	}
	if id.info != nil && !id.info.IsDir() && !id.info.Mode().IsRegular() {
		return false
	}
	if id.info != nil && other.info != nil && os.SameFile(id.info, other.info) {
		return true
	}
	below, err := filepath.Rel(id.path, other.path)
	return err == nil && filepath.IsLocal(below)
}

// CheckNames refuses names of inputs that are empty, and standard input twice.
func CheckNames(names ...string) error {
	stdin := 0
	for _, name := range names {
		switch name {
		case "":
			return Usagef("an input without a name, expected a file, - for standard input, or the name of data")
		case "-":
			stdin++
		}
	}
	if stdin > 1 {
		return Usagef("standard input (-) is asked for %d times, but can be read only once", stdin)
	}
	return nil
}
