package experiment

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fairtrain/fairtrain/solver"
)

func loadPreset(t *testing.T, name string) *Preset {
	t.Helper()
	p, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestBenchmarkPresets checks what the paper states of its experiment.
func TestBenchmarkPresets(t *testing.T) {
	rough, fine := loadPreset(t, "paper-cutest-1e-2"), loadPreset(t, "paper-cutest-1e-4")
	if diff := cmp.Diff(rough, fine, cmpopts.IgnoreFields(Preset{}, "Name", "About"),
		cmpopts.IgnoreFields(BenchmarkSpec{}, "Noise")); diff != "" {
		t.Errorf("the presets differ in more than their noise:\n%s", diff)
	}
	b := rough.Benchmark
	if b.Noise != 1e-2 || fine.Benchmark.Noise != 1e-4 || rough.Run.Budget != 3000 ||
		b.Limit != 1000 || b.Feasible != 1e-4 {
		t.Errorf("%+v, noise %v, budget %d", b, fine.Benchmark.Noise, rough.Run.Budget)
	}
	if diff := cmp.Diff([]int{1, 2, 5, 10, 20}, b.Batches); diff != "" {
		t.Errorf("batches (-want +got):\n%s", diff)
	}
	var names []string
	for _, m := range rough.Methods {
		names = append(names, m.Method)
		candidates := rough.Candidates(&m, 0)
		if len(candidates) != 75 {
			t.Errorf("%s has %d candidates, want 75", m.Method, len(candidates))
		}
		distinct := make(map[string]bool)
		for _, c := range candidates {
			distinct[fmt.Sprint(c.Batch, c.Options)] = true
		}
		if len(distinct) != 75 {
			t.Errorf("%s has %d different candidates, want 75", m.Method, len(distinct))
		}
		for _, few := range []int{1, 10, 16, 74, 75} {
			distinct, batches := make(map[string]bool), make(map[int]bool)
			for _, c := range rough.Candidates(&m, few) {
				distinct[fmt.Sprint(c.Batch, c.Options)], batches[c.Batch] = true, true
			}
			if len(distinct) != few || len(batches) != min(few, len(b.Batches)) {
				t.Errorf("%d of %d candidates are %d with %d batch sizes", few, len(candidates),
					len(distinct), len(batches))
			}
		}
	}
	if diff := cmp.Diff([]string{"fsfo", "ssqp", "slqpm", "stoc-ialm"}, names); diff != "" {
		t.Errorf("methods (-want +got):\n%s", diff)
	}
}

// TestOneCandidate has a method without axes and without a batch to multiply: its default options.
func TestOneCandidate(t *testing.T) {
	p := loadPreset(t, "gauss-newton-cutest-1e-2")
	candidates := p.Candidates(&p.Methods[len(p.Methods)-1], 0)
	if len(candidates) != 1 {
		t.Fatalf("%d candidates, want 1", len(candidates))
	}
	m, err := candidates[0].Build()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(solver.DefaultAdaptive(), m, cmpopts.IgnoreUnexported(solver.Adaptive{})); diff != "" {
		t.Errorf("the candidate differs from the default (-default +candidate):\n%s", diff)
	}
}

func TestBenchmarkRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Preset)
		want   string
	}{
		"noise":    {func(p *Preset) { p.Benchmark.Noise = -1 }, "noise is -1"},
		"budget":   {func(p *Preset) { p.Run.Budget = 0 }, "budget is 0"},
		"batches":  {func(p *Preset) { p.Benchmark.Batches = []int{5, 0} }, "batches are [5 0]"},
		"feasible": {func(p *Preset) { p.Benchmark.Feasible = -1 }, "feasible is -1"},
		"limit":    {func(p *Preset) { p.Benchmark.Limit = 0 }, "limit is 0"},
		"seeds":    {func(p *Preset) { p.Run.Seeds = 2 }, "run.seeds is 2"},
		"methods":  {func(p *Preset) { p.Methods = nil }, "there is no [[method]]"},
		"twice":    {func(p *Preset) { p.Methods[1] = p.Methods[0] }, `labelled "fsfo"`},
		"unknown":  {func(p *Preset) { p.Methods[0].Method = "adam" }, `no method "adam"`},
		"option":   {func(p *Preset) { p.Methods[0].Options = map[string]any{"tua": 2} }, `no option "tua"`},
		"range":    {func(p *Preset) { p.Methods[0].Axes[1][2]["w"] = 1.5 }, "w is 1.5"},
	} {
		p := loadPreset(t, "paper-cutest-1e-2")
		test.change(p)
		if err := p.validate(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		}
	}
}
