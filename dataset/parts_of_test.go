package dataset

import (
	"slices"
	"testing"
)

// TestStarsInNames: a star is between terms where both have a name.
func TestStarsInNames(t *testing.T) {
	for spec, want := range map[string][]string{
		"sex*race":                 {"sex", "race"},
		"sex=f*age<25":             {"sex=f", "age<25"},
		"Gender *":                 {"Gender *"},
		"*Gender":                  {"*Gender"},
		"Gender *=f":               {"Gender *=f"},
		"Age *<5":                  {"Age *<5"},
		"sex*Age * [20,40]":        {"sex", "Age * [20,40]"},
		"Gender **race":            {"Gender *", "race"},
		"race*Gender *=f*age[1,2]": {"race", "Gender *=f", "age[1,2]"},
		"race=white*":              {"race=white*"},
		">60*race":                 {">60", "race"},
		"race*>60":                 {"race", ">60"},
		"**":                       {"**"},
		"":                         {""},
	} {
		if got := SplitTerms(spec); !slices.Equal(got, want) {
			t.Errorf("%q is %q, want %q", spec, got, want)
		}
	}
}

// TestPartsOf takes groups apart, also where levels have stars.
func TestPartsOf(t *testing.T) {
	d := &Dataset{Attributes: []Attribute{
		{Name: "sex", Levels: []string{"f", "f*race=a", "m"}}, {Name: "race", Levels: []string{"a", "b"}}, {Name: "age", Numbers: []float64{1}},
	}}
	for _, test := range []struct {
		spec, name string
		want       []string
	}{
		{"sex*race", "sex=m*race=b", []string{"sex=m", "race=b"}},
		{"sex*race", "sex=f*race=a*race=b", []string{"sex=f*race=a", "race=b"}},
		{"sex=f*age<25*race", "sex=f*age<25*race=a", []string{"sex=f", "age<25", "race=a"}},
		{"sex*race", "sex=m", nil},
		{"sex*race", "all others", nil},
		{"race", "race=b", []string{"race=b"}},
	} {
		if got := d.PartsOf(test.spec, test.name); !slices.Equal(got, test.want) {
			t.Errorf("%s of %s is %q, want %q", test.name, test.spec, got, test.want)
		}
	}
}
