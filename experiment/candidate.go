package experiment

import (
	"maps"

	"github.com/fairtrain/fairtrain/solver"
)

// Candidate is one choice of a method's options in a benchmark.
type Candidate struct {
	method  *MethodSpec
	Batch   int            `json:"batch"`
	Options map[string]any `json:"options"` // the options of the axes
}

// Candidates returns n candidates of a method, or all if n is 0: all combinations of its
// axes and the batch sizes, the last varying fastest, or some of them, evenly spread. A
// method that names no batch to multiply has its own (0), and has only the combinations. A
// preset without a benchmark has no candidates.
func (p *Preset) Candidates(m *MethodSpec, n int) []Candidate {
	if p.Benchmark == nil {
		return nil
	}
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
	batches := p.Benchmark.Batches
	if len(m.Batch) == 0 {
		batches = []int{0}
	}
	var candidates []Candidate
	for _, options := range combinations {
		for _, batch := range batches {
			candidates = append(candidates, Candidate{method: m, Batch: batch, Options: options})
		}
	}
	if n <= 0 || n >= len(candidates) {
		return candidates
	}
	return spread(candidates, len(batches), n)
}

// Build returns the method with the candidate's options.
func (c Candidate) Build() (solver.Method, error) {
	m := c.method.with(c.Options)
	for name, multiple := range c.method.Batch {
		m.Options[name] = multiple * c.Batch
	}
	return m.build()
}

// spread returns n of the candidates: combinations of the axes evenly spread, with the
// batch sizes in turn. batches is the number of batch sizes.
func spread(candidates []Candidate, batches, n int) []Candidate {
	combinations := len(candidates) / batches
	chosen := make([]Candidate, n)
	for i := range chosen {
		chosen[i] = candidates[(2*i+1)*combinations/(2*n)*batches+i%batches]
	}
	return chosen
}
