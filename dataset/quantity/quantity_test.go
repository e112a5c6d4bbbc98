package quantity

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

func TestParseQuantity(t *testing.T) {
	type quantity struct {
		value float64
		unit  string
	}
	for text, want := range map[string]quantity{
		"0":            {0, ""},
		"-1.5e3":       {-1500, ""},
		"+7":           {7, ""},
		".5":           {0.5, ""},
		"13.56%":       {13.56, "%"},
		"13.56 %":      {13.56, "%"},
		"-3%":          {-3, "%"},
		"36 months":    {36, "months"},
		"10+ years":    {10, "years"},
		"1 year":       {1, "year"},
		"$1,200":       {1200, "$"},
		"-$1,200.50":   {-1200.5, "$"},
		"€12":          {12, "€"},
		"1,234,567 km": {1234567, "km"},
		"41,234.50":    {41234.5, ""},
		"-1,200":       {-1200, ""},
		"12.50 €":      {12.5, "€"},
		"12$":          {12, "$"},
	} {
		value, unit, ok := Parse(text, Point)
		if got := (quantity{value, unit}); !ok || got != want {
			t.Errorf("%q is %v (%v), want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", "-", "+", ".", "e5", "abc", "1,20", "0,200", "1_000", "0x10", "inf", "NaN", "nan%", "1e999", "1e101",
		"< 1 year", "n/a", "11th", "5kg", "25 - 45", "1 2", "1 year old", "years", " years", "$", "$-5", "%", "18-Dec",
		"$1,20", "$,200", "$1234,567", "$1,234.5,6", "10+", "1 year$", "1.2.3",
	} {
		if value, unit, ok := Parse(text, Point); ok {
			t.Errorf("%q was read as %v %q", text, value, unit)
		}
	}
}

func TestCommonUnit(t *testing.T) {
	for _, test := range []struct {
		a, b, want string
		ok         bool
	}{
		{"", "", "", true},
		{"", "%", "%", true},
		{"%", "", "%", true},
		{"year", "years", "year", true},
		{"%", "$", "", false},
		{"year", "month", "", false},
	} {
		if unit, ok := CommonUnit(test.a, test.b); unit != test.want || ok != test.ok {
			t.Errorf("units %q and %q give %q (%v), want %q (%v)", test.a, test.b, unit, ok, test.want, test.ok)
		}
	}
}

// TestNumbersReadBack: a number is read as itself, in whichever way it is written.
func TestNumbersReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.Float64Range(-Most, Most).Draw(t, "value")
		for _, format := range []string{"%s", "%s%%", "%s %%", "%s months"} {
			text := fmt.Sprintf(format, Format(want))
			if got, _, ok := Parse(text, Point); !ok || got != want {
				t.Fatalf("%q is %v (%v), want %v", text, got, ok, want)
			}
		}
	})
}
