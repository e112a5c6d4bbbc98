package command

import (
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
// wants: never an input or another output, and an existing file only if it is one
// of the program's own, or with --force.
type Files struct {
	stdin   io.Reader
	force   bool
	inputs  []file
	outputs []file
}

type file struct {
	flag   string // without dashes; "" of an argument
	name   string // as it was given; "-" is a standard stream
	folder string // value of the flag if it names the folder of an output
	path   string // without links; "" for no file
	info   fs.FileInfo
	own    func(path string) bool // see Writes
}

// NewFiles returns the files of a command, of which a schema may be the first.
func NewFiles(c *cli.Context) *Files {
	f := &Files{stdin: c.App.Reader, force: c.Bool("force")}
	if name := c.String("schema"); c.IsSet("schema") && !slices.Contains(tabular.SchemaNames(), name) {
		f.Reads("schema", name)
	}
	return f
}

// Reads declares inputs by their paths; "-" is standard input, which may come from a file.
func (f *Files) Reads(flag string, paths ...string) {
	for _, path := range paths {
		in := identified(file{flag: flag, name: path})
		if stdin, ok := f.stdin.(*os.File); ok && path == "-" {
			if info, err := stdin.Stat(); err == nil {
				in.path, in.info = stdin.Name(), info
			}
		}
		f.inputs = append(f.inputs, in)
	}
}

// ReadsData declares inputs by the names of data or their paths.
func (f *Files) ReadsData(flag string, names ...string) {
	for _, name := range names {
		sources := catalogue.Sources(name)
		if len(sources) == 0 { // it is built in, or missing, which reading it will show
			f.inputs = append(f.inputs, file{flag: flag, name: name})
			continue
		}
		from := len(f.inputs)
		f.Reads(flag, sources...)
		for k := range f.inputs[from:] {
			f.inputs[from+k].name = name
		}
	}
}

// Own is the rule of outputs whose names only the program gives to files.
func Own(string) bool { return true }

// Writes declares an output; "-" is standard output. A file that is there is replaced if it is
// one of the program's own of this kind, or with --force; nil: only with --force.
func (f *Files) Writes(flag, path string, own func(path string) bool) {
	f.outputs = append(f.outputs, identified(file{flag: flag, name: path, own: own}))
}

// WritesInto declares an output in a folder, which need not exist; the name "." is all of
// the folder.
func (f *Files) WritesInto(flag, dir, name string, own func(path string) bool) {
	f.outputs = append(f.outputs, identified(file{flag: flag, name: filepath.Join(dir, name), folder: dir, own: own}))
}

// Check returns an error if an output would destroy an input, another output or a file
// that may not be replaced, if it can't be written, and if standard input or standard
// output are named twice.
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
		if err := out.check(f.force); err != nil {
			return err
		}
	}
	return nil
}

// checkApart returns an error if an output is also an input or another output.
func (f *Files) checkApart(out file, others []file) error {
	for _, in := range f.inputs {
		if out.holds(in) {
			var hints []string
			if in.flag != "" {
				hints = append(hints, fmt.Sprintf("--%s %s is read from it", in.flag, in.name))
			}
			return Usage(fmt.Errorf("--%s %s is also an input", out.flag, out.name), hints...)
		}
	}
	for _, other := range others {
		if out.name == "-" && other.name == "-" || out.holds(other) {
			return Usagef("--%s %s and --%s %s are the same file", other.flag, other.name, out.flag, out.name)
		}
	}
	return nil
}

// check returns an error if an output can't be written or must not be.
func (out file) check(force bool) error {
	switch out.name {
	case "-":
		return nil
	case "":
		return Usagef("--%s is empty, must be a file or -", out.flag)
	}
	isFolder := out.info != nil && out.info.IsDir() || os.IsPathSeparator(out.name[len(out.name)-1])
	isFile := out.info != nil && out.info.Mode().IsRegular()
	switch {
	case isFolder && out.name != filepath.Clean(out.folder):
		return fmt.Errorf("%s: is a directory, expected a file to write", out.name)
	case isFile && !force && (out.own == nil || !out.own(out.name)):
		return Advise(fmt.Errorf("%s exists", out.name),
			fmt.Sprintf("choose another with --%s, or replace it with --force", out.flag))
	case out.folder != "":
		return atomicfile.Try(filepath.Join(existing(out.folder), filepath.Base(out.name)))
	case out.info != nil && !isFile:
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

// identified is f with what identifies the file of its name, whether it exists or not.
func identified(f file) file {
	if f.name != "" && f.name != "-" {
		f.path = atomicfile.Target(f.name)
		f.info, _ = os.Stat(f.name)
	}
	return f
}

// holds reports whether two files are the same, or the second one is in a folder that the
// first one is. Terminals and pipes can be read and written at once.
func (out file) holds(other file) bool {
	if out.path == "" || other.path == "" {
		return false
	}
	if out.info != nil && !out.info.IsDir() && !out.info.Mode().IsRegular() {
		return false
	}
	if out.info != nil && other.info != nil && os.SameFile(out.info, other.info) {
		return true
	}
	below, err := filepath.Rel(out.path, other.path)
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
		return Usagef("standard input (-) is named %d times, but can be read only once", stdin)
	}
	return nil
}
