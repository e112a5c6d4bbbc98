package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// Source is what a report is made from.
type Source struct {
	Model *classifier.Classifier // nil for predictions of any program
	Sets  []Set                  // at most one of each role, in the order of the roles
	// Constraints are those to judge by; nil: the model's.
	Constraints []classifier.Constraint
	Command     string // that makes the report again, of predictions
	// Guarantee is the outcome of a test, nil for none.
	Guarantee *Guarantee
	Card      *Card    // nil for none
	Groups    []string // specifications of groups to show besides the constraints' groups
	Remarks   []string // what a reader of the verdict must know besides, in sentences
	MinGroup  int      // groups of fewer people are merged; at least 1
}

// Set is labelled rows with the features of the model, or predictions.
type Set struct {
	Role Role
	Data *dataset.Dataset
	// Scored are the rows with their scores; nil: those of the model.
	Scored *scoring.Scored
	// Shards are all rows if Data are a sample; nil otherwise. All figures are of all rows.
	Shards *shards.Rows
}

// scoredSet is rows with the model's scores.
type scoredSet struct {
	Set
	*scoring.Scored
}

// builder makes a document.
type builder struct {
	Source // its Model has nothing where there is none
	sets   []scoredSet
	doc    *Document
	// shown are the groups, by their key, that the comparisons show on their own, and whether with
	// figures that use labels.
	shown map[string]bool
}

// Build makes the document. Errors: no rows, a role twice, rows that lack the columns of the
// groups, features that are not the model's.
func Build(s Source) (*Document, error) {
	if len(s.Sets) == 0 {
		return nil, errors.New("report: no rows")
	}
	title := "Report on a classifier"
	if s.Model == nil {
		s.Model, title = new(classifier.Classifier), "Report on predictions"
	}
	if s.Constraints == nil {
		s.Constraints = s.Model.Constraints
	}
	b := &builder{Source: s, shown: map[string]bool{}, doc: &Document{
		Format: Format, Title: title, Card: s.Card, Command: names.Line(cmp.Or(s.Model.Training.Command, s.Command)),
		Privacy: Privacy{MinGroup: s.MinGroup}, Tests: []Test{}, Cost: []Cost{},
		Requirements: []words.Finding{}, Comparison: []Comparison{},
	}}
	for _, set := range s.Sets {
		if b.set(set.Role) != nil {
			return nil, fmt.Errorf("report: the %s rows are there twice", set.Role)
		}
		scored := set.Scored
		if scored == nil {
			var err error
			if scored, err = scoring.Over(s.Model, set.Data, set.Shards); err != nil {
				return nil, err
			}
		}
		b.sets = append(b.sets, scoredSet{set, scored})
	}
	b.doc.Threshold, b.doc.Decided = b.sets[0].Threshold(), b.sets[0].Decided()
	if s.Card != nil && s.Card.Title != "" {
		b.doc.Title = s.Card.Title
	}
	for _, step := range []func() error{b.compare, b.describeModel, b.describeRows, b.evaluateConstraints, b.compareDecisions} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	b.cost()
	b.guarantee()
	b.conclude()
	return b.doc, nil
}

// set returns the rows of a role, nil if there are none.
func (b *builder) set(role Role) *scoredSet {
	for k := range b.sets {
		if b.sets[k].Role == role {
			return &b.sets[k]
		}
	}
	return nil
}

func (b *builder) describeModel() error {
	m, t := b.Model, b.Model.Training
	if b.sets[0].Role == Predicted {
		return nil
	}
	hash := sha256.New()
	if err := m.Write(hash); err != nil {
		return err
	}
	b.doc.Model = &Model{
		SHA256: hex.EncodeToString(hash.Sum(nil)), Version: t.Version, Status: t.Status, Method: t.Method, Loss: t.Loss, Seed: t.Seed,
		Unseen: t.Unseen, Given: t.GivenScore, Costs: t.Costs, Features: m.Features.Count,
		Residual: cmp.Or(t.ScaledResidual, t.KKTResidual), Objective: t.Objective,
		Training: classifier.Source{Name: fileName(t.Data.Name), SHA256: t.Data.SHA256, Rows: t.Data.Rows}, Uses: b.uses(),
	}
	if t.Unseen != nil { // the document has what it shows of the changes
		b.doc.Model.Unseen = new(*t.Unseen)
		b.doc.Model.Unseen.Changes = nil
	}
	if m.Points != nil {
		b.doc.Model.Points = b.scorecard()
	}
	for _, t := range m.Tests {
		b.doc.Tests = append(b.doc.Tests, Test{Rows: t.Rows, Requirements: t.Requirements, Confidence: t.Confidence, Holds: t.Holds})
	}
	return nil
}

func (b *builder) describeRows() error {
	for _, set := range b.sets {
		d := set.Data
		r := Rows{Role: set.Role, Name: fileName(d.Name), SHA256: d.Hash, Rows: d.All(), Weighted: d.Weighted(), Labelled: set.Labelled()}
		if d.Missing != nil && set.Role != Predicted { // of which no column is a feature
			r.Missing = []MissingCount{}
		}
		for _, c := range d.Missing {
			n := fairness.Value(c.Rows)
			if c.Rows < b.MinGroup {
				n = fairness.Undefined()
			}
			r.Missing = append(r.Missing, MissingCount{c.Column, n})
		}
		cells, all, err := b.measure(&set, new(scoring.Grouping))
		if err != nil {
			return err
		}
		r.Cell, r.Gini, r.KS = cells[0].Cell, all.Gini, all.KS
		b.doc.Rows = append(b.doc.Rows, r)
	}
	return nil
}

// unconstrained returns the figures that the model file has of the unconstrained baseline on the
// rows of a role, nil if it has none.
func (b *builder) unconstrained(role Role) *classifier.Baseline {
	rows := map[Role]string{Training: classifier.TrainRows, Validation: classifier.ValidationRows, Held: classifier.TestRows}[role]
	set := b.set(role)
	for k := range b.Model.Training.Unconstrained {
		u := &b.Model.Training.Unconstrained[k]
		if set != nil && u.Rows == rows && u.Source.SHA256 == set.Data.Hash && u.Source.Rows == set.Data.All() {
			return u
		}
	}
	return nil
}

// cost enters what the constraints cost.
func (b *builder) cost() {
	positive := b.doc.Rows[0].BaseRate.Value >= 0.5 // the majority class
	for k := range b.sets {
		rows := &b.doc.Rows[k]
		if !rows.Labelled {
			continue
		}
		c := Cost{Measures: []fairness.Value{}}
		c.Role, c.Accuracy, c.Majority = rows.Role, rows.Accuracy.Value, 1-rows.BaseRate.Value
		c.Unconstrained, c.Gain = fairness.Undefined(), fairness.Undefined()
		if positive {
			c.Majority = rows.BaseRate.Value
		}
		if costs := b.Model.Training.Costs; costs != nil {
			c.Costs = paid(costs, &rows.Cell)
		}
		u := b.unconstrained(rows.Role)
		if u != nil {
			c.Unconstrained, c.Unfinished = fairness.Value(u.Accuracy), u.Unfinished
			c.Gain = c.Accuracy - c.Unconstrained
		}
		if b.set(Constraints) != nil { // the model file has their measures as those of the training rows
			switch rows.Role {
			case Constraints:
				u = b.unconstrained(Training)
			case Training:
				u = nil
			}
		}
		if u != nil {
			c.Measures = b.measures(u.Requirements)
		}
		b.doc.Cost = append(b.doc.Cost, c)
		if u := b.Model.Training.Unseen; u != nil && rows.Role == Training {
			var free []*float64
			for _, e := range u.UnconstrainedRequirements {
				free = append(free, e.Value)
			}
			b.doc.Cost = append(b.doc.Cost, Cost{Cost: words.UnseenCost(u, c.Majority), Measures: b.measures(free)})
		}
	}
}

// measures are values of the constraints that the model was trained for, in the order of the report.
func (b *builder) measures(of []*float64) []fairness.Value {
	list := []fairness.Value{}
	for _, f := range b.doc.Requirements {
		v := fairness.Undefined()
		if k := b.trainedFor(f.Spec, f.On); k >= 0 && k < len(of) {
			v = words.Optional(of[k])
		}
		list = append(list, v)
	}
	return list
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

// fileName is the name of data, or the names of a list, without folders.
func fileName(name string) string {
	if name == "" {
		return ""
	}
	list := strings.Split(name, ",")
	for k, file := range list {
		list[k] = path.Base(filepath.ToSlash(strings.ReplaceAll(file, `\`, "/")))
	}
	return strings.Join(list, ",")
}
