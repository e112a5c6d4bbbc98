package dataset

import (
	"fmt"
	"slices"
)

// StrataAs returns the rows of d, which are some of the rows of a larger data set, by the groups
// of that one, which have the given names and numbers; nil for those of the groups that have rows
// here. A group may lack rows here. The strata are found once, and shared.
func (d *Dataset) StrataAs(spec string, names []string) (*Strata, error) {
	return d.remember(fmt.Sprintf("%q as %q", spec, names), func() (*Strata, error) { return d.findStrataAs(spec, names) })
}

func (d *Dataset) findStrataAs(spec string, names []string) (*Strata, error) {
	s, err := d.findStrata(spec)
	if err != nil || names == nil || slices.Equal(s.Names, names) {
		return s, err
	}
	parts := Parting{Names: names, Codes: make([]int32, s.rows)}
	number := make([]int32, len(s.Names)+1)
	for g, name := range s.Names {
		if number[g] = int32(slices.Index(names, name)); number[g] < 0 {
			return nil, fmt.Errorf("%s: group %s is none of the %d of %s", d.Name, name, len(names), spec)
		}
	}
	number[len(s.Names)] = -1
	for i := range parts.Codes {
		parts.Codes[i] = number[s.Group(i)]
	}
	s.putParts(parts)
	s.finish(d.SampleOf == 0)
	return s, nil
}

// JoinStrataAs is JoinStrata with known numbers: stratum k of the join is where the strata
// of[j][k] of each of all meet.
func JoinStrataAs(all []*Strata, of [][]int) (*Strata, error) {
	if len(all) == 1 {
		return all[0], nil
	}
	number := map[string]int32{}
	key := make([]byte, 0, 4*len(all))
	add := func(stratum int) {
		key = append(key, byte(stratum), byte(stratum>>8), byte(stratum>>16), byte(stratum>>24))
	}
	for k := range of[0] {
		key = key[:0]
		for j := range all {
			add(of[j][k])
		}
		number[string(key)] = int32(k)
	}
	joined := &Strata{rows: all[0].rows, wide: make([]int32, all[0].rows), weights: all[0].weights}
	for i := range joined.wide {
		key = key[:0]
		for _, s := range all {
			add(s.Of(i))
		}
		k, known := number[string(key)]
		if !known {
			return nil, fmt.Errorf("row %d is in strata that do not meet in the whole data set", i+1)
		}
		joined.wide[i] = k
	}
	joined.compact(len(of[0]))
	return joined, nil
}
