package dataset

import "fmt"

// Group is a part of the rows of a data set, neither empty nor all of them.
type Group struct {
	Name   string
	Rows   []int  // ascending
	Member []bool // Member[i] says whether row i belongs, for every row of the data
}

// newGroup returns the group of the rows marked in member, which it keeps.
func newGroup(name string, member []bool) (*Group, error) {
	g := &Group{Name: name, Member: member}
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
	for i := range member {
		for j := range d.X.Row(i) {
			if j == feature-1 {
				member[i] = true
			}
		}
	}
	g, err := newGroup(fmt.Sprint(feature), member)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	return g, nil
}
