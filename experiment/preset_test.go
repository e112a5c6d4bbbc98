package experiment

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/internal/datatest"
)

func TestPresets(t *testing.T) {
	names := Presets()
	if len(names) < 3 {
		t.Fatalf("built-in presets: %v", names)
	}
	for _, name := range names {
		p, err := Load(name)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if p.Name != name || p.About == "" {
			t.Errorf("%s: name %q, about %q", name, p.Name, p.About)
		}
	}
}

const tiny = `
[problem]
data = "synthetic"
constraints = ["share:group=71,omega=0.3"]
[run]
budget = 1000
[[method]]
method = "ssqp"
`

func TestParseRefuses(t *testing.T) {
	if _, err := Parse("p.toml", tiny); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]struct{ text, want string }{
		"not TOML":            {"[problem", "preset p.toml:1:"},
		"an unknown key":      {tiny + "colour = 1\n", `preset p.toml:9:1: unknown key "method.colour"`},
		"an unknown section":  {tiny + "[plot]\n", `unknown key "plot"`},
		"an unknown table":    {tiny + "[plot.axis]\nx = 1\n", `unknown key "plot`},
		"a table in options":  {tiny + "[method.grid.h]\nx = 1\n", "grid"},
		"a misspelt budget":   {strings.Replace(tiny, "budget", "bugdet", 1), `unknown key "run.bugdet"`},
		"an unknown method":   {strings.Replace(tiny, "ssqp", "sqqp", 1), `no method "sqqp"`},
		"an unknown option":   {tiny + "options = { betta = 1.0 }\n", `no option "betta"`},
		"a negative step":     {strings.Replace(tiny, "ssqp", "slqpm", 1) + "options = { eta = -1.0 }\n", "eta is -1"},
		"a wrong type":        {tiny + "options = { beta = \"high\" }\n", `beta is "high"`},
		"options as a list":   {tiny + "options = ['beta']\n", "preset p.toml:9:11: "},
		"no budget":           {strings.Replace(tiny, "budget = 1000", "", 1), "run.budget is 0"},
		"no data":             {strings.Replace(tiny, `data = "synthetic"`, "", 1), "problem.data"},
		"no constraint":       {strings.Replace(tiny, `"share:group=71,omega=0.3"`, "", 1), "problem.constraints"},
		"no method":           {tiny[:strings.Index(tiny, "[[method]]")], "[[method]]"},
		"one label twice":     {tiny + "[[method]]\nmethod = \"ssqp\"\n", `labelled "ssqp"; give one of them another label`},
		"a bad value to tune": {tiny + "[method.grid]\nbeta = [0.5, 2.0]\n", "beta is 2"},
		"overlapping seeds":   {tiny + "[tune]\nfirst_seed = 3\n", "overlap"},
		"seeds of finalists":  {strings.Replace(tiny, "[run]", "[run]\nfirst_seed = 1015", 1), "the tuning seeds, 1001 to 1015, overlap the reported seeds 1015 to 1019"},
		"a grid of nothing":   {tiny + "[method.grid]\nh = []\n", "grid: ssqp: h has no value"},
		"an infinite option":  {tiny + "options = { h = inf }\n", "ssqp: h is +Inf, must be finite"},
		"an infinite value":   {tiny + "[method.grid]\nh = [1.0, inf]\n", "grid: ssqp: h is +Inf, must be finite"},
		"an infinite loss":    {strings.Replace(tiny, "[run]", "alpha = inf\n[run]", 1), "problem.alpha is +Inf, must be finite"},
		"an endless search":   {strings.Replace(tiny, "[run]", "reference = inf\n[run]", 1), "problem.reference is +Inf"},
	} {
		_, err := Parse("p.toml", bad.text)
		if err == nil {
			t.Errorf("%s is accepted", name)
		} else if !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s: error %q does not mention %q", name, err, bad.want)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, name := range []string{"paper-a9b", "no/such/file.toml"} {
		if _, err := Load(name); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

var presetSeeds = []string{tiny, `
about = "a"
[problem]
data = "synthetic"
constraint_data = "synthetic.t"
constraints = ["share:group=71,omega=share"]
alpha = 2.0
[run]
budget = 40_000
seeds = 5
records = 200
[tune]
candidates = 6
[smoke]
budget = 4_000
[[method]]
method = "fsfo"
label = "best"
[method.options]
rule = "fixed"
tau = 2
[method.grid]
scale = [1.0, 3.0]
batch_f = [64, 256]
[figure]
inset = 0.2
`}

func FuzzPreset(f *testing.F) { datatest.Fuzz(f, presetSeeds, checkPreset) }

// checkPreset expects that the spec of a preset that is read can be stored.
func checkPreset(t *testing.T, text string) {
	p, err := Parse("p.toml", text)
	if err != nil {
		return
	}
	if _, err := json.Marshal(p); err != nil {
		t.Errorf("cannot be stored: %v", err)
	}
}

// TestPresetReference: the example of the documentation is a preset that runs.
func TestPresetReference(t *testing.T) {
	content, err := os.ReadFile("../docs/comparison.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	example := regexp.MustCompile("(?s)```toml\n(.*?)```").FindStringSubmatch(text)
	if example == nil {
		t.Fatal("there is no example")
	}
	p, err := Parse("p.toml", example[1])
	if err != nil {
		t.Fatal(err)
	}
	p.UseSmoke()
	for _, r := range run(t, p, Settings{Dir: t.TempDir(), Jobs: 2}).Runs() {
		if r.EndedBadly() {
			t.Errorf("%s %s", r.Label, r.Status)
		}
	}
}

// TestSmokeName: a quick check has a name of its own, and knows that of the preset, whatever that
// ends in.
func TestSmokeName(t *testing.T) {
	p := &Preset{Name: "few-smoke"}
	if p.Base() != p.Name {
		t.Errorf("a preset called %s is one of %s", p.Name, p.Base())
	}
	p.UseSmoke()
	if p.Name != "few-smoke-smoke" || p.Base() != "few-smoke" {
		t.Errorf("called %s, of %s", p.Name, p.Base())
	}
}
