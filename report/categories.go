package report

import (
	"math"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/names"
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
	Unknown fairness.Value `json:"unknown"`
	// UnknownMerged says that there are more of them, among the merged categories.
	UnknownMerged bool       `json:"unknown_merged,omitempty"`
	Categories    []Category `json:"categories"`
	// MergedAbove says that people of merged categories are selected, or score high, more often
	// than those of the category with the highest rate that is shown.
	MergedAbove bool `json:"merged_above"`
}

// Category is people of one kind.
type Category struct {
	Name  string         `json:"name"`
	Rows  int            `json:"rows"`
	Share fairness.Value `json:"share"` // of the people whose categories are known
	// SelectionRate is the share with a positive decision, ScoringRate the share with a
	// score above the median. The impact ratios are these rates divided by the largest rate
	// of a category that is shown on its own.
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
		return slices.ContainsFunc(b.sets, func(j judged) bool {
			return !slices.ContainsFunc(j.Data.Attributes,
				func(a dataset.Attribute) bool { return a.Name == name && a.Levels != nil })
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
	main := b.doc.main()
	median, err := b.sets[main].Median()
	if err != nil {
		return err
	}
	set := &CategorySet{Role: b.sets[main].Role, Median: fairness.Value(median)}
	for _, spec := range specs {
		p, err := newPeople(b.sets, spec, b.MinGroup)
		if err != nil {
			return err
		}
		table, err := b.categoryTable(p, main, median)
		if err != nil {
			return err
		}
		set.Tables = append(set.Tables, table)
	}
	b.doc.Categories = set
	return nil
}

func (b *builder) categoryTable(p *people, main int, median float64) (CategoryTable, error) {
	t := CategoryTable{Group: names.Line(strings.Join(dataset.SplitTerms(p.spec), " and ")), Categories: []Category{}}
	unknown := 0
	on := p.shown(main)
	// Missing categories are unknown. People in merged groups have a category.
	isMissing := func(name string) bool { return strings.Contains(name, "="+dataset.MissingLevel) }
	for i, name := range on.names {
		if isMissing(name) {
			unknown += on.rows[i]
		}
	}
	for k, hidden := range p.hidden {
		t.UnknownMerged = t.UnknownMerged || hidden && isMissing(p.names[k]) && p.number[main][k] >= 0
	}
	known := b.sets[main].Data.All() - unknown
	selected, err := b.from(on, main, b.Model.Threshold)
	if err != nil {
		return t, err
	}
	high, err := b.from(on, main, math.Nextafter(median, math.Inf(1)))
	if err != nil {
		return t, err
	}
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
			t.MergedAbove = c.SelectionRate > most || c.ScoringRate > mostScoring
			c.ImpactRatio, c.ScoringImpactRatio = fairness.Undefined(), fairness.Undefined()
		}
	}
	t.Unknown = fairness.Value(unknown)
	if unknown > 0 && unknown < b.MinGroup {
		t.Unknown = fairness.Undefined()
	}
	return t, nil
}

// from returns, for each of the names, the number of people with a score of at least a threshold.
func (b *builder) from(on shownPeople, main int, threshold float64) ([]int, error) {
	counts := make([]int, len(on.names))
	byStratum, err := b.sets[main].From(threshold, on.strata)
	for k, n := range byStratum {
		if i := on.number[k/2]; i >= 0 {
			counts[i] += n
		}
	}
	return counts, err
}
