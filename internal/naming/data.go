package naming

import (
	"os"
	"path/filepath"
	"strings"
)

// Data returns the name of data without folders, such as rows.csv, or a.csv,b.csv of a list.
func Data(name string) string { return EachPath(name, filepath.Base) }

// EachPath applies a function to a path of data, or to each path of a list.
func EachPath(name string, do func(path string) string) string {
	if _, err := os.Stat(name); err == nil {
		return do(name) // commas are part of it
	}
	list := strings.Split(name, ",")
	for k, path := range list {
		list[k] = do(path)
	}
	return strings.Join(list, ",")
}
