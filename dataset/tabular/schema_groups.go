package tabular

import (
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
)

// Protected is the reason of columns that Protect drops from the features, see Withheld.
const Protected = "sensitive attribute: excluded from the features"

// WithGroups returns a copy of s that has a group for every column that the specifications
// name, see dataset.FindGroups. A new group is a number if the specifications name only ranges of it.
func (s *Schema) WithGroups(specs []string) *Schema {
	extended := *s
	extended.Groups = slices.Clone(s.Groups)
	for _, spec := range specs {
		for _, t := range dataset.ParseTerms(spec) {
			k := extended.GroupIndex(t.Attribute)
			if k < 0 {
				c, declared := s.column(t.Attribute)
				k = len(extended.Groups)
				extended.Groups = append(extended.Groups,
					GroupSpec{Column: t.Attribute, Number: !declared || c.As != OneHot})
			}
			if k >= len(s.Groups) && !t.IsRange() {
				extended.Groups[k].Number = false
			}
		}
	}
	return &extended
}

// GroupIndex returns the index of the group with the given name, −1 if there is none.
func (s *Schema) GroupIndex(name string) int {
	return slices.IndexFunc(s.Groups, func(g GroupSpec) bool { return g.name() == name })
}

// GroupsOf returns the names of the attributes that are made of a column.
func (s *Schema) GroupsOf(column string) []string {
	var names []string
	for _, g := range s.Groups {
		if g.Column == column {
			names = append(names, g.name())
		}
	}
	return names
}

// GroupColumns returns the columns of the attributes that the specifications name, each column
// once. It leaves out attributes that s does not have.
func (s *Schema) GroupColumns(specs ...string) []string {
	var columns []string
	for _, name := range dataset.AttributesIn(specs...) {
		if k := s.GroupIndex(name); k >= 0 && !slices.Contains(columns, s.Groups[k].Column) {
			columns = append(columns, s.Groups[k].Column)
		}
	}
	return columns
}

// Protect returns a copy of s, with groups as WithGroups adds them. The columns that the
// specifications name form groups but are no features, even if s declares them to be features.
// No cross is made of them. So rows to be scored need not have these columns.
func (s *Schema) Protect(specs []string) *Schema {
	protected := s.WithGroups(specs)
	protected.Columns = slices.Clone(s.Columns)
	columns := protected.GroupColumns(specs...)
	for _, name := range columns {
		spec := ColumnSpec{Name: name, As: Drop, Reason: Protected}
		k := slices.IndexFunc(s.Columns, func(c ColumnSpec) bool { return c.Name == name })
		switch {
		case k < 0:
			protected.Columns = append(protected.Columns, spec)
		case s.Columns[k].As != Drop:
			spec.Unit = s.Columns[k].Unit
			protected.Columns[k] = spec
		}
	}
	protected.Crosses = slices.DeleteFunc(slices.Clone(s.Crosses), func(cross string) bool {
		return slices.ContainsFunc(s.GroupColumns(cross), func(c string) bool { return slices.Contains(columns, c) })
	})
	return protected
}

// Withheld returns the columns that Protect excludes from the features.
func (s *Schema) Withheld() []string {
	var names []string
	for _, c := range s.Columns {
		if c.Reason == Protected {
			names = append(names, c.Name)
		}
	}
	return names
}

// Expose returns a copy of s, with groups as WithGroups adds them. It adds a feature for each
// group that no single feature encodes: products of groups, and parts of a number. So a
// classifier may have a threshold for every group. Columns that s drops stay dropped; the
// groups made of them get no feature.
func (s *Schema) Expose(specs []string) *Schema {
	exposed := s.WithGroups(specs)
	exposed.Crosses = slices.Clone(s.Crosses)
	for _, spec := range specs {
		terms := dataset.ParseTerms(spec)
		columns := exposed.GroupColumns(spec)
		dropped := slices.ContainsFunc(columns, func(name string) bool {
			c, declared := s.column(name)
			return declared && c.As == Drop
		})
		product := len(terms) > 1
		number := slices.ContainsFunc(columns, exposed.cuts)
		if len(columns) > 0 && !dropped && (product || number) && !slices.Contains(exposed.Crosses, spec) {
			exposed.Crosses = append(exposed.Crosses, spec)
		}
	}
	return exposed
}
