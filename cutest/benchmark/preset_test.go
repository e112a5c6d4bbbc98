package benchmark

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fairtrain/fairtrain/solver"
)

// TestPresets checks what the paper states of its experiment.
func TestPresets(t *testing.T) {
	rough, fine := loadPreset(t, "paper-cutest-1e-2"), loadPreset(t, "paper-cutest-1e-4")
	if diff := cmp.Diff(rough, fine, cmpopts.IgnoreFields(Preset{}, "Name", "Noise")); diff != "" {
		t.Errorf("the presets differ in more than their noise:\n%s", diff)
	}
	if rough.Noise != 1e-2 || fine.Noise != 1e-4 || rough.Budget != 3000 || rough.Limit != 1000 || rough.Feasible != 1e-4 {
		t.Errorf("noise %v and %v, budget %d, limit %d, feasible %v", rough.Noise, fine.Noise, rough.Budget, rough.Limit, rough.Feasible)
	}
	if diff := cmp.Diff([]int{1, 2, 5, 10, 20}, rough.Batches); diff != "" {
		t.Errorf("batches (-want +got):\n%s", diff)
	}
	var names []string
	for _, m := range rough.Methods {
		names = append(names, m.Name)
		candidates := rough.Candidates(&m)
		if len(candidates) != 75 {
			t.Errorf("%s has %d candidates, want 75", m.Name, len(candidates))
		}
		distinct := make(map[string]bool)
		for _, c := range candidates {
			distinct[fmt.Sprint(c.Batch, c.Options)] = true
		}
		if len(distinct) != 75 {
			t.Errorf("%s has %d different candidates, want 75", m.Name, len(distinct))
		}
		for _, few := range []int{1, 10, 16, 74, 75} {
			distinct, batches := make(map[string]bool), make(map[int]bool)
			for _, c := range spread(candidates, len(rough.Batches), few) {
				distinct[fmt.Sprint(c.Batch, c.Options)], batches[c.Batch] = true, true
			}
			if len(distinct) != few || len(batches) != min(few, len(rough.Batches)) {
				t.Errorf("%d of %d candidates are %d with %d batch sizes", few, len(candidates), len(distinct), len(batches))
			}
		}
	}
	if diff := cmp.Diff([]string{"fsfo", "ssqp", "slqpm", "stoc-ialm"}, names); diff != "" {
		t.Errorf("methods (-want +got):\n%s", diff)
	}
}

func TestUnknownPreset(t *testing.T) {
	for _, name := range []string{"none", "sizes"} {
		if _, err := LoadPreset(name); err == nil || !strings.Contains(err.Error(), "paper-cutest-1e-2, paper-cutest-1e-4") {
			t.Errorf("preset %s: %v, want an error that names the presets", name, err)
		}
	}
}

func TestStrict(t *testing.T) {
	if err := decodeStrict("my", []byte("noize = 1"), &Preset{}); err == nil || !strings.Contains(err.Error(), "unknown key noize") {
		t.Errorf("a misspelt key gives %v", err)
	}
}

func TestValidate(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Preset)
		want   string
	}{
		"noise":    {func(p *Preset) { p.Noise = -1 }, "noise is -1"},
		"budget":   {func(p *Preset) { p.Budget = 0 }, "budget is 0"},
		"batches":  {func(p *Preset) { p.Batches = []int{5, 0} }, "batches are [5 0]"},
		"feasible": {func(p *Preset) { p.Feasible = -1 }, "feasible is -1"},
		"limit":    {func(p *Preset) { p.Limit = 0 }, "limit is 0"},
		"methods":  {func(p *Preset) { p.Methods = nil }, "no method"},
		"twice":    {func(p *Preset) { p.Methods[1] = p.Methods[0] }, "fsfo is listed twice"},
		"unknown":  {func(p *Preset) { p.Methods[0].Name = "adam" }, `no method "adam"`},
		"option":   {func(p *Preset) { p.Methods[0].Fixed = map[string]any{"tua": 2} }, `no option "tua"`},
		"range":    {func(p *Preset) { p.Methods[0].Axes[1][2]["w"] = 1.5 }, "w is 1.5"},
	} {
		p := loadPreset(t, "paper-cutest-1e-2")
		test.change(p)
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		}
	}
}

// TestUnits gives methods constants: their steps must scale with the problem.
func TestUnits(t *testing.T) {
	preset := loadPreset(t, "paper-cutest-1e-2")
	k := Constants{Curvature: 8, Slope: 3, Bend: 5}
	method := func(name string) solver.Method {
		m, err := preset.Method(name)
		if err != nil {
			t.Fatal(err)
		}
		created, err := preset.Candidates(m)[0].Method(k)
		if err != nil {
			t.Fatal(err)
		}
		return created
	}
	if m := method("fsfo").(*solver.FSFO); m.Eta != 0.1/17 || m.BatchJ != 1 {
		t.Errorf("FSFO has η = %v and batches of %d, want 0.1/(8 + 9) and 1", m.Eta, m.BatchJ)
	}
	if m := method("ssqp").(*solver.SSQP); m.L != 80 || m.Gamma != 50 || m.H != 1 {
		t.Errorf("SSQP has L = %v, Γ = %v, h = %v, want 80, 50, 1", m.L, m.Gamma, m.H)
	}
	if m := method("slqpm").(*solver.SLQPM); m.Rho != 8 || math.Abs(m.Eta-0.01) > 1e-15 {
		t.Errorf("SLQPM has ρ = %v, η = %v, want 8, 0.01", m.Rho, m.Eta)
	}
	if m := method("stoc-ialm").(*solver.StocIALM); m.Lf != 8 || m.Lc != 3 || m.FirstBatch != 5 {
		t.Errorf("Stoc-iALM has L_f = %v, L_c = %v, first batch %d, want 8, 3, 5", m.Lf, m.Lc, m.FirstBatch)
	}
}
