// Package resultstest compares folders of results in tests.
package resultstest

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Differences compares two folders of results, except for meta.json, figures and timings, and
// describes every file that differs. Two runs of one experiment have no differences,
// whatever the number of workers and however often they were interrupted.
func Differences(t testing.TB, a, b string) []string {
	t.Helper()
	left, right := timeless(t, a), timeless(t, b)
	var differences []string
	for name, text := range left {
		if other, ok := right[name]; !ok {
			differences = append(differences, fmt.Sprintf("%s is in %s only", name, a))
		} else if other != text {
			differences = append(differences, name+" differs")
		}
	}
	for name := range maps.Keys(right) {
		if _, ok := left[name]; !ok {
			differences = append(differences, fmt.Sprintf("%s is in %s only", name, b))
		}
	}
	slices.Sort(differences)
	return differences
}

// Values that depend on time: the last column of CSV files; in JSON the key "seconds".
var times = map[string]*regexp.Regexp{
	".csv":  regexp.MustCompile(`(?m),[^,\n]*$`),
	".json": regexp.MustCompile(`(?m)^ *"seconds":.*$`),
}

func timeless(t testing.TB, dir string) map[string]string {
	t.Helper()
	content := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == "meta.json" || strings.HasPrefix(name, "figure/") {
			return err
		}
		text, err := fs.ReadFile(os.DirFS(dir), name)
		content[name] = string(text)
		if pattern := times[path.Ext(name)]; pattern != nil {
			content[name] = pattern.ReplaceAllString(content[name], "")
		}
		return err
	})
	if err != nil || content["spec.json"] == "" {
		t.Fatalf("%s is no folder of results: %v", dir, err)
	}
	return content
}
