package train

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// TestNoReportNoModel: where there can be no report an old model is not replaced.
func TestNoReportNoModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.json")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	p := program{Program: command.NewProgram("fairtrain", nil, &stdout, &stderr)}
	p.JSON = true
	err := p.conclude(&train.Report{Status: solver.Converged, Objective: math.Inf(1)},
		&classifier.Classifier{}, nil, trainOptions{model: path}, settings{}, nil)
	if err == nil || !strings.Contains(err.Error(), "a number of the result is not finite") || stdout.Len() > 0 {
		t.Errorf("error %v, stdout %q", err, &stdout)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "old" {
		t.Errorf("the old model is %q (%v)", text, err)
	}
}
