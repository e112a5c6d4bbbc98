package classifier

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// Explanation is what a model uses and how strongly, in the units of its source.
type Explanation struct {
	Label     string  `json:"label,omitempty"` // "income: <=50K → −1, >50K → +1"; of CSV files
	Intercept float64 `json:"intercept"`       // of the features
	// Constant is what the effects are added to: the log-odds of the score of a row that has the
	// reference level of every category, the value From of every number, and nothing else.
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
	As     string `json:"as"` // as in a schema; "raw" of LIBSVM features, "groups" of a product
	// Strength is the standard deviation over the training rows of what the column adds to
	// the log-odds. Without a reference levels are taken to be equally frequent, and numbers
	// that are not standardised to have the standard deviation 1.
	Strength float64 `json:"strength"`
	// Groups are the protected groups that the column is a part of: the model uses them
	// directly.
	Groups  []string `json:"groups"`
	Proxies []Proxy  `json:"proxies"` // the groups that the column predicts
	Effects []Effect `json:"effects"`
}

// Effect is the effect of one unit of a number, or of a level instead of the column's
// reference level.
type Effect struct {
	Feature string `json:"feature"` // "age", "education=Bachelors"
	Level   string `json:"level"`   // "" of a number's unit
	// Reference marks the reference level, the most frequent one, with which the others are
	// compared. Its effect is 0.
	Reference bool `json:"reference,omitempty"`
	// Other marks the effect of a value that has no feature, instead of the reference level.
	Other   bool    `json:"other,omitempty"`
	LogOdds float64 `json:"log_odds"`
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

// asGroups is the kind of the features of groups, which no schema declares.
const asGroups = "groups"

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
		_, base := c.base(&column)
		e.Constant += base
		e.Columns = append(e.Columns, c.columnEffect(&column, protected))
	}
	slices.SortStableFunc(e.Columns, func(a, b ColumnEffect) int { return cmp.Compare(b.Strength, a.Strength) })
	return e
}

// columnEffect explains one column.
func (c *Classifier) columnEffect(column *Column, protected []string) ColumnEffect {
	e := ColumnEffect{
		Column: column.Name, As: tabular.Raw, Strength: c.strength(column),
		Groups: c.Features.groupsOf(column, protected), Proxies: []Proxy{},
	}
	switch {
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
	reference, base := c.base(column)
	if reference < 0 {
		base = 0
	}
	for j := column.First; j < column.End; j++ {
		effect := c.effect(column, j, c.Weights[j]-base)
		effect.Reference = j == reference
		e.Effects = append(e.Effects, effect)
	}
	if level := column.unnamed(); level != "" {
		e.Effects = append(e.Effects, Effect{Feature: column.Name + "=" + level, Level: level, Other: true, LogOdds: -base, OddsRatio: c.oddsRatio(-base)})
	}
	if e.As == tabular.OneHot || column.Cross != nil {
		slices.SortStableFunc(e.Effects, func(a, b Effect) int { return cmp.Compare(b.LogOdds, a.LogOdds) })
	}
	return e
}

// base is what a column adds to the log-odds of the constant: its reference level, −1 for none, or
// a number's mean.
func (c *Classifier) base(column *Column) (reference int, logOdds float64) {
	switch {
	case column.Cross != nil:
		return -1, 0
	case !column.number():
		reference = c.mostFrequent(column)
		return reference, c.Weights[reference]
	}
	if column.standardised() {
		return -1, 0 // the feature of the mean is 0
	}
	return -1, c.Weights[column.First] * column.mean()
}

// effect explains feature j of a column, given its weight minus the weight of the reference
// level.
func (c *Classifier) effect(column *Column, j int, weight float64) Effect {
	name := c.Features.name(j)
	if !column.number() || j > column.First {
		e := Effect{Feature: name, Level: strings.TrimPrefix(name, column.Name+"="), LogOdds: weight}
		e.OddsRatio = c.oddsRatio(weight)
		if c.Reference != nil {
			e.Share = &c.Reference.Mean[j]
		}
		return e
	}
	e := Effect{Feature: name, LogOdds: weight / column.unit()}
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

// mostFrequent returns the feature of the most frequent level; without a reference, the
// first one.
func (c *Classifier) mostFrequent(column *Column) int {
	best := column.First
	for j := best + 1; j < column.End && c.Reference != nil; j++ {
		if c.Reference.Mean[j] > c.Reference.Mean[best] {
			best = j
		}
	}
	return best
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
		share := 1 / float64(column.End-column.First)
		if c.Reference != nil {
			share = c.Reference.Mean[j]
		}
		mean += float64(share * c.Weights[j])
		variance += float64(share * c.Weights[j] * c.Weights[j])
	}
	return math.Sqrt(max(variance-mean*mean, 0))
}
