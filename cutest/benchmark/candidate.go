package benchmark

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/solver"
)

// Candidate is one choice of a method's options.
type Candidate struct {
	method  *MethodPreset
	Batch   int            `json:"batch"`
	Options map[string]any `json:"options"` // those of the axes
}

// Candidates returns the candidates of a method: all combinations of its axes and the
// batch sizes, the last varying fastest.
func (p *Preset) Candidates(m *MethodPreset) []Candidate {
	combinations := []map[string]any{{}}
	for _, axis := range m.Axes {
		var longer []map[string]any
		for _, options := range combinations {
			for _, setting := range axis {
				both := maps.Clone(options)
				maps.Copy(both, setting)
				longer = append(longer, both)
			}
		}
		combinations = longer
	}
	var candidates []Candidate
	for _, options := range combinations {
		for _, batch := range p.Batches {
			candidates = append(candidates, Candidate{method: m, Batch: batch, Options: options})
		}
	}
	return candidates
}

// spread returns n of the candidates, or all of them if n is 0: combinations of the axes
// evenly spread, with the batch sizes in turn. batches is the number of batch sizes.
func spread(candidates []Candidate, batches, n int) []Candidate {
	if n <= 0 || n >= len(candidates) {
		return candidates
	}
	combinations := len(candidates) / batches
	chosen := make([]Candidate, n)
	for i := range chosen {
		chosen[i] = candidates[(2*i+1)*combinations/(2*n)*batches+i%batches]
	}
	return chosen
}

// Method returns the method with the candidate's options, for a problem with the given
// constants.
func (c Candidate) Method(k Constants) (solver.Method, error) {
	options := map[string]any{}
	maps.Copy(options, c.method.Fixed)
	maps.Copy(options, c.Options)
	for name, multiple := range c.method.Batch {
		options[name] = multiple * c.Batch
	}
	m, err := solver.Make(cmp.Or(c.method.Solver, c.method.Name), options)
	if err != nil {
		return nil, err
	}
	k.tell(m)
	return m, solver.Validate(m)
}

// optionText writes options as "name=value" in the order of their names.
func optionText(options map[string]any) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(options)) {
		parts = append(parts, fmt.Sprintf("%s=%v", name, options[name]))
	}
	return strings.Join(parts, " ")
}
