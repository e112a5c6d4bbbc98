package report

import (
	"math"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/inert"
	"github.com/fairtrain/fairtrain/train"
)

// CategorySet is how often people of each category are selected, in the form in which New
// York City's Local Law 144 wants it published (6 RCNY § 5-301): by category and by
// intersection of two, in comparison with the category that is selected most often. All
// people count the same.
type CategorySet struct {
	Role Role `json:"role"`
	// Median is the score above which a score counts as high.
	Median fairness.Value  `json:"median_score"`
	Tables []CategoryTable `json:"tables"`
}

// CategoryTable compares categories.
type CategoryTable struct {
	Group string `json:"group"`
	// Unknown is the number of people left out, as a category of theirs is missing;
	// undefined if they are few.
	Unknown    fairness.Value `json:"unknown"`
	Categories []Category     `json:"categories"`
}

// Category is people of one kind.
type Category struct {
	Name  string         `json:"name"`
	Rows  int            `json:"rows"`
	Share fairness.Value `json:"share"` // of the people whose categories are known
	// SelectionRate is the share with a positive decision, ScoringRate the share with a
	// score above the median. The impact ratios are these rates divided by the largest rate
	// of the table.
	SelectionRate      fairness.Value `json:"selection_rate"`
	ImpactRatio        fairness.Value `json:"impact_ratio"`
	ScoringRate        fairness.Value `json:"scoring_rate"`
	ScoringImpactRatio fairness.Value `json:"scoring_impact_ratio"`
	Folded             bool           `json:"folded"` // several categories; without impact ratio
	UnderTwoPercent    bool           `json:"under_two_percent"`
}

// categories makes the tables: for every column whose levels the comparisons use, and for
// every two of them.
func (b *builder) categories() error {
	columns := slices.DeleteFunc(dataset.AttributesIn(b.specs()...), func(name string) bool {
		return slices.ContainsFunc(b.data(), func(d *dataset.Dataset) bool {
			return !slices.ContainsFunc(d.Attributes, func(a dataset.Attribute) bool { return a.Name == name && a.Levels != nil })
		})
	})
	if len(columns) == 0 {
		return nil
	}
	specs := slices.Clone(columns)
	for i := range columns {
		for j := range i {
			specs = append(specs, columns[j]+"*"+columns[i])
		}
	}
	main := b.main()
	scores := b.sets[main].Scored
	median := medianScore(scores, b.sets[main].Data.Rows())
	set := &CategorySet{Role: b.sets[main].Role, Median: fairness.Value(median)}
	for _, spec := range specs {
		p, err := newPeople(b.data(), spec, b.MinGroup)
		if err != nil {
			return err
		}
		set.Tables = append(set.Tables, b.categoryTable(p, main, median))
	}
	b.doc.Categories = set
	return nil
}

// medianScore returns the median of scores that need not be kept.
func medianScore(scores *train.Scored, rows int) float64 {
	low := scoreOfRank(scores, (rows-1)/2)
	if rows%2 == 1 {
		return low
	}
	upTo, next := 0, math.Inf(1)
	_ = scores.Each(func(_ int, part []float64) error {
		for _, s := range part {
			if s <= low {
				upTo++
			} else {
				next = min(next, s)
			}
		}
		return nil
	})
	if upTo > rows/2 {
		next = low
	}
	return (low + next) / 2
}

// scoreOfRank returns the score that k others stand before in ascending order. Every pass over
// the scores finds 16 more of its bits: those of numbers ≥ 0 are ordered as the numbers are.
func scoreOfRank(scores *train.Scored, k int) float64 {
	const digit = 16
	var found uint64
	for shift := 64 - digit; shift >= 0; shift -= digit {
		counts := make([]int, 1<<digit)
		_ = scores.Each(func(_ int, part []float64) error {
			for _, s := range part {
				if b := math.Float64bits(s); b>>(shift+digit) == found>>(shift+digit) {
					counts[b>>shift%(1<<digit)]++
				}
			}
			return nil
		})
		next := 0
		for ; k >= counts[next]; next++ {
			k -= counts[next]
		}
		found |= uint64(next) << shift
	}
	return math.Float64frombits(found)
}

func (b *builder) categoryTable(p *people, main int, median float64) CategoryTable {
	t := CategoryTable{Group: inert.Line(strings.ReplaceAll(p.spec, "*", " and ")), Categories: []Category{}}
	unknown := 0
	on := p.shown(main)
	// Missing categories are unknown. People in merged groups have a category.
	isMissing := func(name string) bool { return strings.Contains(name, "="+dataset.MissingLevel) }
	for i, name := range on.names {
		if isMissing(name) {
			unknown += on.rows[i]
		}
	}
	known := b.sets[main].Data.Rows() - unknown
	selected, high := make([]int, len(on.names)), make([]int, len(on.names))
	_ = b.sets[main].Each(func(lo int, scores []float64) error {
		for k, score := range scores {
			i := on.number[on.strata.Group(lo+k)]
			if i >= 0 && score >= b.Model.Threshold {
				selected[i]++
			}
			if i >= 0 && score > median {
				high[i]++
			}
		}
		return nil
	})
	most, mostScoring := fairness.Value(0), fairness.Value(0)
	for i, name := range on.names {
		if isMissing(name) {
			continue
		}
		n := on.rows[i]
		c := Category{
			Name: b.groupName(p.spec, name, on.folded), Rows: n, Share: fairness.Value(float64(n) / float64(known)),
			SelectionRate: fairness.Value(float64(selected[i]) / float64(n)), ScoringRate: fairness.Value(float64(high[i]) / float64(n)),
			Folded: name == "",
		}
		c.UnderTwoPercent = !c.Folded && c.Share < 0.02
		if !c.Folded {
			most, mostScoring = max(most, c.SelectionRate), max(mostScoring, c.ScoringRate)
		}
		t.Categories = append(t.Categories, c)
	}
	for k := range t.Categories {
		c := &t.Categories[k]
		c.ImpactRatio, c.ScoringImpactRatio = c.SelectionRate/most, c.ScoringRate/mostScoring
		if c.Folded {
			c.ImpactRatio, c.ScoringImpactRatio = fairness.Undefined(), fairness.Undefined()
		}
	}
	t.Unknown = fairness.Value(unknown)
	if unknown > 0 && unknown < b.MinGroup {
		t.Unknown = fairness.Undefined()
	}
	return t
}
