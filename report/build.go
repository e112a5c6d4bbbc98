package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// Source is what a report is made from.
type Source struct {
	Model *classifier.Classifier
	Sets  []Set // at most one of each role, in the order of the roles
	// Guarantee is the outcome of a test, nil for none.
	Guarantee *Guarantee
	Card      *Card    // nil for none
	Groups    []string // specifications of groups to show besides the requirements' groups
	Remarks   []string // what a reader of the verdict must know besides, in sentences
	MinGroup  int      // groups of fewer people are merged; at least 1
}

// Set is labelled rows with the features of the model.
type Set struct {
	Role Role
	Data *dataset.Dataset
	// Shards are all rows if Data are a sample; nil otherwise. All figures are of all rows.
	Shards *shards.Rows
}

// judged is rows with the model's scores.
type judged struct {
	Set
	*scoring.Scored
}

// builder makes a document.
type builder struct {
	Source
	sets  []judged
	doc   *Document
	shown map[string]bool // groups by their key that the comparisons show on their own
}

// Build makes the document. Errors: no rows, a role twice, rows that lack the columns of the
// groups, features that are not the model's.
func Build(s Source) (*Document, error) {
	if len(s.Sets) == 0 {
		return nil, errors.New("report: no rows")
	}
	b := &builder{Source: s, shown: map[string]bool{}, doc: &Document{
		Format: Format, Card: s.Card, Command: names.Line(s.Model.Training.Command),
		Privacy: Privacy{MinGroup: s.MinGroup}, Tests: []Test{}, Cost: []Cost{},
		Requirements: []words.Finding{}, Comparison: []Comparison{},
	}}
	for _, set := range s.Sets {
		if slices.ContainsFunc(b.sets, func(j judged) bool { return j.Role == set.Role }) {
			return nil, fmt.Errorf("report: the %s rows are there twice", set.Role)
		}
		scored, err := scoring.Over(s.Model, set.Data, set.Shards)
		if err != nil {
			return nil, err
		}
		b.sets = append(b.sets, judged{set, scored})
	}
	b.doc.Title = "Report on a classifier"
	if s.Card != nil && s.Card.Title != "" {
		b.doc.Title = s.Card.Title
	}
	for _, step := range []func() error{b.compare, b.describeModel, b.describeRows, b.judgeConstraints, b.cost} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	b.guarantee()
	b.conclude()
	return b.doc, nil
}

// set returns the rows of a role, nil if there are none.
func (b *builder) set(role Role) *judged {
	for k := range b.sets {
		if b.sets[k].Role == role {
			return &b.sets[k]
		}
	}
	return nil
}

func (b *builder) describeModel() error {
	m := b.Model
	hash := sha256.New()
	if err := m.Write(hash); err != nil {
		return err
	}
	t := m.Training
	b.doc.Model = Model{
		SHA256: hex.EncodeToString(hash.Sum(nil)), Version: names.Line(t.Version), Status: names.Line(t.Status), Method: names.Line(t.Method),
		Loss: names.Line(t.Loss), Seed: t.Seed, Threshold: m.Threshold, ThresholdOfCosts: thresholdOf(t.Costs), Costs: t.Costs, Features: m.Features.Count,
		Residual: cmp.Or(t.ScaledResidual, t.KKTResidual), ResidualOf: residualOf(m), Objective: t.Objective, Training: classifier.Source{Name: fileName(t.Data.Name), SHA256: names.Line(t.Data.SHA256), Rows: t.Data.Rows}, Uses: b.uses(),
	}
	if e := m.Features.Encoding; e != nil {
		for _, column := range e.Schema.Columns {
			if several := column.SeveralRows; several != nil {
				b.doc.SeveralRows = append(b.doc.SeveralRows, SeveralRows{names.Line(column.Name), several.String()})
			}
		}
	}
	for _, t := range m.Tests {
		b.doc.Tests = append(b.doc.Tests, Test{Rows: t.Rows, Requirements: lines(t.Requirements), Confidence: t.Confidence, Holds: t.Holds})
	}
	return nil
}

// thresholdOf is the threshold at which costs balance, undefined without costs.
func thresholdOf(c *classifier.Costs) fairness.Value {
	if c == nil {
		return fairness.Undefined()
	}
	return fairness.Value(c.WrongPositive / (c.WrongPositive + c.Missed))
}

func residualOf(m *classifier.Classifier) string {
	switch {
	case slices.ContainsFunc(m.Constraints, func(c classifier.Constraint) bool {
		parsed, err := constraint(c)
		return err == nil && parsed != nil && c.On == train.Decisions
	}):
		return words.OfSmooth
	case m.Training.Calibration != nil:
		return words.OfUncalibrated
	}
	return words.OfModel
}

func (b *builder) describeRows() error {
	for _, set := range b.sets {
		d := set.Data
		r := Rows{
			Role: set.Role, Name: fileName(d.Name), SHA256: d.Hash, Rows: d.All(), Weighted: d.Weighted(),
			Known: b.isSource(set),
		}
		if d.Missing != nil {
			r.Missing = []MissingCount{}
		}
		for _, c := range d.Missing {
			n := fairness.Value(c.Rows)
			if c.Rows < b.MinGroup {
				n = fairness.Undefined()
			}
			r.Missing = append(r.Missing, MissingCount{names.Line(c.Column), n})
		}
		cells, err := b.measure(&set, new(scoring.Grouping))
		if err != nil {
			return err
		}
		b.hideLabels([]bool{false}, cells)
		r.Cell = cells[0].Cell
		b.doc.Rows = append(b.doc.Rows, r)
	}
	return nil
}

// isSource reports whether rows are the rows that the model file names for their role.
func (b *builder) isSource(set judged) bool {
	same := func(s classifier.Source) bool { return s.SHA256 == set.Data.Hash && s.Rows == set.Data.All() }
	t := b.Model.Training
	switch set.Role {
	case Training:
		return same(t.Data)
	case Constraints:
		return t.ConstraintData != nil && same(*t.ConstraintData)
	}
	return b.unconstrained(&set) != nil
}

// unconstrained returns the figures that the model file has of the classifier without
// constraints on rows, nil if it has none.
func (b *builder) unconstrained(set *judged) *classifier.Baseline {
	if set == nil {
		return nil
	}
	role := map[Role]string{Training: classifier.TrainRows, Validation: classifier.ValidationRows, Held: classifier.TestRows}[set.Role]
	for k := range b.Model.Training.Unconstrained {
		u := &b.Model.Training.Unconstrained[k]
		if u.Rows == role && u.Source.SHA256 == set.Data.Hash && u.Source.Rows == set.Data.All() {
			return u
		}
	}
	return nil
}

// cost enters what the constraints cost.
func (b *builder) cost() error {
	positive := b.doc.Rows[0].BaseRate.Value >= 0.5 // the majority class
	for k := range b.sets {
		rows := &b.doc.Rows[k]
		c := Cost{Measures: []fairness.Value{}}
		c.Role, c.Accuracy, c.Majority = rows.Role, rows.Accuracy.Value, 1-rows.BaseRate.Value
		c.Unconstrained, c.Gain = fairness.Undefined(), fairness.Undefined()
		if positive {
			c.Majority = rows.BaseRate.Value
		}
		if costs := b.Model.Training.Costs; costs != nil {
			c.Costs = paid(costs, &rows.Cell)
		}
		if u := b.unconstrained(&b.sets[k]); u != nil {
			c.Unconstrained, c.Unfinished = fairness.Value(u.Accuracy), u.Unfinished
			c.Gain = c.Accuracy - c.Unconstrained
		}
		if u := b.unconstrained(b.measuredBy(rows.Role)); u != nil {
			for _, v := range u.Requirements {
				c.Measures = append(c.Measures, words.Optional(v))
			}
		}
		b.doc.Cost = append(b.doc.Cost, c)
	}
	return nil
}

// paid is what wrong decisions cost on rows.
func paid(c *classifier.Costs, rows *Cell) *PaidCosts {
	positives := rows.BaseRate.Value
	negatives := 1 - positives
	wrong, missed := rows.FPR.Value*negatives, (1-rows.TPR.Value)*positives
	if negatives == 0 { // there is no rate
		wrong = 0
	}
	if positives == 0 {
		missed = 0
	}
	price := func(wrong, missed fairness.Value) fairness.Value {
		return fairness.Value(c.WrongPositive)*wrong + fairness.Value(c.Missed)*missed
	}
	return &PaidCosts{Classifier: price(wrong, missed), AllPositive: price(negatives, 0), AllNegative: price(0, positives)}
}

// measuredBy returns the rows under whose name the model file has the measures of
// constraints on rows of a role, nil for none. Measures on the rows of the constraints are
// under the name of the training rows.
func (b *builder) measuredBy(role Role) *judged {
	switch {
	case role == Constraints:
		return b.set(Training)
	case role == Training && b.set(Constraints) != nil:
		return nil
	}
	return b.set(role)
}

// constraint parses a constraint of the model, nil if it stands for none.
func constraint(c classifier.Constraint) (model.Constraint, error) {
	parsed, err := model.ParseConstraint(c.Spec)
	if err != nil || model.IsNone(parsed) {
		return nil, err
	}
	return parsed, nil
}

// fileName is the name of data, or the names of a list, without folders.
func fileName(name string) string {
	if name == "" {
		return ""
	}
	list := strings.Split(name, ",")
	for k, file := range list {
		list[k] = path.Base(filepath.ToSlash(strings.ReplaceAll(file, `\`, "/")))
	}
	return names.Line(strings.Join(list, ","))
}
