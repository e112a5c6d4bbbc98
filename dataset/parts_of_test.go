package dataset

import (
	"slices"
	"testing"
)

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
