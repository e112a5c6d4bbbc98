package benchmark

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Preset is an experiment as data.
type Preset struct {
	Name     string         `toml:"-" json:"name"`
	Noise    float64        `toml:"noise" json:"noise"`       // standard deviation of one sample
	Budget   int64          `toml:"budget" json:"budget"`     // samples N_sam per run
	Batches  []int          `toml:"batches" json:"batches"`   // batch sizes
	Feasible float64        `toml:"feasible" json:"feasible"` // ‖c‖_∞ from which iterates are compared by stationarity
	Limit    int            `toml:"limit" json:"limit"`       // largest n + m
	Seed     uint64         `toml:"seed" json:"seed"`
	Methods  []MethodPreset `toml:"method" json:"methods"`
}

// MethodPreset is a method and the options that are tried.
type MethodPreset struct {
	Name string `toml:"name" json:"name"`
	// Solver is the method of package solver; "" means the one called Name.
	Solver string `toml:"solver" json:"solver,omitempty"`
	// Batch lists the options that follow the batch size, as multiples of it.
	Batch map[string]int `toml:"batch" json:"batch"`
	// Fixed lists the options that have one value.
	Fixed map[string]any `toml:"fixed" json:"fixed,omitempty"`
	// Axes are lists of settings; the candidates are all their combinations.
	Axes [][]map[string]any `toml:"axes" json:"axes"`
}

//go:embed presets
var presets embed.FS

// LoadPreset returns the built-in preset of the given name.
func LoadPreset(name string) (*Preset, error) {
	text, err := presets.ReadFile("presets/" + name + ".toml")
	if err != nil || name == sizesFile {
		return nil, fmt.Errorf("no preset %q; there are %s", name, strings.Join(PresetNames(), ", "))
	}
	p := &Preset{Name: name}
	if err := decodeStrict(name, text, p); err != nil {
		return nil, err
	}
	return p, p.Validate()
}

// PresetNames lists the built-in presets.
func PresetNames() []string {
	files, err := fs.Glob(presets, "presets/*.toml")
	if err != nil {
		panic(err) // the pattern is malformed
	}
	var names []string
	for _, file := range files {
		if name := strings.TrimSuffix(strings.TrimPrefix(file, "presets/"), ".toml"); name != sizesFile {
			names = append(names, name)
		}
	}
	return names
}

const sizesFile = "sizes"

// officialSizes returns the parameters of the collection's own sizes, by problem.
func officialSizes() map[string]map[string]string {
	sizes := make(map[string]map[string]string)
	text, err := presets.ReadFile("presets/" + sizesFile + ".toml")
	if err == nil {
		err = decodeStrict(sizesFile, text, &sizes)
	}
	if err != nil {
		panic(err) // the embedded file is faulty
	}
	return sizes
}

// decodeStrict decodes TOML in which every key must be known.
func decodeStrict(name string, text []byte, dst any) error {
	meta, err := toml.NewDecoder(bytes.NewReader(text)).Decode(dst)
	if err != nil {
		return fmt.Errorf("preset %s: %w", name, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return fmt.Errorf("preset %s: unknown key %s", name, unknown[0])
	}
	return nil
}

// Validate reports everything that is out of range, the options of candidates included.
func (p *Preset) Validate() error {
	var errs []error
	require := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("preset %s: "+format, append([]any{p.Name}, args...)...))
		}
	}
	require(p.Noise >= 0 && !math.IsInf(p.Noise, 0), "noise is %v, must be ≥ 0", p.Noise)
	require(p.Budget > 0, "budget is %d, must be > 0", p.Budget)
	require(p.Feasible >= 0, "feasible is %v, must be ≥ 0", p.Feasible)
	require(p.Limit > 0, "limit is %d, must be > 0", p.Limit)
	require(len(p.Batches) > 0 && slices.Min(append([]int{1}, p.Batches...)) > 0, "batches are %v, must be sizes ≥ 1", p.Batches)
	require(len(p.Methods) > 0, "no method")
	for i, m := range p.Methods {
		require(!slices.ContainsFunc(p.Methods[:i], func(o MethodPreset) bool { return o.Name == m.Name }), "method %s is listed twice", m.Name)
		for _, c := range p.Candidates(&m) {
			if _, err := c.Method(unitConstants); err != nil {
				errs = append(errs, fmt.Errorf("preset %s: %w", p.Name, err))
				break
			}
		}
	}
	return errors.Join(errs...)
}

// Method returns the preset of a method.
func (p *Preset) Method(name string) (*MethodPreset, error) {
	var names []string
	for i := range p.Methods {
		if p.Methods[i].Name == name {
			return &p.Methods[i], nil
		}
		names = append(names, p.Methods[i].Name)
	}
	return nil, fmt.Errorf("preset %s has no method %q; it has %s", p.Name, name, strings.Join(names, ", "))
}
