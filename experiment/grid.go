package experiment

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/fairtrain/fairtrain/internal/rng"
	"github.com/fairtrain/fairtrain/solver"
)

// grid draws options for a method.
type grid struct {
	values map[string][]any
	names  []string // sorted
	r      *rand.Rand
	seen   map[string]bool
}

func newGrid(m MethodSpec, seed uint64) *grid {
	return &grid{
		values: m.Grid, names: slices.Sorted(maps.Keys(m.Grid)),
		r: rng.New(seed, "tune", m.Label), seen: map[string]bool{},
	}
}

// draw returns n candidates that have not been drawn before, fewer if the proposals
// repeat themselves for long.
func (g *grid) draw(n int, propose func() map[string]any) []Scored {
	const patience = 1000
	var candidates []Scored
	for failures := 0; len(candidates) < n && failures < patience; {
		options := propose()
		if key := fmt.Sprint(options); !g.seen[key] {
			g.seen[key] = true
			candidates = append(candidates, Scored{Options: options})
			failures = 0
		} else {
			failures++
		}
	}
	return candidates
}

// random draws every option.
func (g *grid) random() map[string]any {
	options := map[string]any{}
	for _, name := range g.names {
		options[name] = g.values[name][g.r.IntN(len(g.values[name]))]
	}
	return options
}

// given is the candidate with the method's own options as far as they have a grid.
func (g *grid) given(m MethodSpec) []Scored {
	options := map[string]any{}
	for _, name := range g.names {
		if value, ok := m.setting(name); ok {
			options[name] = value
		}
	}
	g.seen[fmt.Sprint(options)] = true
	return []Scored{{Options: options, Given: true}}
}

// neighbour moves about a quarter of the options to the next value up or down. An option
// whose value is not in the grid, as one of the method's own may be, is drawn.
func (g *grid) neighbour(of map[string]any) map[string]any {
	options := map[string]any{}
	for _, name := range g.names {
		values := g.values[name]
		at := slices.Index(values, of[name])
		switch {
		case at < 0:
			at = g.r.IntN(len(values))
		case g.r.IntN(4) == 0:
			at = min(max(at+1-2*g.r.IntN(2), 0), len(values)-1)
		}
		options[name] = values[at]
	}
	return options
}

// atEnds returns the names of the options that have the first or last value of their grid: one
// beyond may be better.
func atEnds(m MethodSpec) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(m.Grid)) {
		values := m.Grid[name]
		value, _ := m.setting(name)
		if _, ok := number(value); ok && len(values) > 1 && (value == values[0] || value == values[len(values)-1]) {
			names = append(names, name)
		}
	}
	return names
}

// settle gives the numbers of a valid method and its grid the types of their options, so that
// equal values are equal: 1 and 1.0 are not in TOML.
func (m *MethodSpec) settle(params []solver.Param) {
	whole := map[string]bool{}
	for _, p := range params {
		_, whole[p.Name] = p.Value.(*int)
	}
	settled := func(name string, value any) any {
		if x, ok := number(value); !ok {
			return value
		} else if whole[name] {
			return int64(x)
		} else {
			return x
		}
	}
	for name, value := range m.Options {
		m.Options[name] = settled(name, value)
	}
	for name, values := range m.Grid {
		for i, value := range values {
			values[i] = settled(name, value)
		}
	}
}

// number is a value of TOML as a number, if it is one.
func number(value any) (x float64, ok bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	}
	return 0, false
}

// setting is the value of an option, "scale" standing for Scale.
func (m MethodSpec) setting(name string) (any, bool) {
	if name == "scale" {
		return m.Scale, m.Scale > 0
	}
	value, ok := m.Options[name]
	return value, ok
}
