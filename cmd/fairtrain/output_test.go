package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// TestWriteTogether has a file that can't be written among others.
func TestWriteTogether(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(path("old"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	files := []content{{path("old"), []byte("new")}, {path("new"), []byte("new")}, {path("no/such"), []byte("new")}}
	if err := writeTogether(files...); err == nil {
		t.Fatal("written into a folder that does not exist")
	}
	if text, err := os.ReadFile(path("old")); err != nil || string(text) != "old" {
		t.Errorf("the old file is %q (%v)", text, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v (%v)", entries, err)
	}
	if err := writeTogether(files[:2]...); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path("old")); err != nil || string(text) != "new" {
		t.Errorf("the old file is now %q (%v)", text, err)
	}
}

// TestNoReportNoModel: where there can be no report an old model is not replaced.
func TestNoReportNoModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.json")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	p := &program{stdout: &stdout, stderr: &stderr}
	app := &cli.App{
		Flags: append(talkFlags(), &cli.StringFlag{Name: "model"}),
		Action: func(c *cli.Context) error {
			return p.conclude(c, &train.Report{Status: solver.Converged, Objective: math.Inf(1)}, &classifier.Classifier{}, settings{}, nil, nil)
		},
	}
	err := app.Run([]string{"fairtrain", "--json", "--model", path})
	if err == nil || !strings.Contains(err.Error(), "a number of the result is not finite") || stdout.Len() > 0 {
		t.Errorf("error %v, stdout %q", err, &stdout)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "old" {
		t.Errorf("the old model is %q (%v)", text, err)
	}
}
