package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/results"
)

// Reached is the Profile of the runs of a comparison. A seed counts as a problem; the cost
// is the number of samples until the KKT residual is at most tolerance. A data profile is
// in passes over the data.
func Reached(runs []results.Run, tolerance float64, dataProfile bool, o Options) (*Figure, error) {
	costs := samplesTo(runs, tolerance)
	var units []float64
	if dataProfile {
		costs.Unit = "passes over the data"
		units = slices.Repeat([]float64{samplesPerPass(runs)}, len(costs.Cost))
	}
	figure, err := Profile(costs, units, o)
	if err != nil {
		return nil, err
	}
	groups, _, _ := showable(runs, Samples)
	figure.caption = strings.TrimSpace(aboveStart(groups))
	return figure, nil
}

// samplesPerPass is the same for all runs of a comparison; 0 if none took a sample.
func samplesPerPass(runs []results.Run) float64 {
	for _, r := range runs {
		if end := r.Final(); end.Passes > 0 {
			return float64(end.Samples) / end.Passes
		}
	}
	return 0
}

// samplesTo is a table of the samples that runs take to a KKT residual.
func samplesTo(runs []results.Run, tolerance float64) Costs {
	costs := Costs{Counted: fmt.Sprintf("share of the seeds that reach a KKT residual of %g", tolerance), Name: "samples until then"}
	var seeds []uint64
	for _, r := range runs {
		if !slices.Contains(costs.Solvers, r.Label) {
			costs.Solvers = append(costs.Solvers, r.Label)
		}
		if !slices.Contains(seeds, r.Seed) {
			seeds = append(seeds, r.Seed)
		}
	}
	costs.Cost = make([][]float64, len(seeds))
	for i := range costs.Cost {
		costs.Cost[i] = slices.Repeat([]float64{math.Inf(1)}, len(costs.Solvers))
	}
	for _, r := range runs {
		if reached := r.Reached(tolerance); reached >= 0 {
			costs.Cost[slices.Index(seeds, r.Seed)][slices.Index(costs.Solvers, r.Label)] = float64(max(1, r.Points[reached].Samples))
		}
	}
	return costs
}
