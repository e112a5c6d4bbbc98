// Package scoring judges rows by the scores of a classifier, whether they are here or in shards.
// Scored is rows with scores. What it knows of them adds up, so that the same questions (ask.go,
// spread.go, median.go) are answered for rows here and by the workers that have shards.
package scoring

import (
	"fmt"
	"slices"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train/decide"
)

// Scored is rows with the scores of a classifier. The scores are kept, unless there are 2²⁰ rows or
// more: then nothing is kept for a row, and scores are computed where they are needed. If the rows
// are a sample, everything but Each and InParts is of all rows.
type Scored struct {
	by     *classifier.Classifier
	data   *dataset.Dataset
	scores []float64    // nil if they are not kept
	given  bool         // scores of any program, not of by
	shards *shards.Rows // all rows, if these are a sample; nil otherwise
}

// New scores rows. It fails if they have more features than the classifier.
func New(c *classifier.Classifier, d *dataset.Dataset) (*Scored, error) {
	s := &Scored{by: c, data: d}
	var few []float64
	if d.Rows() < decide.Many {
		few = make([]float64, d.Rows())
	}
	if err := c.ScoresFrom(few, d.X, 0); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	s.scores = few
	return s, nil
}

// Given returns rows with scores of any program, which is positive from the threshold on.
func Given(d *dataset.Dataset, scores []float64, threshold float64) *Scored {
	return &Scored{by: &classifier.Classifier{Threshold: threshold}, data: d, scores: scores, given: true}
}

// Threshold is the least score of a positive decision.
func (s *Scored) Threshold() float64 { return s.by.Threshold }

// Decided reports whether the scores are decisions of any program.
func (s *Scored) Decided() bool {
	return s.given && !slices.ContainsFunc(s.scores, func(score float64) bool { return score != 0 && score != 1 })
}

// Labelled reports whether all rows have labels.
func (s *Scored) Labelled() bool { return labelled(s.data) }

// Over scores all rows, of which d is a sample; without shards d has all.
func Over(c *classifier.Classifier, d *dataset.Dataset, all *shards.Rows) (*Scored, error) {
	if all == nil {
		return New(c, d)
	}
	return &Scored{by: c, data: d, shards: all}, nil
}

// AtOnce is the number of rows whose scores are used at a time.
const AtOnce = 1 << 10

// Each calls do with the scores of all rows in their order, some at a time from row lo on, until
// there is an error.
func (s *Scored) Each(do func(lo int, scores []float64) error) error {
	return s.between(0, s.data.Rows(), do)
}

// InParts calls do with the scores of all rows, some at a time from row lo on. The parts of
// decide.InParts are looked at side by side, each in the order of its rows.
func (s *Scored) InParts(do func(part, lo int, scores []float64)) {
	decide.InParts(s.data.Rows(), func(part, lo, hi int) {
		_ = s.between(lo, hi, func(lo int, scores []float64) error {
			do(part, lo, scores)
			return nil
		})
	})
}

// between is Each for rows lo to hi−1.
func (s *Scored) between(lo, hi int, do func(lo int, scores []float64) error) error {
	var space [AtOnce]float64
	for ; lo < hi; lo += AtOnce {
		end := min(lo+AtOnce, hi)
		part := space[:end-lo]
		if s.scores != nil {
			part = s.scores[lo:end]
		} else if err := s.by.ScoresFrom(part, s.data.X, lo); err != nil {
			panic(err) // New has tried
		}
		if err := do(lo, part); err != nil {
			return err
		}
	}
	return nil
}

// Judge returns the rows by group, to be judged.
func (s *Scored) Judge(g *Grouping) (*fairness.Judged, error) {
	d := s.data
	switch {
	case s.shards != nil:
		all, err := s.Figures(g, nil)
		if err != nil {
			return nil, err
		}
		return all.Binned.Judged()
	case s.scores != nil:
		p := fairness.Predictions{Scores: s.scores, Threshold: s.by.Threshold, Weights: d.Weights}
		if s.Labelled() {
			p.Labels = d.Y
		}
		return p.By(g.Members(d.Rows()))
	}
	return s.binned(g).Judged()
}

// Meets judges a requirement by the scores, or by the decisions.
func (s *Scored) Meets(r *model.Requirement) (model.Judgement, error) {
	all, err := s.Figures(nil, []*model.Requirement{r})
	if err != nil {
		return model.Judgement{}, err
	}
	return r.JudgeTotals(all.Totals[0]), nil
}

// binned returns the rows by group, added up in bins.
func (s *Scored) binned(g *Grouping) *fairness.Binned {
	d := s.data
	parts := [decide.Parts]*fairness.Binned{fairness.NewBinned(s.by.Threshold, g.Names, d.Weights != nil)}
	s.InParts(func(part, lo int, scores []float64) {
		if parts[part] == nil {
			parts[part] = fairness.NewBinned(s.by.Threshold, g.Names, d.Weights != nil)
		}
		in := make([]int, 0, len(g.of))
		for k, score := range scores {
			in = in[:0]
			for _, of := range g.of {
				if n := of.number[of.strata.Group(lo+k)]; n >= 0 {
					in = append(in, n)
				}
			}
			parts[part].Add(in, score, d.Y[lo+k], d.Weight(lo+k))
		}
	})
	for _, part := range parts[1:] {
		if part == nil {
			continue
		}
		if err := parts[0].Merge(part); err != nil {
			panic(err) // of the same groups
		}
	}
	return parts[0]
}

// Grouping is groups of rows by name. A row may be in several, of different strata.
type Grouping struct {
	Names []string
	of    []numbering
}

// numbering says which groups the groups of strata are.
type numbering struct {
	strata *dataset.Strata
	number []int // of each group, and of the rows of none: index into Names, negative for none
}

// NewGrouping returns the groups of specifications that rows have, see dataset.FindGroups. A
// single one comes with all other rows.
func NewGrouping(d *dataset.Dataset, specs ...string) (*Grouping, error) {
	g := new(Grouping)
	for _, spec := range specs {
		s, err := d.Strata(spec)
		if err != nil {
			return nil, err
		}
		g.addAll(s)
	}
	g.complete()
	return g, nil
}

// GroupingOf returns the groups of specifications that rows have, without those that they lack. A
// single one comes with all other rows.
func GroupingOf(d *dataset.Dataset, specs ...string) *Grouping {
	g := new(Grouping)
	for _, spec := range specs {
		if s, err := d.Strata(spec); err == nil {
			g.addAll(s)
		}
	}
	g.complete()
	return g
}

// Add adds the groups of strata to those of some names. number has, for every group and then for
// the rows of no group, an index into Names, or a negative number for none.
func (g *Grouping) Add(s *dataset.Strata, number []int) { g.of = append(g.of, numbering{s, number}) }

// addAll adds the groups of strata whose names are new.
func (g *Grouping) addAll(s *dataset.Strata) {
	number := slices.Repeat([]int{-1}, len(s.Names)+1)
	for k, name := range s.Names {
		if !slices.Contains(g.Names, name) {
			number[k] = len(g.Names)
			g.Names = append(g.Names, name)
		}
	}
	g.Add(s, number)
}

// complete adds, for every group that is the only one of its specification, the rows that are not
// in it.
func (g *Grouping) complete() {
	alone := len(g.Names) == 1
	for _, of := range g.of {
		if len(of.strata.Names) != 1 || of.number[0] < 0 {
			continue
		}
		of.number[1] = len(g.Names)
		name := fairness.Others
		if !alone {
			name = dataset.OthersThan(of.strata.Names[0])
		}
		g.Names = append(g.Names, name)
	}
}

// Members returns the groups with a mark for every row.
func (g *Grouping) Members(rows int) []fairness.Group {
	groups := make([]fairness.Group, len(g.Names))
	for n, name := range g.Names {
		groups[n] = fairness.Group{Name: name, Member: make([]bool, rows)}
	}
	for _, of := range g.of {
		for i := range rows {
			if n := of.number[of.strata.Group(i)]; n >= 0 {
				groups[n].Member[i] = true
			}
		}
	}
	return groups
}
