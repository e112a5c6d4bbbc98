package dataset

import (
	"fmt"
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/memory"
)

// MissingLevel is the level of the rows in which an attribute is missing. These rows are a
// group like any other, so that nobody drops out of an audit.
const MissingLevel = "(missing)"

// Attribute is a property of the people behind the rows, such as their sex. It forms groups.
// The features may contain it or not.
type Attribute struct {
	Name   string
	Levels []string // distinct and sorted; ranges of a number ascend
	Codes  Codes    // index into Levels, one a row; none without levels
	// Numbers are the values of a numeric column, NaN where missing, for cuts such as
	// age<25; nil for a category.
	Numbers []float64
}

// Group is some of the rows of a data set: at least one, and not all.
type Group struct {
	Name   string
	Member []bool // Member[i] says whether row i belongs, for every row of the data
}

// FindGroups returns the groups that a specification names:
//
//	71              the rows in which feature 71 is not zero, counted from 1
//	race=Black      the rows with one level of an attribute
//	race=Black|White one group for each of these levels; all other rows are in none
//	age<25          the rows in which a number is below 25; so do age<=25, age>25, age>=25
//	age[25,45]      the rows in which a number is from 25 to 45, both included
//	sex             one group for every level of an attribute
//	sex*race        one group for every combination of levels that occurs
//	sex=Female*race one for every race among women
//
// All forms but the first need d.Attributes, which data read from CSV files have. If an
// attribute has a number as its name, the number means the attribute, not the feature. A
// missing number is outside every range. The name of each group is a specification, too: of
// this group alone. (A level that contains a * or a | can't be named; GroupSpec.Merge gives it
// another name.)
func FindGroups(d *Dataset, spec string) ([]*Group, error) {
	s, err := d.Strata(spec)
	if err != nil {
		return nil, err
	}
	const perMark = 1
	marks := float64(len(s.Names)) * float64(s.Rows())
	if err := memory.Check(fmt.Sprintf("group %s: %d groups of %d rows", spec, len(s.Names),
		s.Rows()), perMark*marks); err != nil {
		return nil, err
	}
	groups := make([]*Group, len(s.Names))
	for g, name := range s.Names {
		groups[g] = &Group{Name: name, Member: make([]bool, s.Rows())}
	}
	for i := range s.Rows() {
		if g := s.Group(i); g < len(groups) {
			groups[g].Member[i] = true
		}
	}
	return groups, nil
}

// AttributesIn returns the names of the attributes in specifications of groups, each name once. A
// number is one, too: in data without attributes it is that of a feature.
func AttributesIn(specs ...string) []string {
	var names []string
	for _, spec := range specs {
		for _, t := range ParseTerms(spec) {
			if !slices.Contains(names, t.Attribute) {
				names = append(names, t.Attribute)
			}
		}
	}
	return names
}

// CheckTerms fails unless d has what the terms name.
func (d *Dataset) CheckTerms(terms []Term) error {
	for _, t := range terms {
		if err := d.checkTerm(t); err != nil {
			return err
		}
	}
	return nil
}

// checkTerm fails unless d has what the term names.
func (d *Dataset) checkTerm(t Term) error {
	a := d.Attribute(t.Attribute)
	switch {
	case a == nil && len(d.Attributes) == 0:
		return fmt.Errorf("%s has no attributes, its groups are numbers of features", d.Name)
	case a == nil:
		var names []string
		for _, a := range d.Attributes {
			names = append(names, a.Name)
		}
		return fmt.Errorf("%s has no attribute %q, it has %s%s", d.Name, t.Attribute,
			textfile.QuoteAll(names), textfile.DidYouMean(t.Attribute, names))
	case t.within != nil && !a.isNumeric():
		return fmt.Errorf("%s is a category (%s), only a number can be cut", a.Name, textfile.QuoteAll(a.Levels))
	case t.within == nil && a.Levels == nil:
		return fmt.Errorf("%s is a number, expected a range such as %s<25 or %s[25,45]", a.Name, a.Name, a.Name)
	}
	switch {
	case !t.named:
		return nil
	case t.several() && slices.Contains(a.Levels, t.level):
		return fmt.Errorf("%s=%s may be the value %q of %[1]s, or several values between bars: a [[group]] of a schema gives the value another name (merge)", a.Name, t.level, t.level)
	case t.several() && len(t.part(a).Names) > 1: // of several, some may lack rows, see Lacking
		return nil
	}
	for _, level := range t.levels(a) {
		if !slices.Contains(a.Levels, level) {
			return a.noLevel(level)
		}
	}
	return nil
}

// noLevel is the error of a level that the attribute has not.
func (a *Attribute) noLevel(level string) error {
	return fmt.Errorf("%s has no value %q, it has %s%s", a.Name, level, textfile.QuoteAll(a.Levels),
		textfile.DidYouMean(level, a.Levels))
}

// CheckLevels fails unless d has a row of every level that a specification names.
func (d *Dataset) CheckLevels(spec string) error {
	if err := d.CheckKnown(spec); err != nil {
		return err
	}
	for _, name := range d.Lacking(spec) {
		return CheckGroup(d.Name, name, 0, d.Rows())
	}
	return nil
}

// CheckKnown fails unless the attributes of d have every level that a specification names; d may be a
// part of the rows that have it.
func (d *Dataset) CheckKnown(spec string) error {
	for _, name := range d.Lacking(spec) {
		t := parseTerm(name)
		if a := d.Attribute(t.Attribute); !slices.Contains(a.Levels, t.level) {
			return fmt.Errorf("group %s: %w", spec, a.noLevel(t.level))
		}
	}
	return nil
}

// Attribute returns the attribute of the given name, nil if there is none.
func (d *Dataset) Attribute(name string) *Attribute {
	for k := range d.Attributes {
		if d.Attributes[k].Name == name {
			return &d.Attributes[k]
		}
	}
	return nil
}

// IsNumber reports whether a specification of groups is a column of which all values are numbers.
func (d *Dataset) IsNumber(spec string) bool {
	a := d.Attribute(spec)
	return a != nil && a.isNumeric()
}

// isNumeric reports whether a has numbers, or levels that are all numbers.
func (a *Attribute) isNumeric() bool {
	return a.Numbers != nil || !slices.ContainsFunc(a.Levels, func(level string) bool {
		_, _, ok := numparse.Parse(level, numparse.Point)
		return !ok && level != MissingLevel
	})
}

// rows returns the number of rows.
func (a *Attribute) rows() int {
	if a.Numbers != nil {
		return len(a.Numbers)
	}
	return a.Codes.Len()
}

// number returns the function of the number of row i: the number itself, or the level as a number; NaN
// if there is none.
func (a *Attribute) number() func(i int) float64 {
	if a.Numbers != nil {
		return func(i int) float64 { return a.Numbers[i] }
	}
	ofLevel := make([]float64, len(a.Levels))
	for k, level := range a.Levels {
		v, _, ok := numparse.Parse(level, numparse.Point)
		if !ok {
			v = math.NaN()
		}
		ofLevel[k] = v
	}
	return func(i int) float64 { return ofLevel[a.Codes.At(i)] }
}

// Combinations returns how many groups a specification names if every combination of levels occurs,
// at most math.MaxInt32. FindGroups finds as many or fewer. Only levels that rows of d have count.
func Combinations(d *Dataset, spec string) int {
	count := 1
	for _, t := range ParseTerms(spec) {
		if a := d.Attribute(t.Attribute); a != nil && !t.IsRange() {
			count = min(count*len(t.part(a).Names), math.MaxInt32)
		}
	}
	return count
}
