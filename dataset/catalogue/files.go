package catalogue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset/people"
)

// filesOf returns the paths of the files that a name stands for: the file that Resolve finds; those
// of a folder; those that a pattern such as "rows/2025-*.csv" matches, sorted; or those that the
// names of a list such as "a.csv,b.csv" stand for. Standard input and a built-in table stand for
// themselves.
func filesOf(name string) ([]string, error) {
	path, notFound := Resolve(name)
	if info, err := os.Stat(path); notFound == nil && (err == nil && !info.IsDir() || name == "-" || people.Is(name)) {
		return []string{path}, nil
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return filesIn(name)
	}
	if paths := matches(name); len(paths) > 0 {
		return paths, nil
	}
	if names := strings.Split(name, ","); len(names) > 1 {
		return listed(names)
	}
	if notFound != nil {
		return nil, notFound
	}
	_, err := os.Stat(path)
	return nil, err
}

// matches returns the files that a pattern matches, but for hidden ones, as a shell does.
func matches(pattern string) []string {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil // it is no pattern
	}
	isHidden := func(path string) bool { return strings.HasPrefix(filepath.Base(path), ".") }
	if !isHidden(pattern) {
		paths = slices.DeleteFunc(paths, isHidden)
	}
	return paths
}

// filesIn returns the files of a folder that are not hidden. Programs that write data as many files
// call others _SUCCESS. It refuses folders in the folder, whose files would be left out.
func filesIn(folder string) (paths []string, err error) {
	entries, err := os.ReadDir(folder) // sorted
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "_") {
			continue
		}
		path := filepath.Join(folder, e.Name())
		info, err := os.Stat(path)
		switch {
		case err == nil && info.IsDir():
			return nil, fmt.Errorf("%s: is a folder in the folder %s, whose files would be left out (a pattern such as %q takes the files of folders)", path, folder, filepath.Join(folder, "*", "*"))
		case err == nil && info.Mode().IsRegular() || errors.Is(err, fs.ErrNotExist):
			paths = append(paths, path) // of a link to nothing, opening it will tell
		}
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s: is a directory without files, expected a file", folder)
	}
	return paths, nil
}

// listed returns the files of the names of a list, each of which must be another one, or its rows
// would count twice.
func listed(names []string) (paths []string, err error) {
	for _, name := range names {
		switch {
		case name == "":
			return nil, errors.New("a list of files has an empty name")
		case name == "-" || isMade(name):
			return nil, fmt.Errorf("%s: stands for no file, which a list is made of", name)
		}
		files, err := filesOf(name)
		if err != nil {
			return nil, err
		}
		paths = append(paths, files...)
	}
	first := map[string]string{}
	for _, path := range paths {
		file := path
		if real, err := filepath.EvalSymlinks(path); err == nil {
			file = real
		}
		if absolute, err := filepath.Abs(file); err == nil {
			file = absolute
		}
		if other, twice := first[file]; twice {
			return nil, fmt.Errorf("%s: is the same file as %s, whose rows would count twice", path, other)
		}
		first[file] = path
	}
	return paths, nil
}

// List returns the name that stands for the files of several names.
func List(names []string) (string, error) {
	if len(names) == 1 {
		return names[0], nil
	}
	for _, name := range names {
		if strings.Contains(name, ",") {
			return "", fmt.Errorf("%s: has a comma, which separates names in a list of files", name)
		}
	}
	_, err := listed(names)
	return strings.Join(names, ","), err
}

// Sources returns the paths of all files that data of the given name may be read from, in any
// format, and for "loan" and "loan.t" the file of LendingClub; none for built-in data. "-" is
// standard input.
func Sources(name string) []string {
	if people.Is(name) {
		return nil
	}
	paths, err := filesOf(name)
	if isMade(name) {
		if path, err := findLoan(); err == nil && strings.HasPrefix(name, loanTrain) {
			paths = append(paths, path)
		}
	} else if path, notFound := Resolve(name); err != nil && notFound == nil {
		return []string{path} // opening it will tell what is wrong
	}
	return paths
}
