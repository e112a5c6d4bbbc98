package dataset

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gonum.org/v1/gonum/floats"
)

// Strata tell the rows of a data set apart by group and label. Codes tell the groups apart; labels
// and weights are those of the data set.
//
// A row of group g is in stratum 2g if its label is −1 and in 2g+1 if it is +1. Rows of no
// group count as one more group, the last.
type Strata struct {
	Names []string // of the groups, as specifications
	// Spec is the specification of all of them; empty for strata that no groups make.
	Spec string

	rows    int
	groups  Codes
	labels  []int8 // of each row; nil if the strata are the groups
	weights []float64

	levels         [][]Part // of WithinSpec; nil for other specifications
	ofSeveral      bool     // groups may be several, though one of them may be the only one with rows
	size, first    []int    // by stratum: rows, and the first of them
	total, squares []float64
	unweighted     *Strata // of strata with weights
}

// Strata returns the rows of d by the groups that a specification names, see FindGroups and WithinSpec; it
// may also be Everyone. Every group has a row, and none has all. The strata are found once, and shared.
func (d *Dataset) Strata(spec string) (*Strata, error) {
	return d.remember(spec, func() (*Strata, error) {
		s, err := d.findStrata(spec)
		if err == nil && spec != Everyone {
			err = s.check(d)
		}
		return s, err
	})
}

// remember returns the strata that are known by a key, or finds them.
func (d *Dataset) remember(key string, find func() (*Strata, error)) (*Strata, error) {
	strataOf.Lock()
	defer strataOf.Unlock()
	if d.known == nil || d.known.of != d {
		d.known = &knownStrata{d, map[string]*Strata{}}
	}
	if s := d.known.strata[key]; s != nil {
		return s, nil
	}
	s, err := find()
	if err == nil {
		d.known.strata[key] = s
	}
	return s, err
}

// knownStrata are those of one data set, and not of a copy of it: a Dataset is plain data, which
// literals make, and copies of it get other rows and weights. It has no constructor that could
// make a lock for each, and a lock as a field would forbid the copies. So one lock guards all.
type knownStrata struct {
	of     *Dataset
	strata map[string]*Strata
}

// strataOf guards the known strata of all data sets.
var strataOf sync.Mutex

func (d *Dataset) findStrata(spec string) (*Strata, error) {
	s := &Strata{Spec: spec, rows: d.Rows(), labels: d.Y, weights: d.Weights}
	feature, err := strconv.Atoi(spec)
	groups, within, cut := d.cutWithin(spec)
	switch {
	case spec == Everyone: // all are in group 0
	case cut:
		of, err := d.findStrata(groups)
		if err != nil {
			return nil, err
		}
		among, err := d.findStrata(within)
		if err != nil {
			return nil, err
		}
		s.within(of, among)
	case err == nil && d.Attribute(spec) == nil:
		if err := d.partByFeature(s, feature); err != nil {
			return nil, err
		}
	default:
		terms := ParseTerms(spec)
		if err := d.CheckTerms(terms); err != nil {
			return nil, fmt.Errorf("group %s: %w", spec, err)
		}
		parts := d.Part(terms)
		s.Names, s.groups, s.ofSeveral = parts.Names, parts.Codes, !isSingle(terms)
	}
	s.finish(d)
	return s, nil
}

// finish counts the rows of strata of d whose groups are known. Weights that are the rows' own can
// be left out; what those of a sample stand for cannot.
func (s *Strata) finish(d *Dataset) {
	s.count(2 * (len(s.Names) + 1))
	if d.Weighted() {
		plain := *s
		plain.weights = nil
		plain.count(s.Len())
		s.unweighted = &plain
	}
}

// check reports a group without rows, or with all of them.
func (s *Strata) check(d *Dataset) error {
	for g, name := range s.Names {
		if err := CheckGroup(d.Name, name, s.size[2*g]+s.size[2*g+1], s.Rows()); err != nil {
			return err
		}
	}
	switch {
	case len(s.Names) == 0:
		return CheckGroup(d.Name, s.Spec, 0, s.Rows())
	case len(s.Names) == 1 && s.ofSeveral:
		return &NoComparisonError{fmt.Sprintf("%s: group %s: only %s has rows, so there is nothing to compare it with", d.Name, s.Spec, s.Names[0])}
	}
	return nil
}

// NoComparisonError is the error of rows of which a group has none, or all.
type NoComparisonError struct{ text string }

func (e *NoComparisonError) Error() string { return e.text }

// CheckGroup fails if a group has none of some rows, or all of them. data is what they are called.
func CheckGroup(data, group string, rows, all int) error {
	switch rows {
	case 0:
		return &NoComparisonError{fmt.Sprintf("%s: group %s: none of the %d rows belongs to it", data, group, all)}
	case all:
		return &NoComparisonError{fmt.Sprintf("%s: group %s: all %d rows belong to it, so there is nobody to compare with", data, group, all)}
	}
	return nil
}

// partByFeature makes the rows in which the 1-based feature is not zero the only group.
func (d *Dataset) partByFeature(s *Strata, feature int) error {
	if feature < 1 || feature > d.Features() {
		return fmt.Errorf("group %d: no such feature in %s, which has features 1 to %d", feature, d.Name, d.Features())
	}
	s.Names = []string{fmt.Sprint(feature)}
	s.groups = MakeCodes(s.rows, len(s.Names))
	// Products with a unit vector take no memory for each row, as a look at each one does.
	unit := make([]float64, d.Features())
	unit[feature-1] = 1
	var values [1 << 10]float64
	for lo := 0; lo < d.Rows(); lo += len(values) {
		hi := min(lo+len(values), d.Rows())
		d.X.MulRange(values[:], unit, lo, hi)
		for k, v := range values[:hi-lo] {
			if v == 0 {
				s.groups.Put(lo+k, 1)
			}
		}
	}
	return nil
}

// StrataOf tells rows apart by the value that they have, and returns the value of each stratum.
func StrataOf(values []float64) (*Strata, []float64) {
	number := map[uint64]int{}
	var table []float64
	for _, v := range values {
		if _, known := number[math.Float64bits(v)]; !known {
			number[math.Float64bits(v)] = len(table)
			table = append(table, v)
		}
	}
	s := &Strata{rows: len(values), groups: MakeCodes(len(values), len(table))}
	for i, v := range values {
		s.groups.Put(i, number[math.Float64bits(v)])
	}
	s.count(len(table))
	return s, table
}

// JoinStrata tells the rows apart that any of some strata of the same rows tell apart. of[j][k]
// is the stratum of all[j] that stratum k of the join is a part of. If of is given, the strata of
// the join have these numbers. The join has the weights of the strata, which must have the same.
func JoinStrata(all []*Strata, of [][]int) (*Strata, [][]int, error) {
	if len(all) == 1 {
		if of == nil {
			of = [][]int{make([]int, all[0].Len())}
			for k := range of[0] {
				of[0][k] = k
			}
		}
		return all[0], of, nil
	}
	number := map[string]int{}
	key := make([]byte, 0, 4*len(all))
	add := func(stratum int) { key = binary.LittleEndian.AppendUint32(key, uint32(stratum)) }
	isGiven, most := of != nil, 1
	for _, s := range all {
		most = min(most*s.Len(), s.rows)
	}
	if isGiven {
		most = len(of[0])
		for k := range of[0] {
			key = key[:0]
			for j := range all {
				add(of[j][k])
			}
			number[string(key)] = k
		}
	} else {
		of = make([][]int, len(all))
	}
	joined := &Strata{rows: all[0].rows, groups: MakeCodes(all[0].rows, most), weights: all[0].weights}
	for i := range joined.rows {
		key = key[:0]
		for _, s := range all {
			add(s.Of(i))
		}
		k, known := number[string(key)]
		switch {
		case !known && isGiven:
			return nil, nil, fmt.Errorf("row %d is in strata that do not meet in the whole data set", i+1)
		case !known:
			k = len(number)
			number[string(key)] = k
			for j, s := range all {
				of[j] = append(of[j], s.Of(i))
			}
		}
		joined.groups.Put(i, k)
	}
	joined.count(len(of[0]))
	return joined, of, nil
}

// count counts the rows of the strata.
func (s *Strata) count(strata int) {
	s.size, s.first = make([]int, strata), make([]int, strata)
	s.total, s.squares = make([]float64, strata), make([]float64, strata)
	for i := range s.rows {
		k := s.Of(i)
		if s.size[k]++; s.size[k] == 1 {
			s.first[k] = i
		}
		w := s.Weight(i)
		s.total[k] += w
		s.squares[k] += float64(w * w)
	}
}

// Of returns the stratum of row i.
func (s *Strata) Of(i int) int {
	if s.labels == nil {
		return s.Group(i)
	}
	return 2*s.Group(i) + bit(s.labels[i])
}

// bit is 0 for the label −1 and 1 for +1.
func bit(label int8) int { return int(label+1) >> 1 }

// Group returns the group of row i, the number of groups if it has none.
func (s *Strata) Group(i int) int { return s.groups.At(i) }

// InNoGroup returns the number of rows that are in none of the groups that make the strata.
func (s *Strata) InNoGroup() int {
	none := 2 * len(s.Names)
	return s.size[none] + s.size[none+1]
}

// LeftOut is how many rows a comparison of groups says nothing about, or nothing certain.
type LeftOut struct {
	Groups  string `json:"groups"` // a specification
	Rows    int    `json:"rows"`   // all that there are
	InNone  int    `json:"in_none"`
	Unknown int    `json:"unknown"` // lack the value that tells whether they are in the single group
}

// LeftOut counts the rows that a comparison of the groups of a specification leaves out: none for a
// specification that d has no strata of.
func (d *Dataset) LeftOut(spec string) LeftOut {
	strata, err := d.Strata(spec)
	if err != nil {
		return LeftOut{}
	}
	l := LeftOut{Groups: spec, Rows: strata.Rows(), Unknown: d.perhapsIn(spec)}
	if len(strata.Names) > 1 {
		l.InNone = strata.InNoGroup()
	}
	return l
}

// Rows returns the number of rows, Len that of strata.
func (s *Strata) Rows() int { return s.rows }

// Len returns the number of strata, some of which may have no rows.
func (s *Strata) Len() int { return len(s.size) }

// Size returns the number of rows of stratum k.
func (s *Strata) Size(k int) int { return s.size[k] }

// First returns the first row of stratum k.
func (s *Strata) First(k int) int { return s.first[k] }

// Total returns the sum of the weights of the rows of stratum k; rows without weights count 1.
func (s *Strata) Total(k int) float64 { return s.total[k] }

// Squares returns the sum of their squares.
func (s *Strata) Squares(k int) float64 { return s.squares[k] }

// Unweighted returns the strata with rows that all count alike, but for what those of a sample
// stand for.
func (s *Strata) Unweighted() *Strata { return cmp.Or(s.unweighted, s) }

// Weight returns the weight of row i.
func (s *Strata) Weight(i int) float64 {
	if s.weights == nil {
		return 1
	}
	return s.weights[i]
}

// SameWeights reports whether strata of the same rows have the same weights.
func (s *Strata) SameWeights(t *Strata) bool {
	return s.weights == nil && t.weights == nil || s.weights != nil && t.weights != nil &&
		&s.weights[0] == &t.weights[0]
}

// Spread stores in dst, for the rows from lo on, the entries of x, which has one for every
// stratum.
func Spread[T any](dst []T, s *Strata, x []T, lo int) {
	switch {
	case s.labels == nil:
		for k := range dst {
			dst[k] = x[s.Group(lo+k)]
		}
	case s.groups.narrow != nil:
		labels := s.labels[lo:]
		for k, g := range s.groups.narrow[lo : lo+len(dst)] {
			dst[k] = x[2*int(g)+bit(labels[k])]
		}
	default:
		for k := range dst {
			dst[k] = x[s.Of(lo+k)]
		}
	}
}

// Weigh multiplies the entries of dst by the weights of the rows from lo on.
func (s *Strata) Weigh(dst []float64, lo int) {
	if s.weights != nil {
		floats.Mul(dst, s.weights[lo:lo+len(dst)])
	}
}

// Add adds values of the rows from lo on, times the weights of the rows, to sums by stratum.
func (s *Strata) Add(sums, values []float64, lo int) {
	for k, v := range values {
		sums[s.Of(lo+k)] += v * s.Weight(lo+k)
	}
}

// StrataAs returns the rows of d, which are some of the rows of a larger data set, by the groups
// of that one, which have the given names and numbers; nil for those of the groups that have rows
// here. A group may lack rows here. The strata are found once, and shared.
func (d *Dataset) StrataAs(spec string, names []string) (*Strata, error) {
	return d.remember(fmt.Sprintf("%q as %q", spec, names),
		func() (*Strata, error) { return d.findStrataAs(spec, names) })
}

// Groups say by which groups strata tell rows apart: of any rows, given the names that the groups
// have among all of them.
type Groups struct {
	Spec       string
	Names      []string
	Unweighted bool // rows count, not their weights
}

// ID returns the groups of the strata.
func (s *Strata) ID() Groups { return Groups{s.Spec, s.Names, s.Unweighted() == s} }

// StrataOf returns the rows of d by groups, see StrataAs.
func (d *Dataset) StrataOf(g Groups) (*Strata, error) {
	s, err := d.StrataAs(g.Spec, g.Names)
	if err == nil && g.Unweighted {
		s = s.Unweighted()
	}
	return s, err
}

func (d *Dataset) findStrataAs(spec string, names []string) (*Strata, error) {
	s, err := d.findStrata(spec)
	if err != nil || names == nil || slices.Equal(s.Names, names) {
		return s, err
	}
	groups := MakeCodes(s.rows, len(names))
	number := make([]int, len(s.Names)+1)
	for g, name := range s.Names {
		if number[g] = slices.Index(names, name); number[g] < 0 {
			return nil, fmt.Errorf("%s: group %s is none of the %d of %s", d.Name, name, len(names), spec)
		}
	}
	number[len(s.Names)] = len(names)
	for i := range s.rows {
		groups.Put(i, number[s.Group(i)])
	}
	s.Names, s.groups, s.levels = names, groups, nil
	s.finish(d)
	return s, nil
}

// Order puts names of groups of a specification into the order in which Strata has them. It looks
// at the levels of d only, not at its rows.
func (d *Dataset) Order(spec string, names []string) []string {
	if len(names) < 2 { // also that of a feature, which has no levels
		return names
	}
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	all := []string{""}
	for k, t := range ParseTerms(spec) {
		var longer []string
		for _, name := range all {
			if k > 0 {
				name += "*"
			}
			for _, part := range t.names(d.Attribute(t.Attribute)) {
				longer = append(longer, name+part)
			}
		}
		all = longer
	}
	return slices.DeleteFunc(all, func(name string) bool { return !known[name] })
}

// PartsOf returns the groups, one of each term of a specification, that a group of it is the
// product of, nil if the name is no group's. Like Order it looks at levels only.
func (d *Dataset) PartsOf(spec, name string) []string {
	terms := ParseTerms(spec)
	var find func(k int, name string) []string
	find = func(k int, name string) []string {
		for _, part := range terms[k].names(d.Attribute(terms[k].Attribute)) {
			if k == len(terms)-1 {
				if part == name {
					return []string{part}
				}
			} else if rest, begins := strings.CutPrefix(name, part+"*"); begins {
				if others := find(k+1, rest); others != nil {
					return append([]string{part}, others...)
				}
			}
		}
		return nil
	}
	return find(0, name)
}
