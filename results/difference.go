package results

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Differences compares two folders of results, meta.json and timings aside, and describes
// every file that differs. Two runs of one comparison have no differences, whatever the
// number of workers and however often they were interrupted.
func Differences(a, b string) ([]string, error) {
	left, err := timeless(a)
	if err != nil {
		return nil, err
	}
	right, err := timeless(b)
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(left))
	for name := range right {
		if _, ok := left[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var differences []string
	for _, name := range names {
		x, inLeft := left[name]
		y, inRight := right[name]
		switch {
		case !inRight:
			differences = append(differences, fmt.Sprintf("%s is in %s only", name, a))
		case !inLeft:
			differences = append(differences, fmt.Sprintf("%s is in %s only", name, b))
		case !bytes.Equal(x, y):
			differences = append(differences, name+" differs")
		}
	}
	return differences, nil
}

// timeless returns the content of all files of a folder of results that has nothing to
// do with time.
func timeless(dir string) (map[string][]byte, error) {
	if _, err := newStore(dir, Comparison).readMeta(); err != nil {
		return nil, err
	}
	content := map[string][]byte{}
	for _, pattern := range []string{readmeFile, specFile, referenceFile, tableFile, runFolder + "/*.json", pointsFolder + "/*.csv"} {
		names, err := fs.Glob(os.DirFS(dir), pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			path := filepath.Join(dir, name)
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			switch filepath.Ext(name) {
			case ".csv":
				data, err = withoutSecondsColumn(data)
			case ".json":
				data, err = withoutTimes(data)
			}
			if err != nil {
				return nil, damaged(path, err)
			}
			content[name] = data
		}
	}
	return content, nil
}

// withoutSecondsColumn blanks the last column of a CSV file, which all our files have for
// the seconds.
func withoutSecondsColumn(data []byte) ([]byte, error) {
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return nil, csvError(err)
	}
	if len(rows) == 0 || rows[0][len(rows[0])-1] != "seconds" {
		return nil, &lineError{1, errors.New("the last column is not seconds")}
	}
	for _, row := range rows[1:] {
		row[len(row)-1] = ""
	}
	return csvFile(rows), nil
}

// withoutTimes removes the key "seconds" of a JSON object, and the seal that covers it.
func withoutTimes(data []byte) ([]byte, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		return nil, err
	}
	delete(object, "seconds")
	delete(object, "seal")
	return encode(object)
}

// specDifference names the first key, in the order of the alphabet, at which two
// experiments in canonical JSON differ.
func specDifference(stored, wanted []byte) string {
	var x, y any
	if json.Unmarshal(stored, &x) != nil {
		return specFile + " is damaged"
	}
	if err := json.Unmarshal(wanted, &y); err != nil {
		return err.Error()
	}
	return valueDifference("", x, y)
}

func valueDifference(path string, x, y any) string {
	switch x := x.(type) {
	case map[string]any:
		y, ok := y.(map[string]any)
		if !ok {
			break
		}
		keys := slices.Sorted(maps.Keys(x))
		for key := range y {
			if _, ok := x[key]; !ok {
				keys = append(keys, key)
			}
		}
		slices.Sort(keys)
		for _, key := range keys {
			if d := valueDifference(path+"."+key, x[key], y[key]); d != "" {
				return d
			}
		}
		return ""
	case []any:
		y, ok := y.([]any)
		if !ok || len(x) != len(y) {
			break
		}
		for i := range x {
			if d := valueDifference(fmt.Sprintf("%s[%d]", path, i), x[i], y[i]); d != "" {
				return d
			}
		}
		return ""
	}
	there, _ := json.Marshal(x)
	here, _ := json.Marshal(y)
	if bytes.Equal(there, here) {
		return ""
	}
	if path = strings.TrimPrefix(path, "."); len(there)+len(here) > 100 {
		return path + " differs"
	}
	return fmt.Sprintf("%s is %s there and %s now", path, there, here)
}
