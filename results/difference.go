package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

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

// moreSeeds reports whether two experiments in canonical JSON differ in run.seeds alone, and
// the wanted one has more: all runs of the stored one are among its runs.
func moreSeeds(stored, wanted []byte) bool {
	var x, y map[string]any
	if json.Unmarshal(stored, &x) != nil || json.Unmarshal(wanted, &y) != nil {
		return false
	}
	seeds := func(experiment map[string]any) (run map[string]any, n float64) {
		run, _ = experiment["run"].(map[string]any)
		n, _ = run["seeds"].(float64)
		return run, n
	}
	there, few := seeds(x)
	_, more := seeds(y)
	if few < 1 || few >= more {
		return false
	}
	there["seeds"] = more
	return valueDifference("", x, y) == ""
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
