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

// column is a column of a trajectory.
type column struct {
	name string
	of   func(*Point) *float64 // nil for a value that follows from others
	get  func(Point) float64   // where of is nil
}

// columns are those of a trajectory with m constraints, after the samples. Columns c (the largest
// of the c_i) and kkt (the norm of the three after it) follow from others.
func columns(m int) []column {
	list := []column{
		{"passes", func(p *Point) *float64 { return &p.Passes }, nil},
		{"objective", func(p *Point) *float64 { return &p.Objective }, nil},
		{"c", nil, Point.LargestConstraint},
	}
	for i := range m {
		list = append(list, column{"c" + strconv.Itoa(i+1), func(p *Point) *float64 { return &p.Constraint[i] }, nil})
	}
	list = append(list,
		column{"kkt", nil, Point.KKT},
		column{"stationarity", func(p *Point) *float64 { return &p.Stationarity }, nil},
		column{"feasibility", func(p *Point) *float64 { return &p.Feasibility }, nil},
		column{"complementarity", func(p *Point) *float64 { return &p.Complementarity }, nil},
		column{"step", func(p *Point) *float64 { return &p.Step }, nil},
		column{"rho", func(p *Point) *float64 { return &p.Rho }, nil},
		column{"sigma_min", func(p *Point) *float64 { return &p.SigmaMin }, nil})
	for i := range m {
		list = append(list, column{"y" + strconv.Itoa(i+1), func(p *Point) *float64 { return &p.Multiplier[i] }, nil})
	}
	return append(list, column{"seconds", func(p *Point) *float64 { return &p.Seconds }, nil})
}

func header(list []column) []string {
	names := []string{"samples"}
	for _, c := range list {
		names = append(names, c.name)
	}
	return names
}

// finite is the point with NaN for all that is not finite, as a trajectory reads back.
func (p Point) finite() Point {
	p.Constraint, p.Multiplier = slices.Clone(p.Constraint), slices.Clone(p.Multiplier)
	for _, c := range columns(len(p.Constraint)) {
		if c.of != nil && math.IsInf(*c.of(&p), 0) {
			*c.of(&p) = math.NaN()
		}
	}
	return p
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
	list := columns(m)
	rows := [][]string{header(list)}
	for _, p := range points {
		row := []string{strconv.FormatInt(p.Samples, 10)}
		for _, c := range list {
			if c.of != nil {
				row = append(row, number(*c.of(&p)))
			} else {
				row = append(row, number(c.get(p)))
			}
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
	m := (len(rows[0]) - 1 - len(columns(0))) / 2
	if m < 1 || !slices.Equal(rows[0], header(columns(m))) {
		return nil, errors.New("not the header of a trajectory")
	}
	list := columns(m)
	var points []Point
	for _, row := range rows[1:] {
		p, err := parsePoint(list, row, m)
		if err != nil {
			return nil, fmt.Errorf("point %d: %w", len(points)+1, err)
		}
		points = append(points, p)
	}
	return points, nil
}

func parsePoint(list []column, row []string, m int) (p Point, err error) {
	p = Point{Constraint: make([]float64, m), Multiplier: make([]float64, m)}
	if p.Samples, err = strconv.ParseInt(row[0], 10, 64); err != nil {
		return p, fmt.Errorf("samples are %q, must be an integer", row[0])
	}
	for j, c := range list {
		x, text := math.NaN(), row[j+1]
		if text != "" {
			if x, err = strconv.ParseFloat(text, 64); err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
				return p, fmt.Errorf("%s is %q, must be a finite number or empty", c.name, text)
			}
		}
		if c.of != nil {
			*c.of(&p) = x
		}
	}
	return p, nil
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
