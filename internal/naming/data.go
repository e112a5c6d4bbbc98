package naming

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Data returns the name of data without folders, such as rows.csv, or a.csv,b.csv of a list.
func Data(name string) string { return EachPath(name, filepath.Base) }

// Title returns the name of data for a title: that of a list, which may be long, in a few words.
func Title(name string) string {
	const most = 3 // files that are named
	list := paths(name)
	if len(list) > most {
		return fmt.Sprintf("%s and %d other files", filepath.Base(list[0]), len(list)-1)
	}
	for k, path := range list {
		list[k] = filepath.Base(path)
	}
	return strings.Join(list, ", ")
}

// EachPath applies a function to a path of data, or to each path of a list.
func EachPath(name string, do func(path string) string) string {
	list := paths(name)
	for k, path := range list {
		list[k] = do(path)
	}
	return strings.Join(list, ",")
}

// paths returns the paths of a list, or the one path.
func paths(name string) []string {
	if _, err := os.Stat(name); err == nil {
		return []string{name} // commas are part of it
	}
	return strings.Split(name, ",")
}
