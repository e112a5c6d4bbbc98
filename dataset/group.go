package dataset

import "fmt"

// Group is some of the rows of a data set: at least one, and not all.
type Group struct {
	Name   string
	Rows   []int  // ascending
	Member []bool // Member[i] says whether row i belongs, for every row of the data
}

// newGroup returns the group of the rows marked in member. The group keeps the slice.
func newGroup(name string, member []bool) (*Group, error) {
	count := 0
	for _, in := range member {
		if in {
			count++
		}
	}
	g := &Group{Name: name, Member: member, Rows: make([]int, 0, count)}
	for i, in := range member {
		if in {
			g.Rows = append(g.Rows, i)
		}
	}
	switch len(g.Rows) {
	case 0:
		return nil, fmt.Errorf("group %s: none of the %d rows belongs to it", name, len(member))
	case len(member):
		return nil, fmt.Errorf("group %s: all %d rows belong to it, so there is nobody to compare with", name, len(member))
	}
	return g, nil
}

// GroupByFeature returns the group of the rows in which the 1-based feature is not zero.
func GroupByFeature(d *Dataset, feature int) (*Group, error) {
	if feature < 1 || feature > d.Features() {
		return nil, fmt.Errorf("group %d: no such feature in %s, which has features 1 to %d", feature, d.Name, d.Features())
	}
	member := make([]bool, d.Rows())
	// Products with a unit vector take no memory for each row; Row does.
	unit := make([]float64, d.Features())
	unit[feature-1] = 1
	var values [1 << 10]float64
	for lo := 0; lo < len(member); lo += len(values) {
		part := member[lo:min(lo+len(values), len(member))]
		d.X.MulRange(values[:], unit, lo, lo+len(part))
		for k := range part {
			part[k] = values[k] != 0
		}
	}
	g, err := newGroup(fmt.Sprint(feature), member)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	return g, nil
}
