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
	"internal/atomicfile": {},
	"internal/cells":      {},
	"internal/childtest":  {},
	"internal/datatest":   {},
	"internal/folderlock": {},
	"internal/inert":      {},
	"internal/memory":     {},
	"internal/once":       {},
	"internal/mutation":   {},
	"internal/tomlfile":   {},
	"internal/linalg":     {},
	"internal/naming":     {},
	"internal/parallel":   {},
	"internal/rng":        {},
	"internal/seal":       {},
	"internal/swar":       {},
	"internal/vmath":      {},
	"internal/wide":       {"internal/swar"},

	"internal/cells/cellstest": {"internal/cells"},

	"problem":                   {"internal/linalg"},
	"problem/problemtest":       {"problem", "internal/rng"},
	"dataset":                   {"dataset/quantity", "dataset/sparse", "dataset/textfile", "internal/memory", "internal/rng"},
	"dataset/catalogue":         {"dataset", "dataset/census", "dataset/encoding", "dataset/libsvm", "dataset/packed", "dataset/parquet", "dataset/table", "dataset/textfile", "internal/atomicfile"},
	"dataset/census":            {"dataset", "dataset/libsvm", "dataset/sparse", "internal/rng"},
	"dataset/delimited":         {"dataset/quantity", "dataset/textfile", "internal/swar", "internal/wide"},
	"dataset/encoding":          {"dataset", "dataset/quantity", "dataset/sparse", "dataset/table", "internal/parallel"},
	"dataset/libsvm":            {"dataset", "dataset/quantity", "dataset/sparse", "dataset/textfile", "internal/memory"},
	"dataset/packed":            {"dataset", "dataset/encoding", "dataset/sparse", "internal/atomicfile", "internal/memory"},
	"dataset/parquet":           {"dataset", "dataset/delimited", "dataset/quantity", "dataset/table", "dataset/textfile", "internal/memory", "internal/swar"},
	"dataset/quantity":          {"internal/swar", "internal/wide"},
	"dataset/sparse":            {"internal/memory", "internal/parallel"},
	"dataset/suspect":           {"dataset/quantity"},
	"dataset/table":             {"dataset", "dataset/delimited", "dataset/quantity", "dataset/suspect", "dataset/textfile", "internal/memory", "internal/parallel", "internal/rng", "internal/tomlfile"},
	"dataset/textfile":          {"internal/memory", "internal/swar", "internal/wide"},
	"fairness":                  {"internal/parallel"},
	"guarantee":                 {},
	"ledger":                    {"internal/atomicfile", "internal/folderlock", "internal/rng"},
	"model":                     {"problem", "dataset", "dataset/sparse", "internal/linalg", "internal/memory", "internal/vmath"},
	"kkt":                       {"problem", "internal/linalg"},
	"solver":                    {"problem", "internal/linalg", "internal/rng"},
	"solver/reference":          {"problem", "internal/linalg"},
	"classifier":                {"dataset", "dataset/encoding", "dataset/sparse", "dataset/table", "internal/atomicfile", "internal/naming", "internal/rng"},
	"train/decide":              {"dataset", "model", "internal/parallel", "internal/vmath"},
	"train/scoring/scoringtest": {"classifier", "dataset", "guarantee", "model", "train/scoring"},

	"train/scoring":       {"dataset", "model", "train/decide", "fairness", "guarantee", "classifier"},
	"train":               {"problem", "dataset", "dataset/encoding", "dataset/table", "train/decide", "train/scoring", "model", "solver", "kkt", "fairness", "guarantee", "classifier", "internal/memory", "internal/rng", "internal/vmath"},
	"train/frontier":      {"internal/cells", "dataset", "model", "solver", "fairness", "classifier", "train"},
	"report":              {"dataset", "guarantee", "model", "solver", "fairness", "classifier", "train", "train/scoring", "train/frontier", "report/digits", "internal/inert", "internal/tomlfile"},
	"report/digits":       {"fairness"},
	"experiment":          {"internal/cells", "internal/once", "problem", "dataset", "dataset/catalogue", "dataset/libsvm", "model", "solver", "solver/reference", "kkt", "results", "internal/folderlock", "internal/memory", "internal/rng", "internal/tomlfile"},
	"results":             {"internal/atomicfile", "internal/inert", "internal/naming", "internal/seal"},
	"results/resultstest": {},
	"cutest":              {"problem", "cutest/compile", "cutest/sif"},
	"cutest/compile":      {"cutest/sif"},
	"cutest/sif":          {},
	"cutest/collection":   {"problem"},
	"cutest/benchmark":    {"internal/cells", "problem", "cutest", "cutest/collection", "solver", "kkt", "experiment", "results", "internal/linalg", "internal/naming"},
	"plots":               {"results", "internal/atomicfile", "internal/inert", "internal/naming"},

	"cmd/fairtrain/internal/command":    {"internal/cells", "internal/atomicfile", "internal/inert", "internal/memory", "internal/tomlfile", "dataset/catalogue", "dataset/table", "results"},
	"cmd/fairtrain/internal/input":      {"internal/atomicfile", "internal/memory", "dataset", "dataset/catalogue", "dataset/delimited", "dataset/encoding", "dataset/libsvm", "dataset/packed", "dataset/table", "dataset/textfile", "model", "classifier", "cmd/fairtrain/internal/command"},
	"cmd/fairtrain/internal/certifying": {"internal/atomicfile", "internal/folderlock", "dataset", "fairness", "report/digits", "dataset/catalogue", "dataset/encoding", "dataset/table", "guarantee", "ledger", "model", "solver", "classifier", "train", "train/scoring", "results", "cmd/fairtrain/internal/command", "cmd/fairtrain/internal/input"},
	"cmd/fairtrain/internal/judging":    {"dataset", "dataset/catalogue", "dataset/table", "fairness", "model", "classifier", "train", "train/scoring", "report", "results", "cmd/fairtrain/internal/command", "cmd/fairtrain/internal/input", "cmd/fairtrain/internal/certifying"},
	"cmd/fairtrain/internal/training":   {"internal/cells", "internal/once", "internal/inert", "internal/memory", "internal/naming", "report/digits", "dataset", "dataset/catalogue", "dataset/libsvm", "dataset/table", "problem", "fairness", "model", "solver", "classifier", "train", "train/scoring", "train/frontier", "results", "plots", "cmd/fairtrain/internal/command", "cmd/fairtrain/internal/input", "cmd/fairtrain/internal/certifying", "cmd/fairtrain/internal/judging"},
	"cmd/fairtrain/internal/research":   {"internal/naming", "problem", "dataset/catalogue", "experiment", "results", "cutest", "cutest/benchmark", "plots", "cmd/fairtrain/internal/command"},
	"cmd/fairtrain/internal/data":       {"dataset", "dataset/catalogue", "dataset/census", "dataset/delimited", "dataset/encoding", "dataset/libsvm", "dataset/packed", "dataset/table", "dataset/textfile", "internal/inert", "internal/memory", "cmd/fairtrain/internal/command", "cmd/fairtrain/internal/input"},
	"cmd/fairtrain/elsewhere":           {"cmd/fairtrain/internal/command", "cmd/fairtrain/internal/research", "cmd/fairtrain/internal/training"},
	"cmd/fairtrain":                     {"solver", "results", "cmd/fairtrain/internal/command", "cmd/fairtrain/internal/certifying", "cmd/fairtrain/internal/judging", "cmd/fairtrain/internal/training", "cmd/fairtrain/internal/research", "cmd/fairtrain/internal/data"},
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
