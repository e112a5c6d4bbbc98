package research

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cutest"
	"github.com/fairtrain/fairtrain/cutest/benchmark"
	"github.com/fairtrain/fairtrain/internal/sidefile"
	"github.com/fairtrain/fairtrain/results"
)

// functionValues is the output of cutest eval. Numbers that are not finite are text.
type functionValues struct {
	Name string             `json:"name"`
	N    int                `json:"n"`
	M    int                `json:"m"`
	F    results.Number     `json:"f"`
	G    []results.Number   `json:"g"`
	C    []results.Number   `json:"c"`
	J    [][]results.Number `json:"J,omitempty"` // m rows of n
	// Sparse has the entries of J where its rows would be too many numbers.
	Sparse *triplets        `json:"J_sparse,omitempty"`
	X      []results.Number `json:"x"`
}

// triplets are the entries of a sparse matrix, rows and columns counted from 0.
type triplets struct {
	Rows    []int            `json:"rows"`
	Columns []int            `json:"columns"`
	Values  []results.Number `json:"values"`
}

// maxDense is the largest Jacobian that is printed with its zeros.
const maxDense = 1_000_000

// evalOptions are the flags of cutest eval.
type evalOptions struct {
	file   string
	params map[string]string
	at     string // file of the point; "" for the start
}

func readEval(c *cli.Context) (evalOptions, error) {
	o := evalOptions{file: c.Args().First(), params: map[string]string{}, at: c.String("at")}
	if c.NArg() != 1 {
		return o, command.Usagef("eval takes one SIF file, found %d arguments", c.NArg())
	}
	for _, param := range command.List(c, "param") {
		name, value, ok := strings.Cut(param, "=")
		if !ok || name == "" || value == "" {
			return o, command.Usagef("--param is %q, must be NAME=VALUE", param)
		}
		o.params[name] = value
	}
	return o, nil
}

func (p program) cutestEval(_ context.Context, o evalOptions) error {
	q, err := benchmark.DecodeFile(o.file, o.params)
	if err != nil {
		return err
	}
	x := q.Start()
	if o.at != "" {
		if x, err = p.readPoint(o.at, q.N()); err != nil {
			return err
		}
	}
	v := q.NewValues()
	q.NewEvaluator().All(v, x)
	e := newFunctionValues(q, v, x)
	if p.JSON {
		return p.PrintJSON(e)
	}
	return p.Print(e.text(q))
}

func newFunctionValues(q *cutest.Problem, v *cutest.Values, x []float64) *functionValues {
	e := &functionValues{
		Name: q.Name, N: q.N(), M: q.M(), F: results.Number(v.Objective),
		G: numbers(v.Gradient), C: numbers(v.Constraints), X: numbers(x),
	}
	if q.N()*q.M() > maxDense {
		e.Sparse = &triplets{Columns: q.Columns, Values: numbers(v.Jacobian)}
		for i := range q.M() {
			for range q.RowStart[i+1] - q.RowStart[i] {
				e.Sparse.Rows = append(e.Sparse.Rows, i)
			}
		}
		return e
	}
	e.J = make([][]results.Number, q.M())
	for i := range e.J {
		e.J[i] = make([]results.Number, q.N())
		for k := q.RowStart[i]; k < q.RowStart[i+1]; k++ {
			e.J[i][q.Columns[k]] = results.Number(v.Jacobian[k])
		}
	}
	return e
}

func numbers(values []float64) []results.Number {
	out := make([]results.Number, len(values))
	for i, v := range values {
		out[i] = results.Number(v)
	}
	return out
}

// text is the functionValues for a person: the variables with the gradient, then the
// constraints with the entries of their gradients.
func (e *functionValues) text(q *cutest.Problem) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s   n = %d   m = %d   f = %.10g\n\n", e.Name, e.N, e.M, float64(e.F))
	rows := make([][]string, e.N)
	for j, v := range q.Variables {
		rows[j] = []string{v.Name, fmt.Sprintf("%.10g", float64(e.X[j])), fmt.Sprintf("%.10g", float64(e.G[j]))}
	}
	command.WriteTable(&b, []string{"variable", "x", "gradient"}, rows)
	if e.M > 0 {
		b.WriteByte('\n')
		rows = make([][]string, e.M)
		for i, c := range q.Constraints {
			rows[i] = []string{c.Name, fmt.Sprintf("%.10g", float64(e.C[i])), fmt.Sprint(q.RowStart[i+1] - q.RowStart[i])}
		}
		command.WriteTable(&b, []string{"constraint", "c", "entries of J"}, rows)
	}
	return b.Bytes()
}

// readPoint reads a point of n variables: numbers between white space, a JSON array, or
// a JSON object with the array x, such as cutest eval prints.
func (p program) readPoint(path string, n int) ([]float64, error) {
	var text []byte
	var err error
	if path == "-" {
		text, err = sidefile.ReadFrom(p.Stdin, "standard input", sidefile.Most)
	} else {
		text, err = sidefile.Read(path, sidefile.Most)
	}
	if err != nil {
		return nil, err
	}
	var point struct{ X []results.Number }
	switch trimmed := bytes.TrimSpace(text); {
	case bytes.HasPrefix(trimmed, []byte("[")):
		err = json.Unmarshal(text, &point.X)
	case bytes.HasPrefix(trimmed, []byte("{")):
		err = json.Unmarshal(text, &point)
	default:
		for _, field := range strings.Fields(string(text)) {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %q is not a number", path, field)
			}
			point.X = append(point.X, results.Number(v))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(point.X) != n {
		return nil, fmt.Errorf("%s: a point of %d numbers, the problem has %d variables", path, len(point.X), n)
	}
	x := make([]float64, n)
	for j, v := range point.X {
		x[j] = float64(v)
	}
	return x, nil
}
