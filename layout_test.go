package fairtrain_test

import (
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/fairtrain/fairtrain"

// allowed is the architecture: for every package, the packages of this module that it
// may import. Arrows point down: problems know no solvers, solvers no models.
var allowed = map[string][]string{
	"internal/atomicfile":    {},
	"internal/childtest":     {},
	"internal/datatest":      {},
	"internal/folderlock":    {},
	"internal/inert":         {},
	"internal/memory":        {},
	"internal/tomlguard":     {},
	"internal/linalg":        {},
	"internal/naming":        {},
	"internal/rng":           {},
	"internal/seal":          {},
	"internal/seal/sealtest": {},
	"internal/vmath":         {},

	"problem":             {},
	"problem/problemtest": {"problem", "internal/rng"},
	"dataset":             {"internal/atomicfile", "internal/memory", "internal/rng", "internal/tomlguard"},
	"fairness":            {},
	"guarantee":           {},
	"ledger":              {"internal/atomicfile", "internal/rng"},
	"model":               {"problem", "dataset", "internal/vmath"},
	"kkt":                 {"problem", "internal/linalg"},
	"solver":              {"problem", "internal/linalg", "internal/rng"},
	"classifier":          {"dataset", "internal/atomicfile", "internal/rng"},
	"train":               {"problem", "dataset", "model", "solver", "kkt", "fairness", "guarantee", "classifier", "internal/memory", "internal/rng", "internal/vmath"},
	"report":              {"dataset", "model", "solver", "fairness", "classifier", "train", "internal/inert"},
	"experiment":          {"problem", "dataset", "model", "solver", "kkt", "results", "internal/folderlock", "internal/memory", "internal/rng", "internal/tomlguard"},
	"results":             {"internal/atomicfile", "internal/inert", "internal/naming", "internal/seal"},
	"results/resultstest": {},
	"cutest":              {"problem", "cutest/compile", "cutest/sif"},
	"cutest/compile":      {"cutest/sif"},
	"cutest/sif":          {},
	"cutest/collection":   {"problem"},
	"cutest/benchmark":    {"problem", "cutest", "solver", "kkt", "experiment", "results", "internal/linalg", "internal/naming"},
	"plots":               {"results", "internal/atomicfile", "internal/naming"},

	"cmd/fairtrain/internal/command":    {"dataset", "results", "internal/atomicfile", "internal/inert", "internal/memory", "internal/tomlguard"},
	"cmd/fairtrain/internal/input":      {"dataset", "model", "fairness", "classifier", "cmd/fairtrain/internal/command"},
	"cmd/fairtrain/internal/certifying": {"dataset", "model", "solver", "guarantee", "ledger", "classifier", "train", "cmd/fairtrain/internal/command", "cmd/fairtrain/internal/input"},
	"cmd/fairtrain/internal/judging":    {"dataset", "model", "fairness", "classifier", "train", "report", "results", "cmd/fairtrain/internal/certifying", "cmd/fairtrain/internal/command", "cmd/fairtrain/internal/input"},
	"cmd/fairtrain/internal/training":   {"dataset", "model", "solver", "fairness", "classifier", "train", "results", "plots", "internal/memory", "cmd/fairtrain/internal/certifying", "cmd/fairtrain/internal/command", "cmd/fairtrain/internal/input", "cmd/fairtrain/internal/judging"},
	"cmd/fairtrain/internal/research":   {"problem", "dataset", "fairness", "cutest", "cutest/benchmark", "cutest/collection", "experiment", "results", "plots", "internal/naming", "cmd/fairtrain/internal/command"},
	"cmd/fairtrain/internal/data":       {"dataset", "cmd/fairtrain/internal/command", "cmd/fairtrain/internal/input"},
	"cmd/fairtrain":                     {"solver", "results", "cmd/fairtrain/internal/certifying", "cmd/fairtrain/internal/command", "cmd/fairtrain/internal/data", "cmd/fairtrain/internal/judging", "cmd/fairtrain/internal/research", "cmd/fairtrain/internal/training"},
}

// TestImports fails where a package imports what the architecture forbids, and where a
// new package has no place in it yet.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		name := strings.TrimPrefix(strings.TrimPrefix(fields[0], module), "/")
		if name == "" || strings.HasPrefix(name, "examples/") {
			continue // the root has no code; examples may use everything
		}
		permitted, ok := allowed[name]
		if !ok {
			t.Errorf("package %s has no entry in the architecture (layout_test.go)", name)
			continue
		}
		for _, imported := range fields[1:] {
			if !strings.HasPrefix(imported, module+"/") {
				continue
			}
			if short := strings.TrimPrefix(imported, module+"/"); !slices.Contains(permitted, short) {
				t.Errorf("package %s imports %s; it may import %v", name, path.Base(imported), permitted)
			}
		}
	}
}
