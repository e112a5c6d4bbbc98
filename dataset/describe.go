package dataset

import "math"

// Fingerprint is what remains of a file's content if its formatting does not matter. Two files
// with the same fingerprint very likely have the same data; it is not certain.
type Fingerprint struct {
	Rows      int `json:"rows"`
	Features  int `json:"features"`
	NonZeros  int `json:"non_zeros"`
	Positives int `json:"positives"`
	Negatives int `json:"negatives"`
}

// Fingerprint counts the content of d.
func (d *Dataset) Fingerprint() Fingerprint {
	f := Fingerprint{Rows: d.Rows(), Features: d.Features(), NonZeros: d.X.NNZ()}
	for _, y := range d.Y {
		switch y {
		case 1:
			f.Positives++
		case -1:
			f.Negatives++
		}
	}
	return f
}

// Summary describes a data set to a person.
type Summary struct {
	Name string `json:"name"`
	Fingerprint
	Density   float64 `json:"density"`    // non-zeros / (rows × features)
	Binary    bool    `json:"binary"`     // every value is 0 or 1
	MinValue  float64 `json:"min_value"`  // of all entries, zeros included
	MaxValue  float64 `json:"max_value"`  // of all entries, zeros included
	Unused    []int   `json:"unused"`     // 1-based features that are 0 in every row
	LabelRule string  `json:"label_rule"` // how the labels of the source were mapped
	SHA256    string  `json:"sha256"`
	// Groups are the columns that form groups, of packed tables.
	Groups []string `json:"groups,omitempty"`
}

// Describe summarises d.
func Describe(d *Dataset) Summary {
	s := Summary{
		Name:        d.Name,
		Fingerprint: d.Fingerprint(),
		Binary:      d.X.Binary(),
		Unused:      []int{},
		LabelRule:   d.Rule,
		SHA256:      d.Hash,
	}
	for k := range d.Attributes {
		s.Groups = append(s.Groups, d.Attributes[k].Name)
	}
	s.MinValue, s.MaxValue = math.Inf(1), math.Inf(-1)
	for i := range d.Rows() {
		for _, v := range d.X.Row(i) {
			s.MinValue, s.MaxValue = min(s.MinValue, v), max(s.MaxValue, v)
		}
	}
	entries := float64(s.Rows) * float64(s.Features)
	if entries > 0 {
		s.Density = float64(s.NonZeros) / entries
	}
	switch {
	case s.NonZeros == 0:
		s.MinValue, s.MaxValue = 0, 0
	case float64(s.NonZeros) < entries:
		s.MinValue, s.MaxValue = min(s.MinValue, 0), max(s.MaxValue, 0)
	}
	for j, c := range d.X.Columns() {
		if c.Entries == 0 {
			s.Unused = append(s.Unused, j+1)
		}
	}
	return s
}
