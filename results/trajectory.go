package results

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// columns is the header of a trajectory with m constraints. Columns c (the largest of the
// c_i) and kkt (the norm of the three after it) follow from others.
func columns(m int) []string {
	header := []string{"samples", "passes", "objective", "c"}
	header = append(header, numbered("c", m)...)
	header = append(header, "kkt", "stationarity", "feasibility", "complementarity", "step", "rho", "sigma_min")
	header = append(header, numbered("y", m)...)
	return append(header, "seconds")
}

func numbered(name string, m int) []string {
	names := make([]string, m)
	for i := range names {
		names[i] = name + strconv.Itoa(i+1)
	}
	return names
}

func (p Point) row() []string {
	row := []string{strconv.FormatInt(p.Samples, 10), number(p.Passes), number(p.Objective), number(p.LargestConstraint())}
	for _, c := range p.Constraint {
		row = append(row, number(c))
	}
	row = append(row, number(p.KKT()), number(p.Stationarity), number(p.Feasibility), number(p.Complementarity),
		number(p.Step), number(p.Rho), number(p.SigmaMin))
	for _, y := range p.Multiplier {
		row = append(row, number(y))
	}
	return append(row, number(p.Seconds))
}

// finite is the point with NaN for all that is not finite, as a trajectory reads back.
func (p Point) finite() Point {
	orNaN := func(x float64) float64 {
		if math.IsInf(x, 0) {
			return math.NaN()
		}
		return x
	}
	all := func(values []float64) []float64 {
		values = slices.Clone(values)
		for i, x := range values {
			values[i] = orNaN(x)
		}
		return values
	}
	return Point{
		Samples: p.Samples, Passes: orNaN(p.Passes), Seconds: orNaN(p.Seconds),
		Objective: orNaN(p.Objective), Constraint: all(p.Constraint),
		Stationarity: orNaN(p.Stationarity), Feasibility: orNaN(p.Feasibility), Complementarity: orNaN(p.Complementarity),
		Step: orNaN(p.Step), Rho: orNaN(p.Rho), SigmaMin: orNaN(p.SigmaMin), Multiplier: all(p.Multiplier),
	}
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
	rows := [][]string{columns(m)}
	for _, p := range points {
		rows = append(rows, p.row())
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

// checksum identifies a trajectory but for its seconds.
func checksum(points []Point) string {
	timeless := slices.Clone(points)
	for i := range timeless {
		timeless[i].Seconds = math.NaN()
	}
	return hash(trajectory(timeless))
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
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
	header := rows[0]
	m := (len(header) - len(columns(0))) / 2
	if m < 1 || !slices.Equal(header, columns(m)) {
		return nil, errors.New("not the header of a trajectory")
	}
	var points []Point
	for _, row := range rows[1:] {
		p, err := parsePoint(header, row, m)
		if err != nil {
			return nil, fmt.Errorf("point %d: %w", len(points)+1, err)
		}
		points = append(points, p)
	}
	return points, validatePoints(points)
}

func parsePoint(header, row []string, m int) (Point, error) {
	samples, err := strconv.ParseInt(row[0], 10, 64)
	if err != nil {
		return Point{}, fmt.Errorf("samples are %q, must be an integer", row[0])
	}
	values := make([]float64, len(row))
	for j := 1; j < len(row); j++ {
		values[j] = math.NaN()
		if row[j] == "" {
			continue
		}
		x, err := strconv.ParseFloat(row[j], 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return Point{}, fmt.Errorf("%s is %q, must be a finite number or empty", header[j], row[j])
		}
		values[j] = x
	}
	c, rest := values[4:4+m], values[4+m:]
	return Point{
		Samples: samples, Passes: values[1], Seconds: values[len(values)-1],
		Objective: values[2], Constraint: c,
		Stationarity: rest[1], Feasibility: rest[2], Complementarity: rest[3],
		Step: rest[4], Rho: rest[5], SigmaMin: rest[6], Multiplier: rest[7 : 7+m],
	}, nil
}

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
