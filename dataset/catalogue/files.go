package catalogue

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset/parquet"
)

// filesOf returns the paths of the files that a name stands for: the file that Resolve finds; those of
// a folder; those that a pattern such as "rows/2025-*.csv" matches, sorted; or those that the names of
// a list such as "a.csv,b.csv" stand for. It is nil for standard input, for names that isMade knows,
// and where there is none.
func filesOf(name string) []string {
	if name == "-" || isMade(name) {
		return nil
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return filesIn(name)
	} else if err == nil {
		return []string{name}
	}
	if path, err := Resolve(name); err == nil && path != name {
		return []string{path}
	}
	if paths, err := filepath.Glob(name); err == nil && paths != nil {
		return paths
	}
	return filesOfList(strings.Split(name, ","))
}

func filesOfList(names []string) (paths []string) {
	if len(names) == 1 {
		return nil
	}
	for _, name := range names {
		files := filesOf(name)
		if files == nil {
			return nil
		}
		paths = append(paths, files...)
	}
	return paths
}

// onlyFile returns the path of the only file that a name stands for, or what Resolve returns.
func onlyFile(name string) (string, error) {
	if paths := filesOf(name); len(paths) == 1 {
		return paths[0], nil
	}
	return Resolve(name)
}

// List returns the name that stands for the files of several names.
func List(names []string) (string, error) {
	if len(names) == 1 {
		return names[0], nil
	}
	for _, name := range names {
		switch {
		case strings.Contains(name, ","):
			return "", fmt.Errorf("%s: has a comma, which separates names in a list of files", name)
		case filesOf(name) == nil:
			path, err := Resolve(name)
			if err == nil {
				_, err = os.Stat(path)
			}
			if err == nil || name == "-" {
				err = fmt.Errorf("%s: stands for no files, which a list is made of", name)
			}
			return "", err
		}
	}
	return strings.Join(names, ","), nil
}

// filesIn returns the files of a folder that have data: *.parquet, or if there are none all that are
// not hidden. Programs that write data as many files call others _SUCCESS.
func filesIn(folder string) (paths []string) {
	entries, err := os.ReadDir(folder) // sorted
	if err != nil {
		return nil // opening it will tell
	}
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(folder, e.Name()))
		if err == nil && !info.IsDir() && !strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(e.Name(), "_") {
			paths = append(paths, filepath.Join(folder, e.Name()))
		}
	}
	isOther := func(path string) bool { return filepath.Ext(path) != ".parquet" }
	if parquets := slices.DeleteFunc(slices.Clone(paths), isOther); len(parquets) > 0 {
		return parquets
	}
	return paths
}

// IsParquet reports whether a name stands for Parquet files.
func IsParquet(name string) bool {
	paths := filesOf(name)
	return len(paths) > 0 && begins(paths[0], parquet.Magic)
}
