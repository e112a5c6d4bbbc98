package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

//go:embed peers.py
var peersScript []byte

const packages = "scikit-learn pandas interpret-core lightgbm fairlearn"

// environment returns the Python that has the peers, which it installs in the folder.
func environment(ctx context.Context, out string) (string, error) {
	env := filepath.Join(out, "venv")
	python := filepath.Join(env, "bin", "python")
	if _, err := os.Stat(python); err == nil {
		return python, nil
	}
	log.Printf("installing %s", packages)
	if text, err := exec.CommandContext(ctx, "python3", "-m", "venv", env).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, text)
	}
	pip := append([]string{"-m", "pip", "install", "--quiet"}, strings.Fields(packages)...)
	if text, err := exec.CommandContext(ctx, python, pip...).CombinedOutput(); err != nil {
		os.RemoveAll(env) // so that the next run tries again
		return "", fmt.Errorf("%w: %s", err, text)
	}
	return python, nil
}

// others returns what the peers reach, from the folder if it has their figures.
func (s source) others(
	ctx context.Context, t *tabular.Table, seed uint64, python, folder string,
) ([]result, error) {
	stored := filepath.Join(folder, "peers.jsonl")
	text, err := os.ReadFile(stored)
	if err != nil {
		fitted, held, err := dataset.SplitRows(t.Rows, nil, share, seed)
		if err != nil {
			return nil, err
		}
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return nil, err
		}
		for name, rows := range map[string][]int{"train.csv": fitted, "test.csv": held} {
			if err := s.writeRows(t, rows, filepath.Join(folder, name)); err != nil {
				return nil, err
			}
		}
		run := exec.CommandContext(ctx, python, "-", folder)
		run.Stdin, run.Stderr = bytes.NewReader(peersScript), os.Stderr
		if text, err = run.Output(); err != nil {
			return nil, fmt.Errorf("peers: %w", err)
		}
		if err := os.WriteFile(stored, text, 0o666); err != nil {
			return nil, err
		}
	}
	var found []result
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		r := result{Table: s.name}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", stored, err)
		}
		if r.Disparity != nil {
			r.Excess = max(0, *r.Disparity-bounds[r.Constraint])
		}
		found = append(found, r)
	}
	return found, nil
}

// writeRows writes the columns that are features, the label y and the group g.
func (s source) writeRows(t *tabular.Table, rows []int, path string) error {
	e, err := encoding.Learn(t, nil)
	if err != nil {
		return err
	}
	d, err := e.Apply(t, rows)
	if err != nil {
		return err
	}
	by, err := d.Strata(s.group)
	if err != nil {
		return err
	}
	features := slices.DeleteFunc(slices.Clone(t.Schema.Columns),
		func(c tabular.ColumnSpec) bool { return c.As == tabular.Drop })
	head := []string{"y", "g"}
	for _, c := range features {
		kind := "c_"
		if t.Column(c.Name).Numbers != nil {
			kind = "n_"
		}
		head = append(head, kind+c.Name)
	}
	lines := [][]string{head}
	cell := func(c *tabular.Column, i int) string {
		switch {
		case c.Numbers == nil && c.Codes.At(i) > 0:
			return c.Levels[c.Codes.At(i)-1]
		case c.Numbers == nil || math.IsNaN(c.Numbers[i]):
			return ""
		}
		return strconv.FormatFloat(c.Numbers[i], 'g', -1, 64)
	}
	for k, i := range rows {
		line := []string{strconv.Itoa(int(d.Y[k]+1) / 2), strconv.Itoa(by.Group(k))}
		for _, c := range features {
			line = append(line, cell(t.Column(c.Name), i))
		}
		lines = append(lines, line)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return csv.NewWriter(f).WriteAll(lines)
}
