package train

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/model"
)

// Anchor is a rate at which the decisions on all groups of a constraint were held: groups
// of few rows can have few rates only, and none of them may be near the rate that is best
// for all.
type Anchor struct {
	Family string  `json:"family"` // model.Row.Family
	Rate   float64 `json:"rate"`
}

// anchors bounds, for each of its rows, the mean score of all groups of a family from the
// side from which the objective would leave the Anchor's rate.
type anchors struct {
	rows  []model.Row
	rates []Anchor
}

// String names what the rows are a part of.
func (*anchors) String() string { return "anchor" }

// Rows returns a row for each anchored family.
func (s *anchors) Rows(*dataset.Dataset) ([]model.Row, error) { return s.rows, nil }

// findAnchors returns anchors for the families that are violated and have a group of so
// few rows that one decision changes its rate by more than the bound. The rate is the one
// nearest to the present rate of all from which each such group has a rate of its own,
// k/(its rows), at hand; there may be none within reach. excess is that of the
// constraints by model.Excess, which a family's rows have in common.
func findAnchors(a *attempt, decisions, excess []float64) *anchors {
	const (
		near  = 0.2 // in bounds
		reach = 0.1 // from the present rate; further would be another classifier
		step  = 0.001
	)
	found := new(anchors)
	families := map[string][]int{} // their rows of Side +1, one for each group
	rows := a.fair.Rows()
	for j, row := range rows {
		if row.Family != "" && row.Side > 0 {
			families[row.Family] = append(families[row.Family], j)
		}
	}
	n := float64(len(decisions))
	for _, family := range slices.Sorted(maps.Keys(families)) {
		groups := families[family]
		if excess[groups[0]] <= 0 {
			continue
		}
		// The weights of a group's row are those of its mean minus those of the mean of all.
		all := make([]float64, len(decisions))
		for _, j := range groups {
			for i, w := range rows[j].Weight {
				all[i] = max(all[i], -w)
			}
		}
		bound := 2 * (a.shift[groups[0]] - rows[groups[0]].Constant)
		var units []float64 // of the rates of small groups
		for _, j := range groups {
			if unit := (floats.Norm(rows[j].Weight, math.Inf(1)) + floats.Norm(all, math.Inf(1))) / n; unit > bound {
				units = append(units, unit)
			}
		}
		if len(units) == 0 {
			continue
		}
		rate := floats.Dot(all, decisions) / n
		suits := func(rate float64) bool {
			return rate > 0 && rate < 1 && !slices.ContainsFunc(units, func(u float64) bool {
				return math.Abs(rate-u*math.Round(rate/u)) > near*bound
			})
		}
		for d := 0.0; d <= reach; d += step {
			side := 1.0
			switch {
			case suits(rate - d):
			case suits(rate + d):
				side = -1
			default:
				continue
			}
			held := rate - side*d
			floats.Scale(side, all)
			found.rows = append(found.rows, model.Row{Name: "anchor of " + family, Weight: all, Constant: -side * held})
			found.rates = append(found.rates, Anchor{family, held})
			break
		}
	}
	return found
}
