package benchmark

import (
	"math"

	"github.com/fairtrain/fairtrain/results"
)

// Table is what an experiment found.
type Table struct {
	Preset   string  `json:"-"`        // name of the experiment
	Problems int     `json:"problems"` // problems with the results of all methods: only these are compared
	Missing  int     `json:"missing"`  // problems that lack results
	Bounded  int     `json:"bounded"`  // problems compared whose bounds were ignored
	Noise    float64 `json:"noise"`
	Budget   int64   `json:"budget"`

	Methods []Summary `json:"methods"`
	Rows    []Row     `json:"-"`
}

// Summary is a line of the paper's table.
type Summary struct {
	Name         string         `json:"name"`
	Wins         int            `json:"wins"` // problems with the smallest score, ties counting for each
	Score        results.Number `json:"median_score"`
	Stationarity results.Number `json:"median_stationarity"`
	Feasibility  results.Number `json:"median_feasibility"`
}

// Row is the results of all methods on a problem.
type Row struct {
	Instance *Instance
	Cells    []Cell // in the order of the methods
}

// Cell is what a method found on a problem.
type Cell struct {
	Method string
	Best   results.Judged
	Chosen int // the trial that found it
	Trials []results.Trial
}

// tie is the relative difference up to which scores are equal: on problems where every
// point has the same score, such as linear programs without their bounds, rounding does
// not decide.
const tie = 1e-9

// Wins reports whether the i-th method has the smallest score, a finite one.
func (r *Row) Wins(i int) bool {
	least := math.Inf(1)
	for _, c := range r.Cells {
		least = min(least, c.Best.Score())
	}
	return !math.IsInf(least, 1) && r.Cells[i].Best.Score() <= least*(1+tie)
}

// LoadTable reads the results in a folder. Damaged files are an error that names all of them.
func LoadTable(dir string) (*Table, error) {
	store, err := results.Open(dir, results.Benchmark)
	if err != nil {
		return nil, err
	}
	var s spec
	if err := store.Spec(&s); err != nil {
		return nil, err
	}
	t := &Table{Preset: s.Preset.Name, Noise: s.Preset.Benchmark.Noise, Budget: s.Preset.Run.Budget}
	for _, p := range s.Problems {
		row := Row{Instance: p.Instance}
		for i, name := range p.Cells {
			if run, ok := store.Run(name); ok {
				best, chosen := choose(run.Trials, s.Preset.Benchmark.Feasible)
				row.Cells = append(row.Cells, Cell{s.Preset.Methods[i].Label, best, chosen, run.Trials})
			}
		}
		if len(row.Cells) < len(p.Cells) {
			t.Missing++
			continue
		}
		if p.Bounded > 0 {
			t.Bounded++
		}
		t.Rows = append(t.Rows, row)
	}
	t.Problems = len(t.Rows)
	for i, method := range s.Preset.Methods {
		t.Methods = append(t.Methods, t.summarise(method.Label, i))
	}
	return t, nil
}

func (t *Table) summarise(name string, i int) Summary {
	s := Summary{Name: name}
	var score, stationarity, feasibility []float64
	for k := range t.Rows {
		best := t.Rows[k].Cells[i].Best
		score = append(score, best.Score())
		stationarity = append(stationarity, float64(best.Stationarity))
		feasibility = append(feasibility, float64(best.Feasibility))
		if t.Rows[k].Wins(i) {
			s.Wins++
		}
	}
	median := func(values []float64) results.Number { return results.Number(results.NewSpread(values).Median) }
	s.Score, s.Stationarity, s.Feasibility = median(score), median(stationarity), median(feasibility)
	return s
}
