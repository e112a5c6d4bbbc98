package tabular

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// mentions returns the names of columns that the schema mentions, each once.
func (s *Schema) mentions() (columns []string) {
	columns = []string{s.Label.Column, s.Weight}
	for _, c := range s.Columns {
		columns = append(columns, c.Name)
	}
	for _, g := range s.Groups {
		columns = append(columns, g.Column)
	}
	slices.Sort(columns)
	return slices.DeleteFunc(slices.Compact(columns), func(name string) bool { return name == "" })
}

// adopt gives columns of a file, whose names differ or are empty, the names by which the schema mentions
// them, where these are spelled in another way, or are other names of the schema. It returns the names
// in the file of those that it renamed.
func (s *Schema) adopt(names []string) (renamed map[string]string) {
	present := make(map[string]bool, len(names))
	keys := make(map[string][]int, len(names)) // columns of the file
	for k, name := range names {
		present[name] = true
		keys[delimited.NameKey(name)] = append(keys[delimited.NameKey(name)], k)
	}
	columns := s.mentions()
	renamed = map[string]string{}
	take := func(name, spelling string) {
		at := keys[delimited.NameKey(spelling)]
		if present[name] || delimited.NameKey(spelling) == "" || len(at) != 1 {
			return
		}
		if _, mentioned := slices.BinarySearch(columns, names[at[0]]); !mentioned || s.OtherNames[spelling] == name {
			renamed[name], present[name] = names[at[0]], true
			names[at[0]] = name
		}
	}
	for _, name := range columns {
		take(name, name)
	}
	for _, other := range slices.Backward(slices.Sorted(maps.Keys(s.OtherNames))) {
		take(s.OtherNames[other], other)
	}
	return renamed
}

// mentioned returns how many distinct values of a row are columns that the schema mentions, in any
// spelling.
func (s *Schema) mentioned(row []string) (n int) {
	keys := map[string]bool{}
	for _, name := range slices.AppendSeq(s.mentions(), maps.Keys(s.OtherNames)) {
		keys[delimited.NameKey(name)] = true
	}
	for _, v := range row {
		if key := delimited.NameKey(v); key != "" && keys[key] {
			keys[key] = false
			n++
		}
	}
	return n
}

// resolve returns the options with the names that the columns have: a person may spell them as the file
// or in any other way.
func (o Options) resolve(names []string, renamed map[string]string) Options {
	resolve := func(name string) string {
		if slices.Contains(names, name) {
			return name
		}
		var found []string
		for _, column := range names {
			if delimited.SameName(name, column) || renamed[column] == name {
				found = append(found, column)
			}
		}
		if len(found) == 1 {
			return found[0]
		}
		return name
	}
	each := func(names []string) (resolved []string) {
		for _, name := range names {
			resolved = append(resolved, resolve(name))
		}
		return resolved
	}
	o.Numeric, o.Categorical, o.Needed, o.Apart = each(o.Numeric), each(o.Categorical), each(o.Needed), each(o.Apart)
	monotone := map[string]string{}
	for name, direction := range o.Monotone {
		monotone[resolve(name)] = direction
	}
	functions := map[string]func(string) error{}
	for name, f := range o.Each {
		functions[resolve(name)] = f
	}
	o.Monotone, o.Each = monotone, functions
	return o
}

// checkRepeats compares the values of columns whose names the header repeats, up to the first
// difference, which is a fault if the name is used.
func (t *tableReader) checkRepeats(r *rows) valueFault {
	for k, c := range t.columns {
		switch first := c.repeats; {
		case first == nil || c.differs:
			continue
		case first.state == nothing && first.each == nil || c.state == nothing && !c.repeatFault:
			continue // nothing is made of one of them
		}
		first := c.repeatsAt
		for _, i := range r.used {
			one, other := r.value(i, first), r.value(i, k)
			if one == other {
				continue
			}
			if c.differs = true; c.repeatFault {
				return valueFault{i, k, fmt.Sprintf("has %s here, and column %d, which has the same name, %s: which one is meant? (rename one, or drop %s, --drop, to use column %d)",
					textfile.Quote(other), first+1, textfile.Quote(one), textfile.Quote(c.name), first+1)}
			}
			break
		}
	}
	return valueFault{row: math.MaxInt32}
}
