package benchmark

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
)

// Cell is the result of a method on a problem.
type Cell struct {
	// Key identifies everything that the result depends on.
	Key     string  `json:"key"`
	Problem string  `json:"problem"`
	Method  string  `json:"method"`
	Best    Point   `json:"best"`
	Chosen  int     `json:"chosen"` // the candidate that found Best
	Trials  []Trial `json:"trials"` // one per candidate
	Seconds float64 `json:"seconds"`
}

// Trial is the result of a candidate on a problem.
type Trial struct {
	Batch      int            `json:"batch"`
	Options    map[string]any `json:"options"`
	Status     string         `json:"status"`
	Iterations int            `json:"iterations"`
	Samples    int64          `json:"samples"`
	Best       Point          `json:"best"`
	// Last is the last iterate; nil in results of earlier versions.
	Last    *Point  `json:"last,omitempty"`
	Seconds float64 `json:"seconds"`
}

// finish fills Best, Chosen and Seconds from the trials, the first of equals winning.
func (c *Cell) finish(threshold float64) error {
	for _, t := range c.Trials {
		c.Seconds += t.Seconds
	}
	return c.chooseBy(Stated, threshold)
}

// store is the folder of an experiment's results. Files appear complete or not at all.
type store struct{ dir string }

const (
	cellsDir     = "cells"
	manifestFile = "experiment.json"
)

func (s store) cellPath(problem, method string) string {
	return filepath.Join(s.dir, cellsDir, url.PathEscape(problem)+"."+method+".json")
}

// cell reads a result, nil if there is none with the given settings.
func (s store) cell(name cellName) (*Cell, error) {
	c := new(Cell)
	err := readJSON(s.cellPath(name.Problem, name.Method), c)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && c.Key != name.Key:
		return nil, nil
	case err != nil:
		return nil, err
	}
	return c, nil
}

func (s store) writeCell(c *Cell) error { return writeJSON(s.cellPath(c.Problem, c.Method), c) }

func readJSON(path string, dst any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, dst); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func writeJSON(path string, value any) error {
	text, err := json.MarshalIndent(value, "", "\t")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return atomicfile.WriteFile(path, append(text, '\n'))
}

// fingerprint is a hash of a value's JSON.
func fingerprint(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // the value can't be JSON
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}
