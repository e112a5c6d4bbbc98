// Package experiment runs methods on problems: presets say what to run, the runner has it done
// (package internal/jobs: on all processors, or by workers) and stores every finished run.
//
//	Preset    problem, methods, seeds, budget: a TOML file, this file
//	Run       cells → a folder of results, resumable, run.go
//	job       a cell made again in another process, jobs.go
//	Trace     one run with its trajectory, instance.go
//	Compare   methods on one fairness problem from several seeds, compare.go
//	Tune      choose options for every method with equal effort, tune.go
package experiment

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/internal/sidefile"
	"github.com/fairtrain/fairtrain/internal/tomlfile"
	"github.com/fairtrain/fairtrain/solver"
)

// Preset is an experiment as data. Its TOML form is strict: an unknown key is an error.
type Preset struct {
	Name    string      `toml:"-" json:"name"`
	About   string      `toml:"about" json:"about"`
	Problem ProblemSpec `toml:"problem" json:"problem"`
	// Benchmark takes the place of Problem in an experiment on many problems (package
	// benchmark).
	Benchmark *BenchmarkSpec `toml:"benchmark" json:"benchmark,omitempty"`
	Run       RunSpec        `toml:"run" json:"run"`
	Smoke     RunSpec        `toml:"smoke" json:"-"` // replaces Run in quick checks
	Tune      TuneSpec       `toml:"tune" json:"-"`
	Figure    FigureSpec     `toml:"figure" json:"-"`
	Methods   []MethodSpec   `toml:"method" json:"methods"`
	IsSmoke   bool           `toml:"-" json:"-"` // see UseSmoke
}

// ProblemSpec is a fairness problem.
type ProblemSpec struct {
	Data           string   `toml:"data" json:"data"`
	ConstraintData string   `toml:"constraint_data" json:"constraint_data"` // "" means data
	Constraints    []string `toml:"constraints" json:"constraints"`
	Alpha          float64  `toml:"alpha" json:"alpha"`
	L2             float64  `toml:"l2" json:"l2"`
	Intercept      bool     `toml:"intercept" json:"intercept"`
	// Stratified draws rows of the constraints as model.Options.Stratified does.
	Stratified bool `toml:"stratified" json:"stratified,omitempty"`
	// Reference is the tolerance of the reference optimum, 0 for no reference.
	Reference float64 `toml:"reference" json:"reference"`
}

// BenchmarkSpec is an experiment on many deterministic problems, to which noise is added. On
// each problem every method has many candidates.
type BenchmarkSpec struct {
	Noise    float64 `toml:"noise" json:"noise"`       // standard deviation of one sample
	Batches  []int   `toml:"batches" json:"batches"`   // batch sizes
	Feasible float64 `toml:"feasible" json:"feasible"` // ‖c‖_∞ up to which iterates are compared by stationarity
	Limit    int     `toml:"limit" json:"limit"`       // largest n + m
}

// RunSpec is the size of an experiment.
type RunSpec struct {
	Budget    int64  `toml:"budget" json:"budget"` // samples
	Seeds     int    `toml:"seeds" json:"seeds"`
	FirstSeed uint64 `toml:"first_seed" json:"first_seed"`
	Records   int    `toml:"records" json:"records"` // points of a trajectory
}

// TuneSpec is the effort spent on every method's options.
type TuneSpec struct {
	Candidates int    `toml:"candidates" json:"candidates"` // drawn from the method's grid
	Seeds      int    `toml:"seeds" json:"seeds"`
	FirstSeed  uint64 `toml:"first_seed" json:"first_seed"` // of seeds that are not reported, see lastSeed
}

// FigureSpec is how the results are drawn.
type FigureSpec struct {
	Inset float64 `toml:"inset"` // last part of the x axis that is shown enlarged too
}

// MethodSpec is a method with options.
type MethodSpec struct {
	Method  string         `toml:"method" json:"method"`
	Label   string         `toml:"label" json:"label"` // in tables and legends; "" means the method's name
	Options map[string]any `toml:"options" json:"options"`
	// Scale is κ, the unit in which the method sees the constraints; 0 means 1. Recorded
	// values are always unscaled.
	Scale float64 `toml:"scale" json:"scale"`
	// Grid lists the values that tuning may choose for an option; "scale" stands for Scale.
	Grid map[string][]any `toml:"grid,omitempty" json:"-"`

	// Axes are lists of settings. All their combinations are candidates in a benchmark.
	Axes [][]map[string]any `toml:"axes,omitempty" json:"axes,omitempty"`
	// Batch lists the options that follow a candidate's batch size, as multiples of it.
	Batch map[string]int `toml:"batch,omitempty" json:"batch,omitempty"`
}

//go:embed presets/*.toml
var embedded embed.FS

// Presets lists the names of the built-in presets.
func Presets() []string {
	entries, err := fs.ReadDir(embedded, "presets")
	if err != nil {
		panic(err) // embedded at build time
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".toml"))
	}
	return names
}

// ErrNoPreset is the error of a name that is neither a built-in preset's nor a file's.
var ErrNoPreset = errors.New("no preset")

// Source returns the TOML text of a built-in preset or of a file.
func Source(name string) (string, error) {
	if slices.Contains(Presets(), name) {
		text, err := embedded.ReadFile("presets/" + name + ".toml")
		return string(text), err
	}
	if !strings.ContainsAny(name, `/\.`) {
		return "", fmt.Errorf("%w %q; built in are %s (a file needs its .toml)", ErrNoPreset, name,
			strings.Join(Presets(), ", "))
	}
	text, err := sidefile.Read(name, sidefile.Text)
	return string(text), err
}

// Load reads a preset by name or path.
func Load(name string) (*Preset, error) {
	text, err := Source(name)
	if err != nil {
		return nil, fmt.Errorf("preset: %w", err)
	}
	p, err := Parse(name, text)
	if err != nil {
		return nil, err
	}
	p.Name = strings.TrimSuffix(path.Base(name), ".toml")
	return p, nil
}

// Parse reads a preset from TOML text and validates it. The name, which the preset does not get, is
// for errors.
func Parse(name, text string) (*Preset, error) {
	p := &Preset{
		Problem: ProblemSpec{Alpha: 2, Reference: 1e-6},
		Run:     RunSpec{Seeds: 5, FirstSeed: 1, Records: 200},
		Tune:    TuneSpec{Candidates: 60, Seeds: 3, FirstSeed: 1001},
	}
	if err := tomlfile.Decode("preset "+name, strings.NewReader(text), p, nil); err != nil {
		return nil, err
	}
	if err := p.validate(); err != nil {
		return nil, fmt.Errorf("preset %s: %w", name, err)
	}
	return p, nil
}

// smokeSuffix is what UseSmoke adds to the name.
const smokeSuffix = "-smoke"

// Base is the name without what UseSmoke adds to it.
func (p *Preset) Base() string {
	if p.IsSmoke {
		return strings.TrimSuffix(p.Name, smokeSuffix)
	}
	return p.Name
}

// UseSmoke replaces the sizes of the run by the sizes of the smoke check. The name says so in
// all that comes of it.
func (p *Preset) UseSmoke() {
	p.Name, p.IsSmoke = p.Name+smokeSuffix, true
	p.Run.Budget = cmp.Or(p.Smoke.Budget, p.Run.Budget)
	p.Run.Seeds = cmp.Or(p.Smoke.Seeds, p.Run.Seeds)
	p.Run.Records = cmp.Or(p.Smoke.Records, p.Run.Records)
}

func (p *Preset) validate() error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if p.Benchmark != nil {
		p.Benchmark.validate(fail)
		if p.Run.Seeds != 1 {
			fail("run.seeds is %d, must be 1 in a benchmark", p.Run.Seeds)
		}
	} else {
		p.Problem.validate(fail)
	}
	if p.Run.Budget < 1 {
		fail("run.budget is %d, must be ≥ 1", p.Run.Budget)
	}
	const many = 1_000_000
	if p.Run.Seeds < 1 || p.Run.Seeds > many {
		fail("run.seeds is %d, must be from 1 to %d", p.Run.Seeds, many)
	}
	if p.Run.Records < 1 {
		fail("run.records is %d, must be ≥ 1", p.Run.Records)
	}
	if p.Smoke.Budget < 0 || p.Smoke.Seeds < 0 || p.Smoke.Records < 0 {
		fail("smoke.budget, smoke.seeds and smoke.records are %d, %d and %d, must be ≥ 1, or be left out", p.Smoke.Budget, p.Smoke.Seeds, p.Smoke.Records)
	}
	if p.Smoke.FirstSeed != 0 {
		fail("smoke.first_seed is %d, must be left out: the first seed is that of the run", p.Smoke.FirstSeed)
	}
	if p.Tune.Candidates < 1 || p.Tune.Seeds < 1 || p.Tune.Candidates > many || p.Tune.Seeds > many {
		fail("tune.candidates and tune.seeds are %d and %d, must be from 1 to %d",
			p.Tune.Candidates, p.Tune.Seeds, many)
	}
	if last := p.Run.FirstSeed + uint64(p.Run.Seeds); p.Tune.FirstSeed < last && p.Run.FirstSeed <= p.Tune.lastSeed() {
		fail("tune.first_seed is %d: the tuning seeds, %d to %d, overlap the reported seeds %d to %d",
			p.Tune.FirstSeed, p.Tune.FirstSeed, p.Tune.lastSeed(), p.Run.FirstSeed, last-1)
	}
	if !(p.Figure.Inset >= 0 && p.Figure.Inset < 1) {
		fail("figure.inset is %v, must be in [0, 1)", p.Figure.Inset)
	}
	if len(p.Methods) == 0 {
		fail("there is no [[method]]")
	}
	labels := map[string]bool{}
	for i := range p.Methods {
		m := &p.Methods[i]
		m.Label = cmp.Or(m.Label, m.Method)
		if labels[m.Label] {
			fail("two methods are labelled %q; give one of them another label = \"…\"", m.Label)
		}
		labels[m.Label] = true
		method, err := m.build()
		if err != nil {
			errs = append(errs, err)
			continue // its grid has the same fault
		}
		for _, c := range p.Candidates(m, 0) {
			if _, err := c.Build(); err != nil {
				errs = append(errs, fmt.Errorf("axes: %w", err))
				break // others have the same fault
			}
		}
		for _, option := range slices.Sorted(maps.Keys(m.Grid)) {
			values := m.Grid[option]
			if len(values) == 0 {
				fail("grid: %s: %s has no value", m.Label, option)
			}
			for _, v := range values {
				candidate := m.with(map[string]any{option: v})
				if _, err := candidate.build(); err != nil {
					errs = append(errs, fmt.Errorf("grid: %w", err))
				}
			}
		}
		m.settle(method.Params())
	}
	return errors.Join(errs...)
}

func (s *ProblemSpec) validate(fail func(format string, args ...any)) {
	if s.Data == "" {
		fail("problem.data is missing")
	}
	if len(s.Constraints) == 0 {
		fail("problem.constraints is empty")
	}
	if math.IsInf(s.Alpha, 0) {
		fail("problem.alpha is %v, must be finite", s.Alpha)
	}
	if !(s.Reference >= 0) || math.IsInf(s.Reference, 0) {
		fail("problem.reference is %v, must be ≥ 0", s.Reference)
	}
}

func (s *BenchmarkSpec) validate(fail func(format string, args ...any)) {
	if !(s.Noise >= 0) || math.IsInf(s.Noise, 0) {
		fail("benchmark.noise is %v, must be ≥ 0", s.Noise)
	}
	if len(s.Batches) == 0 || slices.Min(s.Batches) < 1 {
		fail("benchmark.batches are %v, must be sizes ≥ 1", s.Batches)
	}
	if !(s.Feasible >= 0) || math.IsInf(s.Feasible, 0) {
		fail("benchmark.feasible is %v, must be ≥ 0", s.Feasible)
	}
	if s.Limit < 1 {
		fail("benchmark.limit is %d, must be ≥ 1", s.Limit)
	}
}

// build returns the method with its options set.
func (m *MethodSpec) build() (solver.Method, error) {
	method, err := solver.Make(m.Method, m.Options)
	if err != nil {
		return nil, err
	}
	for _, option := range slices.Sorted(maps.Keys(m.Options)) {
		value := m.Options[option]
		if x, ok := number(value); ok && math.IsInf(x, 0) {
			return nil, fmt.Errorf("%s: %s is %v, must be finite", m.Label, option, value)
		}
	}
	if !(m.Scale >= 0) || math.IsInf(m.Scale, 0) {
		return nil, fmt.Errorf("%s: scale is %v, must be positive", m.Label, m.Scale)
	}
	return method, solver.Validate(method)
}

// with returns m with the given options in place of its own, "scale" standing for Scale.
func (m MethodSpec) with(options map[string]any) MethodSpec {
	merged := maps.Clone(m.Options)
	if merged == nil {
		merged = map[string]any{}
	}
	for name, value := range options {
		if scale, ok := number(value); ok && name == "scale" {
			m.Scale = scale
		} else {
			merged[name] = value
		}
	}
	m.Options = merged
	return m
}
