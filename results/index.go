package results

import (
	"slices"
	"strconv"
)

// runsTable is runs.csv for sorted runs. A run without an option has an empty cell in
// the option's column.
func runsTable(runs []Run) []byte {
	var options []string
	for _, r := range runs {
		for _, p := range r.Params {
			if !slices.Contains(options, p.Name) {
				options = append(options, p.Name)
			}
		}
	}
	withProblem := slices.ContainsFunc(runs, func(r Run) bool { return r.Problem != "" })
	header := []string{"cell"}
	if withProblem {
		header = append(header, "problem")
	}
	header = append(header, "method", "label", "seed", "run", "status", "iterations", "samples")
	for _, oracle := range []string{"objective", "gradient", "constraint", "jacobian"} {
		header = append(header, oracle+"_calls", oracle+"_samples", oracle+"_evaluations")
	}
	for _, point := range []string{"final", "best"} {
		for _, value := range []string{"samples", "passes", "objective", "c", "kkt", "stationarity", "feasibility", "complementarity"} {
			header = append(header, point+"_"+value)
		}
	}
	for _, name := range options {
		header = append(header, "p_"+name)
	}
	withScore := slices.ContainsFunc(runs, func(r Run) bool { return r.Score != nil })
	if withScore {
		header = append(header, "score")
	}
	rows := [][]string{append(header, "error", "seconds")}
	for _, r := range runs {
		row := r.row(options)
		if withProblem {
			row = slices.Insert(row, 1, r.Problem)
		}
		if withScore {
			score := ""
			if r.Score != nil {
				score = number(float64(*r.Score))
			}
			row = slices.Insert(row, len(row)-2, score)
		}
		rows = append(rows, row)
	}
	return csvFile(rows)
}

func (r Run) row(options []string) []string {
	integer := func(i int64) string { return strconv.FormatInt(i, 10) }
	row := []string{
		r.Cell, r.Method, r.Label, strconv.FormatUint(r.Seed, 10), strconv.Itoa(r.Index), string(r.Status),
		strconv.Itoa(r.Iterations), integer(r.Counters.Samples()),
	}
	c := r.Counters
	for _, n := range []Count{c.Objective, c.Gradient, c.Constraint, c.Jacobian} {
		row = append(row, integer(n.Calls), integer(n.Samples), integer(n.Evaluations))
	}
	for _, p := range []Point{r.Final(), r.Best()} {
		row = append(row, integer(p.Samples), number(p.Passes), number(p.Objective), number(p.LargestConstraint()),
			number(p.KKT()), number(p.Stationarity), number(p.Feasibility), number(p.Complementarity))
	}
	for _, name := range options {
		value := ""
		if i := slices.IndexFunc(r.Params, func(p Param) bool { return p.Name == name }); i >= 0 {
			value = r.Params[i].Value
		}
		row = append(row, value)
	}
	return append(row, r.Error, number(r.Seconds))
}
