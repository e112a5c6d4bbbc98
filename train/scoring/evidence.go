package scoring

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/guarantee"
)

// CheckWeights fails with guarantee.ErrWeighted if the weights of rows differ.
func CheckWeights(d *dataset.Dataset) error {
	for _, w := range d.Weights {
		if w != d.Weights[0] {
			return fmt.Errorf("%s: the rows have different weights, such as %v and %v, but %w",
				d.Name, d.Weights[0], w, guarantee.ErrWeighted)
		}
	}
	return nil
}

// CheckEvidence fails if rows can't be tested: if their weights differ, or if they lack the groups.
func CheckEvidence(d *dataset.Dataset, requirements []guarantee.Requirement) error {
	return errors.Join(CheckWeights(d), checkGroups(d, requirements))
}

// checkGroups fails if rows lack the groups of requirements.
func checkGroups(d *dataset.Dataset, requirements []guarantee.Requirement) error {
	for _, spec := range guarantee.CellsOf(requirements) {
		if _, err := d.Strata(spec); err != nil {
			return err
		}
	}
	return nil
}

// Evidence returns what rows say about requirements: the given scores, one a row, and the
// groups. It has the labels of the rows, unless some row has none.
func Evidence(d *dataset.Dataset, scores []float64, threshold float64, requirements []guarantee.Requirement) (guarantee.Evidence, error) {
	e := guarantee.Evidence{Scores: scores, Threshold: threshold, Groups: map[string][]guarantee.Group{}}
	if err := checkGroups(d, requirements); err != nil {
		return e, err
	}
	if CheckWeights(d) != nil {
		e.Weights = d.Weights
	}
	if labelled(d) {
		e.Labels = d.Y
	}
	for _, spec := range guarantee.CellsOf(requirements) {
		groups, err := dataset.FindGroups(d, spec)
		if err != nil {
			return e, err
		}
		by, err := d.Strata(spec)
		if err != nil {
			return e, err
		}
		places := placesOf(by)
		e.Groups[spec] = []guarantee.Group{}
		for k, g := range groups {
			e.Groups[spec] = append(e.Groups[spec], guarantee.Group{Name: g.Name, Member: g.Member, Place: places[k]})
		}
	}
	return e, nil
}

// placesOf returns those of the groups that rows have.
func placesOf(strata *dataset.Strata) []guarantee.Place {
	places := make([]guarantee.Place, len(strata.Names))
	for level, parts := range strata.Levels() {
		for _, part := range parts {
			if part.Number < len(places) { // all rows, and others than the only group, have none
				places[part.Number] = guarantee.Place{Level: level, Others: part.Others}
			}
		}
	}
	return places
}

// labelled reports whether all rows have labels.
func labelled(d *dataset.Dataset) bool { return !slices.Contains(d.Y, 0) }

// Evidence returns what the rows say about requirements.
func (s *Scored) Evidence(requirements []guarantee.Requirement) (guarantee.Rows, error) {
	if s.scores != nil {
		return Evidence(s.data, s.scores, s.by.Threshold, requirements)
	}
	if err := checkGroups(s.data, requirements); err != nil {
		return nil, err
	}
	a := &guarantee.Added{Rows: s.data.Rows(), Labelled: labelled(s.data), Weighted: CheckWeights(s.data) != nil, Groups: map[string]guarantee.AddedGroups{}}
	var strata []*dataset.Strata
	var sums [][]guarantee.Sums
	for _, spec := range guarantee.CellsOf(requirements) {
		by, err := s.data.Strata(spec)
		if err != nil {
			return nil, err
		}
		strata, sums = append(strata, by), append(sums, make([]guarantee.Sums, by.Len()))
		a.Groups[spec] = guarantee.AddedGroups{Names: by.Names, Places: placesOf(by), Sums: sums[len(sums)-1]}
	}
	return a, s.Each(func(lo int, scores []float64) error {
		for k, score := range scores {
			for j, by := range strata {
				sum, positive := &sums[j][by.Of(lo+k)], score >= s.by.Threshold
				if a.Weighted {
					sum.AddWeighted(score, positive, s.data.Weight(lo+k))
				} else {
					sum.Add(score, positive)
				}
			}
		}
		return nil
	})
}
