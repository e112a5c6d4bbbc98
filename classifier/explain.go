package classifier

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// Explanation is what a model uses and how strongly, in the units of its source.
type Explanation struct {
	Label     string  `json:"label,omitempty"` // "income: <=50K → −1, >50K → +1"; of CSV files
	Intercept float64 `json:"intercept"`       // of the features
	// Constant is what the effects are added to: the log-odds of the score of a row that is average
	// in everything. The mean effect of a column over the training rows is 0.
	Constant  float64 `json:"constant"`
	Threshold float64 `json:"threshold"`
	// Probability says whether scores are probabilities of the positive label. If they are
	// not, e^effect is no ratio of odds.
	Probability bool `json:"probability"`
	// Columns are the columns that the model uses, the strongest first.
	Columns []ColumnEffect  `json:"columns"`
	Dropped []DroppedColumn `json:"dropped"`
	Leaks   []Leak          `json:"leaks"` // columns that tell the label
	// Groups are the specifications whose groups columns were compared with; a column is a
	// proxy if its AUC is at least ProxyAUC.
	Groups    []string          `json:"groups"`
	ProxyAUC  float64           `json:"proxy_auc"`
	Reference *ReferenceSummary `json:"reference"` // null if the model file has none
}

// ReferenceSummary describes the rows that are compared with.
type ReferenceSummary struct {
	Rows     int     `json:"rows"`
	MinCount int     `json:"min_count"`
	Score    float64 `json:"score"` // of who is average in everything
	// Sample is the number of the rows by which proxies and leaks were looked for, if not by all.
	Sample int `json:"sample,omitempty"`
}

// ColumnEffect is the effect of a column of the source on the log-odds of the score.
type ColumnEffect struct {
	Column string `json:"column"`
	As     string `json:"as"` // as in a schema; "raw" of LIBSVM features, "groups" of a product, "pair" of two columns
	// Strength is the standard deviation over the training rows of what the column adds to
	// the log-odds. Without a reference levels are taken to be equally frequent, and numbers
	// that are not standardised to have the standard deviation 1.
	Strength float64 `json:"strength"`
	// Groups are the protected groups that the column is a part of: the model uses them
	// directly.
	Groups  []string `json:"groups"`
	Proxies []Proxy  `json:"proxies"` // the groups that the column predicts
	// InformationValue is that of the column alone for the label; null if unknown.
	InformationValue *float64 `json:"information_value"`
	// Range is that of a number on the training rows, but for a few; nil if it is unknown.
	Range *[2]float64 `json:"range,omitempty"`
	// Axes are the features of the two columns of a pair, whose cells the effects are.
	Axes    *[2][]string `json:"axes,omitempty"`
	Effects []Effect     `json:"effects"`
	// Opposed is set if the effect runs against the association with the label: their correlation.
	Opposed *float64 `json:"opposed,omitempty"`
}

// Effect is the effect of one unit of a number, or of a level or a bin compared with the mean over
// the training rows: without a reference, over the levels.
type Effect struct {
	Feature         string `json:"feature"` // "age", "education=Bachelors"
	Level           string `json:"level"`   // "" of a number's unit
	encoding.Bounds        // of a bin
	// Cell are the numbers of the two features on the axes of a pair.
	Cell *[2]int `json:"cell,omitempty"`
	// Other marks the effect of a value that has no feature.
	Other   bool    `json:"other,omitempty"`
	LogOdds float64 `json:"log_odds"`
	// Unconstrained is the effect without the constraints; nil if it is unknown.
	Unconstrained *float64 `json:"unconstrained,omitempty"`
	// From is the value of a number at which its effect is 0; nil for levels. It is the mean, which
	// also stands for a missing number, or 0 for LIBSVM features.
	From *float64 `json:"from"`
	// OddsRatio is e^LogOdds; nil where scores are no probabilities.
	OddsRatio *float64 `json:"odds_ratio"`
	// SD is the standard deviation of a number in the training rows, and LogOddsSD its
	// effect; nil for levels and where it is unknown.
	SD          *float64 `json:"sd"`
	LogOddsSD   *float64 `json:"log_odds_per_sd"`
	OddsRatioSD *float64 `json:"odds_ratio_per_sd"`
	// Share of the training rows that have the level, rounded to MinCount rows; nil for
	// numbers and where it is unknown.
	Share *float64 `json:"share"`
}

// DroppedColumn is a column that the model does not use.
type DroppedColumn struct {
	Column string `json:"column"`
	Reason string `json:"reason"`
}

// Kinds of features that no schema declares.
const (
	asGroups = "groups"
	asPair   = "pair"
)

// HasProbabilities reports whether scores are meant to be probabilities: no constraint bounds
// scores, and they are calibrated or those of the logistic loss, which a search for decisions has
// not moved.
func (c *Classifier) HasProbabilities() bool {
	bounds := func(on string) bool {
		return slices.ContainsFunc(c.Constraints, func(con Constraint) bool { return con.On == on })
	}
	fitted := c.Training.Loss == "logistic" && !bounds("decisions")
	return !bounds("scores") && (c.Training.Calibration != nil || fitted)
}

// Explain says what the model uses. groups are specifications of protected groups, besides
// the groups of the schema and of the reference.
func (c *Classifier) Explain(groups []string) *Explanation {
	e := &Explanation{
		Intercept: c.Intercept, Constant: c.Intercept, Threshold: c.Threshold, Probability: c.HasProbabilities(),
		Columns: []ColumnEffect{}, Dropped: []DroppedColumn{}, Leaks: []Leak{}, Groups: []string{}, ProxyAUC: ProxyAUC,
	}
	protected := slices.Clone(groups)
	if r := c.Reference; r != nil {
		e.Groups = append(e.Groups, r.Groups...)
		e.Leaks = append(e.Leaks, r.Leaks...)
		protected = append(protected, r.Groups...)
		e.Reference = &ReferenceSummary{Rows: r.Rows, MinCount: r.MinCount, Sample: r.Sample}
		if s, err := c.Contributions(); err == nil {
			e.Reference.Score = s.Score()
		}
	}
	if c.Features.Kind == CSV {
		schema := c.Features.Encoding.Schema
		e.Label = schema.Label.Rule()
		for _, spec := range schema.Columns {
			protected = append(protected, schema.GroupsOf(spec.Name)...)
			if spec.As == tabular.Drop {
				e.Dropped = append(e.Dropped, DroppedColumn{spec.Name, cmp.Or(spec.Reason, "the schema drops it")})
			}
		}
	}
	slices.Sort(protected)
	protected = slices.Compact(protected)
	for _, column := range c.Features.Columns() {
		e.Constant += c.centre(&column, c.Weights)
		e.Columns = append(e.Columns, c.columnEffect(&column, protected))
	}
	slices.SortStableFunc(e.Columns, func(a, b ColumnEffect) int { return cmp.Compare(b.Strength, a.Strength) })
	return e
}

// columnEffect explains one column.
func (c *Classifier) columnEffect(column *Column, protected []string) ColumnEffect {
	e := ColumnEffect{
		Column: column.Name, As: tabular.Raw, Strength: c.strength(column),
		Groups: c.Features.groupsOf(column, protected), Proxies: []Proxy{}, InformationValue: c.Reference.informationValue(column.Name),
	}
	switch {
	case column.Cross != nil && column.Cross.Pair():
		e.As = asPair
	case column.Cross != nil:
		e.As = asGroups
	case column.Encoding != nil:
		e.As = column.Encoding.As
	}
	if c.Reference != nil {
		for _, p := range c.Reference.Proxies {
			if p.Column == column.Name {
				e.Proxies = append(e.Proxies, p)
			}
		}
	}
	if column.Encoding != nil {
		e.Range = column.Encoding.Range
	}
	if o := c.Training.opposes(column.Name); o != nil {
		e.Opposed = &o.Correlation
	}
	for j := column.First; j < column.End; j++ {
		e.Effects = append(e.Effects, c.effect(column, j))
	}
	if column.Cross != nil && column.Cross.Pair() {
		axes := column.Cross.Axes()
		e.Axes = &axes
		for k := range column.Cross.At {
			e.Effects[k].Cell = &column.Cross.At[k]
		}
	}
	if level := column.unnamed(); level != "" {
		e.Effects = append(e.Effects, c.levelEffect(column, -1, column.Name+"="+level))
		e.Effects[len(e.Effects)-1].Other = true
	}
	if e.As == tabular.OneHot || column.Cross != nil {
		slices.SortStableFunc(e.Effects, func(a, b Effect) int { return cmp.Compare(b.LogOdds, a.LogOdds) })
	}
	return e
}

// centre is what a column adds on average over the training rows, with the given weights: for a
// number, what its mean adds.
func (c *Classifier) centre(column *Column, weights []float64) (mean float64) {
	if column.number() {
		return float64(weights[column.First] * column.imputed())
	}
	for j := column.First; j < column.End; j++ {
		mean += float64(weights[j] * c.share(column, j))
	}
	return mean
}

// share is that of the rows that have a level; without a reference, all are equally frequent.
func (c *Classifier) share(column *Column, j int) float64 {
	if c.Reference == nil {
		return 1 / float64(column.End-column.First)
	}
	return c.Reference.Mean[j]
}

// levelEffect explains the level that feature j stands for, −1 for no feature.
func (c *Classifier) levelEffect(column *Column, j int, name string) Effect {
	of := func(weights []float64) (logOdds float64) {
		if j >= 0 {
			logOdds = weights[j]
		}
		if !column.number() { // one that is missing is compared with the mean
			logOdds -= c.centre(column, weights)
		}
		return logOdds
	}
	e := Effect{Feature: name, Level: strings.TrimPrefix(name, column.Name+"="), LogOdds: of(c.Weights)}
	e.OddsRatio = c.oddsRatio(e.LogOdds)
	if c.Unconstrained != nil {
		e.Unconstrained = new(of(c.Unconstrained))
	}
	if j >= 0 && c.Reference != nil {
		e.Share = &c.Reference.Mean[j]
	}
	if j >= 0 && column.Encoding != nil {
		e.Bounds = column.Encoding.Bounds(j - column.First)
	}
	return e
}

// effect explains feature j of a column.
func (c *Classifier) effect(column *Column, j int) Effect {
	name := c.Features.name(j)
	if !column.number() || j > column.First {
		return c.levelEffect(column, j, name)
	}
	e := Effect{Feature: name, LogOdds: c.Weights[j] / column.unit()}
	if c.Unconstrained != nil {
		e.Unconstrained = new(c.Unconstrained[j] / column.unit())
	}
	from := column.mean()
	e.From = &from
	e.OddsRatio = c.oddsRatio(e.LogOdds)
	if sd, known := c.sd(column); known {
		perSD := e.LogOdds * sd
		e.SD, e.LogOddsSD, e.OddsRatioSD = &sd, &perSD, c.oddsRatio(perSD)
	}
	return e
}

// oddsRatio is e^logOdds, nil where that is no ratio of odds.
func (c *Classifier) oddsRatio(logOdds float64) *float64 {
	ratio := math.Exp(logOdds)
	if !c.HasProbabilities() || math.IsInf(ratio, 0) {
		return nil
	}
	return &ratio
}

// sd returns the standard deviation of a number in the rows of the reference that have one.
func (c *Classifier) sd(column *Column) (sd float64, known bool) {
	switch r := c.Reference; {
	case column.standardised() && (r == nil || !r.OtherRows):
		return column.Encoding.SD, true
	case r == nil:
		return 0, false
	default:
		mean, square := r.Mean[column.First], r.SD[column.First]*r.SD[column.First]
		if j := column.missing(); j >= 0 && r.Mean[j] < 1 {
			// The share that is missing has the value of the mean of training.
			share, apart := r.Mean[j], column.imputed()-mean
			square = (square - share*apart*apart/(1-share)) / (1 - share)
		}
		return math.Sqrt(max(square, 0)) * column.unit(), true
	}
}

// OddsText writes an odds ratio with so many digits, or with as many more as tell it from 1, which
// would mean no effect: one unit more of an income changes the odds little.
func OddsText(ratio float64, digits int) string {
	for ; digits < mostDigits; digits++ {
		if text := strconv.FormatFloat(ratio, 'g', digits, 64); text != "1" || ratio == 1 {
			return text
		}
	}
	return strconv.FormatFloat(ratio, 'g', mostDigits, 64)
}

// mostDigits tell any two numbers apart.
const mostDigits = 17

// strength returns the standard deviation of what the column adds to the log-odds. A row
// has at most one of a column's levels, and a missing number counts as its mean.
func (c *Classifier) strength(column *Column) float64 {
	first, variance := column.First, 0.0
	if column.number() {
		sd := 1.0 // of the feature
		if c.Reference != nil {
			sd = c.Reference.SD[first]
		}
		variance = c.Weights[first] * c.Weights[first] * sd * sd
		first++
	}
	mean := 0.0
	// those who lack a number have the same one
	if j := column.missing(); j >= first && column.number() && c.Reference != nil {
		variance += float64(2 * c.Weights[column.First] * c.Weights[j] * c.Reference.Mean[j] * (column.imputed() - c.Reference.Mean[column.First]))
	}
	for j := first; j < column.End; j++ {
		share := c.share(column, j)
		mean += float64(share * c.Weights[j])
		variance += float64(share * c.Weights[j] * c.Weights[j])
	}
	return math.Sqrt(max(variance-mean*mean, 0))
}
