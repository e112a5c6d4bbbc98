package results

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// header has the columns of a trajectory with m constraints.
func header(m int) []string {
	list := []string{"samples", "passes", "objective", "c"}
	for i := range m {
		list = append(list, "c"+strconv.Itoa(i+1))
	}
	list = append(list, "kkt", "stationarity", "feasibility", "complementarity", "step", "rho", "sigma_min")
	for i := range m {
		list = append(list, "y"+strconv.Itoa(i+1))
	}
	return append(list, "seconds")
}

// numbers are the values of the columns after the samples. Columns c (the largest of the c_i) and
// kkt (the norm of the three after it) follow from others.
func (p Point) numbers() []float64 {
	list := append([]float64{p.Passes, p.Objective, p.LargestConstraint()}, p.Constraint...)
	list = append(list, p.KKT(), p.Stationarity, p.Feasibility, p.Complementarity, p.Step, p.Rho, p.SigmaMin)
	return append(append(list, p.Multiplier...), p.Seconds)
}

// pointOf is the inverse of numbers, for m constraints.
func pointOf(samples int64, numbers []float64, m int) Point {
	rest := numbers[3+m:]
	return Point{
		Samples: samples, Passes: numbers[0], Objective: numbers[1], Constraint: numbers[3 : 3+m : 3+m],
		Stationarity: rest[1], Feasibility: rest[2], Complementarity: rest[3],
		Step: rest[4], Rho: rest[5], SigmaMin: rest[6], Multiplier: rest[7 : 7+m : 7+m], Seconds: rest[7+m],
	}
}

// finite is the point with NaN for all that is not finite, as a trajectory reads back.
func (p Point) finite() Point {
	list := p.numbers()
	for i, x := range list {
		if math.IsInf(x, 0) {
			list[i] = math.NaN()
		}
	}
	return pointOf(p.Samples, list, len(p.Constraint))
}

// number is x in the fewest digits that identify it, "" where it isn't finite.
func number(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// trajectory is the CSV file of valid points.
func trajectory(points []Point) []byte {
	m := 1
	if len(points) > 0 {
		m = len(points[0].Constraint)
	}
	rows := [][]string{header(m)}
	for _, p := range points {
		row := []string{strconv.FormatInt(p.Samples, 10)}
		for _, x := range p.numbers() {
			row = append(row, number(x))
		}
		rows = append(rows, row)
	}
	return csvFile(rows)
}

func csvFile(rows [][]string) []byte {
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}

// parseTrajectory reads what trajectory has written.
func parseTrajectory(data []byte) ([]Point, error) {
	if !bytes.HasSuffix(data, []byte{'\n'}) {
		return nil, errors.New("the file does not end with a line")
	}
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errors.New("empty file")
	}
	m := (len(rows[0]) - len(header(0))) / 2
	if m < 1 || !slices.Equal(rows[0], header(m)) {
		return nil, errors.New("not the header of a trajectory")
	}
	var points []Point
	for i, row := range rows[1:] {
		samples, err := strconv.ParseInt(row[0], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("point %d: samples are %q, must be an integer", i+1, row[0])
		}
		numbers := make([]float64, len(row)-1)
		for j, text := range row[1:] {
			if numbers[j] = math.NaN(); text == "" {
				continue
			}
			if numbers[j], err = strconv.ParseFloat(text, 64); err != nil || number(numbers[j]) == "" {
				return nil, fmt.Errorf("point %d: %s is %q, must be a finite number or empty", i+1, rows[0][j+1], text)
			}
		}
		points = append(points, pointOf(samples, numbers, m))
	}
	return points, nil
}

// runsTable is runs.csv for sorted runs. A cell is empty where a run lacks what the column is
// about.
func runsTable(runs []Run) []byte {
	var options []string
	for _, r := range runs {
		for _, p := range r.Params {
			if !slices.Contains(options, p.Name) {
				options = append(options, p.Name)
			}
		}
	}
	header := []string{"cell", "problem", "method", "label", "seed", "run", "status", "iterations", "samples"}
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
	rows := [][]string{append(header, "score", "error", "seconds")}
	for _, r := range runs {
		rows = append(rows, r.row(options))
	}
	return csvFile(rows)
}

func (r Run) row(options []string) []string {
	integer := func(i int64) string { return strconv.FormatInt(i, 10) }
	row := []string{
		r.Cell, r.Problem, r.Method, r.Label, strconv.FormatUint(r.Seed, 10), strconv.Itoa(r.Index),
		string(r.Status), strconv.Itoa(r.Iterations), integer(r.Counters.Samples()),
	}
	c := r.Counters
	for _, n := range []Count{c.Objective, c.Gradient, c.Constraint, c.Jacobian} {
		row = append(row, integer(n.Calls), integer(n.Samples), integer(n.Evaluations))
	}
	for _, p := range []Point{r.Final(), r.Best()} {
		row = append(row, integer(p.Samples), number(p.Passes), number(p.Objective), number(p.LargestConstraint()),
			number(p.KKT()), number(p.Stationarity), number(p.Feasibility), number(p.Complementarity))
	}
	params := map[string]string{}
	for _, p := range r.Params {
		params[p.Name] = p.Value
	}
	for _, name := range options {
		row = append(row, params[name])
	}
	score := ""
	if r.Score != 0 {
		score = number(float64(r.Score))
	}
	return append(row, score, r.Error, number(r.Seconds))
}
