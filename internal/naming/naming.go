// Package naming has names for people: of methods those in their papers, of data those without folders.
package naming

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// methods are the names of package solver, and labels of built-in presets.
var methods = map[string]string{
	"adaptive":   "Adaptive",
	"finite-sum": "Finite-sum",
	"fsfo":       "FSFO",
	"sgd":        "SGD",
	"slqpm":      "SLQPM",
	"sqp":        "SQP",
	"ssqp":       "SSQP",
	"stoc-ialm":  "Stoc-iALM",

	// labels of presets
	"adaptive-not-tuned": "Adaptive, not tuned",
	"fsfo-gauss-newton":  "FSFO, Gauss–Newton",
}

// Method returns the name of a method in figures and tables. A label that is no name of
// package solver is a user's own and stays as it is.
func Method(label string) string {
	if name, ok := methods[label]; ok {
		return name
	}
	return label
}

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
