package classifier

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// Contributions split the score of a row among the columns of Features.Columns:
//
//	log-odds of the score = Margin + Σ_k contribution of column k
//
// The contribution of a column is Σ_j w_j(a_j − ā_j) over its features, with the means ā of
// the training rows: the part of the difference in log-odds to the reference person, who is
// average in everything, that this column makes. For a linear model these are the Shapley
// values where columns are independent (Lundberg and Lee 2017), and one of the ways to find
// reasons that Regulation B describes: the distance of the applicant from the average score
// of each factor (12 CFR 1002, Supplement I, 9(b)(2), comment 5).
type Contributions struct {
	Columns []Column
	Margin  float64 // log-odds of the reference person's score
	// All makes reasons of columns, too, whose effects run against their association (Opposed).
	All    bool
	c      *Classifier
	column []int     // of every feature
	mean   []float64 // Σ_j w_j ā_j of every column
}

// Contribution is the contribution of a column to the log-odds of a score.
type Contribution struct {
	Column string  `json:"column"`
	Value  string  `json:"value"` // of the row: "age=31", "education=Bachelors"
	Amount float64 `json:"contribution"`
}

// ErrNoReference says that a model file is older than explanations that need a reference.
var ErrNoReference = errors.New("the model file has no reference of the training rows")

// Contributions returns what computes the contributions of rows. It fails with
// ErrNoReference if the model has no reference.
func (c *Classifier) Contributions() (*Contributions, error) {
	if c.Reference == nil {
		return nil, ErrNoReference
	}
	s := &Contributions{Columns: c.Features.Columns(), Margin: c.Intercept, c: c, column: make([]int, len(c.Weights))}
	s.mean = make([]float64, len(s.Columns))
	for k, column := range s.Columns {
		for j := column.First; j < column.End; j++ {
			s.column[j] = k
			s.mean[k] += c.Weights[j] * c.Reference.Mean[j]
		}
		s.Margin += s.mean[k]
	}
	return s, nil
}

// Score is the score of the reference person.
func (s *Contributions) Score() float64 { return sigmoid(s.Margin) }

// Of stores the contributions to row i of x in dst, one for every column.
func (s *Contributions) Of(dst []float64, x *sparse.Matrix, i int) {
	if len(dst) != len(s.Columns) {
		panic(fmt.Sprintf("classifier: %d contributions of %d columns", len(dst), len(s.Columns)))
	}
	floats.ScaleTo(dst, -1, s.mean)
	for j, v := range x.Row(i) {
		dst[s.column[j]] += s.c.Weights[j] * v
	}
}

// Against returns the contributions to row i of x that lower its score, the largest first,
// at most the given number. Where the decision is unfavourable, they are the reasons for it. Values
// are those of the table of which the rows were made; without one, nil, they are as exact as the
// features are: of a shape, a bin.
func (s *Contributions) Against(x *sparse.Matrix, of *tabular.Table, i, most int) []Contribution {
	amount := make([]float64, len(s.Columns))
	s.Of(amount, x, i)
	var order []int
	const rounding = 1e-9 // of products that cancel
	for k, v := range amount {
		if v < -rounding && (s.All || s.c.Training.opposes(s.Columns[k].Name) == nil) {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(amount[a], amount[b]) })
	order = order[:min(most, len(order))]
	values := s.values(x, i, order)
	list := make([]Contribution, len(order))
	for n, k := range order {
		name := s.Columns[k].Name
		list[n] = Contribution{name, values[n], amount[k]}
		if of != nil && of.Column(name) != nil {
			list[n].Value = name + "=" + of.Column(name).Text(i)
		}
	}
	return list
}

// values returns what some columns have in row i of x.
func (s *Contributions) values(x *sparse.Matrix, i int, columns []int) []string {
	features := make([][]float64, len(columns))
	for n, k := range columns {
		features[n] = make([]float64, s.Columns[k].End-s.Columns[k].First)
	}
	for j, v := range x.Row(i) {
		if n := slices.Index(columns, s.column[j]); n >= 0 {
			features[n][j-s.Columns[columns[n]].First] = v
		}
	}
	values := make([]string, len(columns))
	for n, k := range columns {
		values[n] = s.c.Features.value(&s.Columns[k], features[n])
	}
	return values
}
