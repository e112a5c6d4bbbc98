package catalogue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fairtrain/fairtrain/dataset/people"
)

// filesOf returns the paths of the files that a name stands for: the file that Resolve finds; those
// of a folder; those that a pattern such as "rows/2025-*.csv" matches, sorted; or those that the
// names of a list such as "a.csv,b.csv" stand for. It is nil for standard input, for names that
// isMade knows, and where there is none.
func filesOf(name string) []string {
	if name == "-" || isMade(name) {
		return nil
	}
	if people.Is(name) {
		return []string{name}
	}
	info, err := os.Stat(name)
	exists := err == nil
	if path, err := Resolve(name); err == nil && (path != name || exists && !info.IsDir()) {
		return []string{path}
	}
	if exists && info.IsDir() {
		return filesIn(name)
	}
	if paths := matches(name); paths != nil {
		return paths
	}
	var paths []string
	for _, part := range listed(name) {
		files := filesOf(part)
		if files == nil {
			return nil
		}
		paths = append(paths, files...)
	}
	return paths
}

// listed returns the names of a list, nil for a name that is none.
func listed(name string) []string {
	if names := strings.Split(name, ","); len(names) > 1 {
		return names
	}
	return nil
}

// matches returns the files that a pattern matches, but for hidden ones, as a shell does; nil if
// there are none.
func matches(pattern string) []string {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil // it is no pattern
	}
	isHidden := func(path string) bool { return strings.HasPrefix(filepath.Base(path), ".") }
	if !isHidden(pattern) {
		paths = slices.DeleteFunc(paths, isHidden)
	}
	if len(paths) == 0 {
		return nil
	}
	return paths
}

// filesIn returns the files of a folder that are not hidden. Programs that write data as many files
// call others _SUCCESS.
func filesIn(folder string) (paths []string) {
	entries, err := os.ReadDir(folder) // sorted
	if err != nil {
		return nil // opening it will tell
	}
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		info, err := os.Stat(path)
		// a link to nothing: opening it will tell
		isFile := err == nil && info.Mode().IsRegular() || errors.Is(err, fs.ErrNotExist)
		if isFile && !isNoData(e.Name()) {
			paths = append(paths, path)
		}
	}
	return paths
}

// isNoData reports whether what a folder has is no part of the data.
func isNoData(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") }

// checkFlat refuses names of folders in which there are folders, whose files would be left out. The
// paths are those of the files, none if there are none.
func checkFlat(name string, paths []string) error {
	for _, part := range append(listed(name), name) {
		entries, err := os.ReadDir(part)
		if err != nil || paths != nil && !slices.ContainsFunc(paths,
			func(path string) bool { return filepath.Dir(path) == filepath.Clean(part) }) {
			continue // it is no folder, or means another file
		}
		for _, e := range entries {
			path := filepath.Join(part, e.Name())
			if info, err := os.Stat(path); err == nil && info.IsDir() && !isNoData(e.Name()) {
				return fmt.Errorf("%s: is a folder in the folder %s, whose files would be left out (a pattern such as %q takes the files of folders)", path, part, filepath.Join(part, "*", "*"))
			}
		}
	}
	return nil
}

// onlyFile returns the path of the only file that a name stands for, or what Resolve returns. The
// error names what is missing of a list.
func onlyFile(name string) (string, error) {
	paths := filesOf(name)
	if len(paths) == 1 {
		return paths[0], nil
	}
	if names := listed(name); paths == nil && names != nil {
		if err := checkList(names); err != nil && slices.ContainsFunc(names,
			func(part string) bool { return filesOf(part) != nil }) {
			return "", err
		}
	}
	if err := checkFlat(name, nil); err != nil {
		return "", err
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return "", fmt.Errorf("%s: is a directory without files, expected a file", name)
	}
	return Resolve(name)
}

// checkFiles refuses files that a name stands for if it leaves others out, or if several paths lead
// to one, whose rows would count twice.
func checkFiles(name string, paths []string) error {
	if err := checkFlat(name, paths); err != nil || len(paths) < 2 {
		return err
	}
	type key struct { // of which few files have the same
		size    int64
		changed time.Time
	}
	type file struct {
		path string
		info fs.FileInfo
	}
	seen := map[key][]file{}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			continue // opening it will tell
		}
		k := key{info.Size(), info.ModTime()}
		for _, other := range seen[k] {
			if os.SameFile(info, other.info) {
				return fmt.Errorf("%s: is the same file as %s, whose rows would count twice", path, other.path)
			}
		}
		seen[k] = append(seen[k], file{path, info})
	}
	return nil
}

// List returns the name that stands for the files of several names.
func List(names []string) (string, error) {
	if len(names) == 1 {
		return names[0], nil
	}
	return strings.Join(names, ","), checkList(names)
}

// checkList returns an error about the first name that stands for no files of a list.
func checkList(names []string) error {
	for _, name := range names {
		switch {
		case name == "":
			return errors.New("a list of files has an empty name")
		case name == "-" || isMade(name):
			return fmt.Errorf("%s: stands for no file, which a list is made of", name)
		case strings.Contains(name, ","):
			return fmt.Errorf("%s: has a comma, which separates names in a list of files", name)
		case filesOf(name) != nil:
			continue
		}
		path, err := Resolve(name)
		if err == nil {
			_, err = os.Stat(path)
		}
		if err == nil {
			err = fmt.Errorf("%s: is a directory without files, expected a file", name)
		}
		return err
	}
	return nil
}
