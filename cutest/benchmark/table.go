package benchmark

import (
	"math"
	"slices"
)

// Table is what an experiment found.
type Table struct {
	Preset   string  `json:"-"`        // name of the experiment
	Problems int     `json:"problems"` // with the results of all methods: those compared
	Missing  int     `json:"missing"`  // problems that lack results
	Bounded  int     `json:"bounded"`  // problems compared whose bounds were ignored
	Noise    float64 `json:"noise"`
	Budget   int64   `json:"budget"`

	Methods []Summary `json:"methods"`
	Rows    []Row     `json:"-"`
}

// Summary is a line of the paper's table.
type Summary struct {
	Name         string `json:"name"`
	Wins         int    `json:"wins"` // problems with the smallest score, ties counting for each
	Score        Number `json:"median_score"`
	Stationarity Number `json:"median_stationarity"`
	Feasibility  Number `json:"median_feasibility"`
}

// Row is the results of all methods on a problem.
type Row struct {
	Instance *Instance
	Cells    []*Cell // in the order of the methods
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

// LoadTable reads the results in a folder.
func LoadTable(dir string) (*Table, error) { return LoadTableBy(dir, Stated) }

// LoadTableBy reads the results in a folder and chooses by another rule than the one as
// stated.
func LoadTableBy(dir string, by Selection) (*Table, error) {
	s := store{dir}
	m, err := s.manifest()
	if err != nil {
		return nil, err
	}
	cells := make(map[string][]*Cell)
	for _, name := range m.Cells {
		c, err := s.cell(name)
		if err != nil {
			return nil, err
		}
		if c != nil {
			if err := c.chooseBy(by, m.Preset.Feasible); err != nil {
				return nil, err
			}
			cells[name.Problem] = append(cells[name.Problem], c)
		}
	}
	t := &Table{Preset: m.Preset.Name, Noise: m.Preset.Noise, Budget: m.Preset.Budget}
	for _, instance := range m.Problems {
		row := Row{instance, cells[instance.Name]}
		if len(row.Cells) < len(m.Preset.Methods) {
			t.Missing++
			continue
		}
		if instance.Bounded > 0 {
			t.Bounded++
		}
		t.Rows = append(t.Rows, row)
	}
	t.Problems = len(t.Rows)
	for i, method := range m.Preset.Methods {
		t.Methods = append(t.Methods, t.summarise(method.Name, i))
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
	s.Score, s.Stationarity, s.Feasibility = median(score), median(stationarity), median(feasibility)
	return s
}

// median returns the median of values, NaN if there are none.
func median(values []float64) Number {
	if len(values) == 0 {
		return Number(math.NaN())
	}
	slices.Sort(values)
	k := len(values) / 2
	if len(values)%2 == 1 {
		return Number(values[k])
	}
	return Number(values[k-1]/2 + values[k]/2)
}
