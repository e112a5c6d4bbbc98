package classifier

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/internal/names"
)

// Scale says how log-odds become points: Base points stand for Odds to 1 of a positive label, and
// PDO points more double the odds (Siddiqi, Credit Risk Scorecards, 2006, chapter 6).
type Scale struct {
	Base float64 `json:"base"`
	Odds float64 `json:"odds"`
	PDO  float64 `json:"pdo"`
}

// DefaultScale is a usual one: 600 points at odds of 19 to 1, and 50 to double them.
func DefaultScale() Scale { return Scale{600, 19, 50} }

// Validate reports what is out of range.
func (s Scale) Validate() error {
	const largest = 1e6
	var errs []error
	for _, part := range []struct {
		name         string
		value, least float64
	}{{"base", s.Base, -largest}, {"odds", s.Odds, 1 / largest}, {"pdo", s.PDO, 1}} {
		if !(part.value >= part.least && part.value <= largest) {
			errs = append(errs, fmt.Errorf("%s is %v, must be in [%g, %g]", part.name, part.value, part.least, largest))
		}
	}
	return errors.Join(errs...)
}

// Factor is the number of points for a log-odds of 1.
func (s Scale) Factor() float64 { return s.PDO / math.Ln2 }

// Offset is the number of points for a log-odds of 0.
func (s Scale) Offset() float64 { return s.Base - s.Factor()*math.Log(s.Odds) }

// LogOdds are those that points stand for.
func (s Scale) LogOdds(points float64) float64 { return (points - s.Offset()) / s.Factor() }

// Points say that a classifier is a scorecard: every weight is an integer number of points over
// Factor, and so are the points of everybody, Offset + Factor·intercept.
type Points struct {
	Scale
	Factor float64 `json:"factor"`
	Offset float64 `json:"offset"`
	Cutoff int     `json:"cutoff"` // the least points of a positive decision
}

// CheckScorecard returns an error that names the columns whose values can't have points of their
// own, as they are numbers that are multiplied by weights.
func (f *Features) CheckScorecard() error {
	if f.Kind == LIBSVM {
		return errors.New("a scorecard needs columns, and the features of LIBSVM rows have none")
	}
	var linear []string
	for _, c := range f.Columns() {
		if c.number() {
			linear = append(linear, c.Name)
		}
	}
	if linear == nil {
		return nil
	}
	return fmt.Errorf("a scorecard needs numbers in bins, and these are multiplied by weights: %s", names.Text(strings.Join(linear, ", ")))
}

// SetPoints makes c a scorecard that decides positively from a cutoff on, with points for every
// feature and for everybody. The threshold lies between the cutoff and the points below.
func (c *Classifier) SetPoints(s Scale, points []int, constant, cutoff int) {
	c.Points = &Points{s, s.Factor(), s.Offset(), cutoff}
	c.Weights = make([]float64, len(points))
	for j, p := range points {
		c.Weights[j] = float64(p) / s.Factor()
	}
	c.Intercept = s.LogOdds(float64(constant))
	c.Threshold = sigmoid(s.LogOdds(float64(cutoff) - 0.5))
}

// pointsOf are the points of a weight.
func (p *Points) pointsOf(weight float64) int { return int(math.Round(weight * p.Factor)) }

// constant are the points of everybody.
func (p *Points) constant(intercept float64) int {
	return int(math.Round(p.Offset + p.Factor*intercept))
}

// validatePoints reports what is wrong with the points of a model file.
func (c *Classifier) validatePoints() error {
	p := c.Points
	if err := errors.Join(p.Validate(), c.Features.CheckScorecard()); err != nil {
		return fmt.Errorf("points: %w", err)
	}
	const roundoff = 1e-6
	near := func(a, b float64) bool { return math.Abs(a-b) <= roundoff*max(1, math.Abs(b)) }
	if !near(p.Factor, p.Scale.Factor()) || !near(p.Offset, p.Scale.Offset()) {
		return fmt.Errorf("points: factor is %v and offset %v, but base, odds and pdo make them %v and %v", p.Factor, p.Offset, p.Scale.Factor(), p.Scale.Offset())
	}
	for j, w := range c.Weights {
		if !near(p.Factor*w, math.Round(p.Factor*w)) {
			return fmt.Errorf("points: weights[%d] is %v, which is no integer number of points", j, w)
		}
	}
	if all := p.Offset + p.Factor*c.Intercept; !near(all, math.Round(all)) {
		return fmt.Errorf("points: intercept is %v, which is no integer number of points", c.Intercept)
	}
	return nil
}

// RowPoints are the points of row i of x, of a scorecard.
func (c *Classifier) RowPoints(x *sparse.Matrix, i int) int {
	sum := c.Points.constant(c.Intercept)
	for j, v := range x.Row(i) {
		if v != 0 {
			sum += c.Points.pointsOf(c.Weights[j])
		}
	}
	return sum
}

// Scorecard is a model as a table to add up by hand: a row has the points of everybody and, of every
// column, those of the line of its value. The lowest line of a column has 0 points.
type Scorecard struct {
	Points
	Constant int               `json:"constant"` // the points of everybody, the least there are
	Most     int               `json:"most"`     // the most points that a row can have
	Columns  []ScorecardColumn `json:"columns"`  // of most points first
	// Without are columns of which all values have the same points, which are in Constant.
	Without []string `json:"without"`
}

// ScorecardColumn is a column of the source.
type ScorecardColumn struct {
	Column           string          `json:"column"`
	InformationValue *float64        `json:"information_value"` // see InformationValue; null if unknown
	Lines            []ScorecardLine `json:"lines"`
}

// ScorecardLine is a value of a column, or neighbouring bins of a number that have equal points.
type ScorecardLine struct {
	Value           string `json:"value"` // "Bachelors", "in [25, 40) or (missing)"
	encoding.Bounds        // of a number
	// Share of the training rows, rounded to Reference.MinCount rows; null if unknown.
	Share  *float64 `json:"share"`
	Points int      `json:"points"`
}

// Scorecard returns the table of a model that has points.
func (c *Classifier) Scorecard() *Scorecard {
	card := &Scorecard{Points: *c.Points, Constant: c.Points.constant(c.Intercept), Columns: []ScorecardColumn{}, Without: []string{}}
	for _, column := range c.Features.Columns() {
		lines := c.lines(&column)
		least := slices.MinFunc(lines, byPoints).Points
		for k := range lines {
			lines[k].Points -= least
		}
		card.Constant += least
		if most := slices.MaxFunc(lines, byPoints).Points; most > 0 {
			card.Most += most
			card.Columns = append(card.Columns, ScorecardColumn{column.Name, c.Reference.informationValue(column.Name), lines})
		} else {
			card.Without = append(card.Without, column.Name)
		}
	}
	card.Most += card.Constant
	slices.SortStableFunc(card.Columns, func(a, b ScorecardColumn) int {
		return slices.MaxFunc(b.Lines, byPoints).Points - slices.MaxFunc(a.Lines, byPoints).Points
	})
	return card
}

func byPoints(a, b ScorecardLine) int { return a.Points - b.Points }

// lines returns the lines of a column: bins, levels, and what has no feature.
func (c *Classifier) lines(column *Column) (lines []ScorecardLine) {
	bins := 0
	if e := column.Encoding; e != nil && e.Binned() {
		bins = len(e.Edges) + 1
	}
	for j := column.First; j < column.End; j++ {
		l := ScorecardLine{Points: c.Points.pointsOf(c.Weights[j])}
		if c.Reference != nil {
			l.Share = new(c.Reference.Mean[j])
		}
		bin := j - column.First
		if bin >= bins {
			l.Value = strings.TrimPrefix(c.Features.name(j), column.Name+"=")
			lines = append(lines, l)
			continue
		}
		l.Bounds = column.Encoding.Bounds(bin)
		if last := len(lines) - 1; last >= 0 && lines[last].Points == l.Points {
			lines[last].Below = l.Below
			if l.Share != nil {
				*lines[last].Share += *l.Share
			}
		} else {
			lines = append(lines, l)
		}
	}
	for k := range lines {
		if lines[k].Value == "" {
			lines[k].Value = lines[k].Name()
			if m := column.Encoding.Median; m != nil && lines[k].Has(*m) && column.missing() < 0 {
				lines[k].Value += " or " + dataset.MissingLevel
			}
		}
	}
	if other := column.unnamed(); other != "" {
		lines = append(lines, ScorecardLine{Value: other})
	}
	return lines
}
