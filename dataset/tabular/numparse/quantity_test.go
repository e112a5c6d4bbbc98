package numparse

import (
	"fmt"
	"math"
	"strconv"
	"strings"
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
		"119kg":        {119, "kg"},
		"-1.5°C":       {-1.5, "°C"},
		"30 kg/m2":     {30, "kg/m2"},
		"7.5km/h":      {7.5, "km/h"},
		"12m²":         {12, "m²"},
		"4.5k":         {4500, Scaled},
		"4.5 K":        {4500, Scaled},
		"1.2M":         {1.2e6, Scaled},
		"3 million":    {3e6, Scaled},
		"1.2m":         {1.2, "m"},
		"$1.2m":        {1.2e6, "$"},
		"€110.5M":      {110.5e6, "€"},
		"$1,200K":      {1.2e6, "$"},
		"5b":           {5, "b"},
		"-$2bn":        {-2e9, "$"},
	} {
		value, unit, ok := Parse(text, Point)
		if got := (quantity{value, unit}); !ok || got != want {
			t.Errorf("%q is %v (%v), want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", "-", "+", ".", "e5", "abc", "1,20", "0,200", "1_000", "0x10", "inf", "NaN", "nan%", "1e999", "1e101",
		"< 1 year", "n/a", "11th", "2nd", "007A", "0x1F", "5a7", "5 kg 7", "28Feb2023", "$5kg", "1e100k", "25 - 45", "1 2", "1 year old", "years", " years", "$", "$-5", "%", "18-Dec",
		"$1,20", "$,200", "$1234,567", "$1,234.5,6", "10+", "1 year$", "1.2.3",
	} {
		if value, unit, ok := Parse(text, Point); ok {
			t.Errorf("%q was read as %v %q", text, value, unit)
		}
	}
}

// TestOtherSeparators: groups between apostrophes and blanks, typographers' minus, and currencies
// before an amount.
func TestOtherSeparators(t *testing.T) {
	type quantity struct {
		value float64
		unit  string
		mark  byte // 0 for either
	}
	for text, want := range map[string]quantity{
		"19'220.40":               {19220.4, "", Point},
		"19’220,40":               {19220.4, "", Comma},
		"1'234'567":               {1234567, "", 0},
		"19\u00a0220,40":          {19220.4, "", Comma},
		"1\u202f234\u202f567.5":   {1234567.5, "", Point},
		"19\u00a0220":             {19220, "", 0},
		"−5":                      {-5, "", 0},
		"−0.5":                    {-0.5, "", Point},
		"−19’220":                 {-19220, "", 0},
		"13,5\u00a0%":             {13.5, "%", Comma},
		"36\u00a0months":          {36, "months", 0},
		"€ 19.220,40":             {19220.4, "€", Comma},
		"€\u00a019.220,40":        {19220.4, "€", Comma},
		"−€ 5":                    {-5, "€", 0},
		"$ 1,200":                 {1200, "$", Point},
		"EUR 19.220,40":           {19220.4, "EUR", Comma},
		"CHF 19'220.40":           {19220.4, "CHF", Point},
		"CHF\u00a019’220.40":      {19220.4, "CHF", Point},
		"19'220.40 CHF":           {19220.4, "CHF", Point},
		"1'234'567\u202fmonths":   {1234567, "months", 0},
		"999\u00a0999\u00a0999.1": {999999999.1, "", Point},
	} {
		for _, mark := range []byte{Point, Comma} {
			value, unit, ok := Parse(text, mark)
			if wantOK := want.mark == 0 || want.mark == mark; ok != wantOK || ok &&
				(value != want.value || unit != want.unit) {
				t.Errorf("%q is %v %q (%v) with %q, want %+v", text, value, unit, ok, mark, want)
			}
		}
	}
	for _, text := range []string{
		// codes and numbers to call
		"12 345", "12 345 678", "030 123 456", "555 123 456", "555 123 4567", "12 345 Ulm", "12 345.678", "811 01",
		"1'23", "1'2345", "1234'567", "0'123", "5'11", "5'11\"", "1'234’5", "1'234 567", "1 234'567.5",
		"1'234,567'890", "1,234'567", "1.234'567", "0.123 456", "10.123 456", "1 234,5 6", "12 34,5", "1  234,5", "1 234 56,7", ".1'123",
		"2024 123,5", "01 234,50", "12.03.2024 10:00", "10 000 12,5", "'1'000", "1'000'", "1\u00a02", "−", "−-5", "--5", "5−3", "2020−2024", "€ −5", "€  5", "€ ",
		"EUR", "EUR ", "EUR5", "ABC 123", "eur 5", "EUR 5 kg", "LH 400", "Tel 555 123,40", "A 12 345 €", "12 345 €5", "EUR 2020-2024",
	} {
		for _, mark := range []byte{Point, Comma} {
			if value, unit, ok := Parse(text, mark); ok {
				t.Errorf("%q was read as %v %q with %q", text, value, unit, mark)
			}
		}
	}
}

// TestAccounts: amounts below 0 as accounts write them, and what looks like them.
func TestAccounts(t *testing.T) {
	for text, want := range map[string]float64{
		"(5)": -5, "(0.5)": -0.5, "(1,234.50)": -1234.5, "($1,234.50)": -1234.5, "$(1,234.50)": -1234.5, "$ (5)": -5, "USD (1,200)": -1200,
		"(12.50 $)": -12.5, "(3.5%)": -3.5, "(1'234.50)": -1234.5, "(1\u00a0234.50)": -1234.5, "(0)": 0,
	} {
		if value, _, ok := Parse(text, Point); !ok || value != want {
			t.Errorf("%q is %v (%v), want %v", text, value, ok, want)
		}
	}
	for text, want := range map[string]float64{"(1.234,50)": -1234.5, "(1.234,50 €)": -1234.5, "EUR (5,5)": -5.5} {
		if value, _, ok := Parse(text, Comma); !ok || value != want {
			t.Errorf("%q is %v (%v), want %v", text, value, ok, want)
		}
	}
	for _, text := range []string{
		"()", "(", ")", "(5", "5)", "(-5)", "-(5)", "(+5)", "(−5)", "((5))", "(5) ", "( 5)", "(5 )", "5 (3)", "5(3)", "(555) 123", "(12 months)", "(10+ years)",
		"(a)", "(5a)", "(5)%", "(1,23.5)", "(2020-2024)", "5-", "65-", "2.5-", "12.500-", "-12.50-", "12.50--", "(12.50-)", "(12.50)-", ".50-", "12.50 -", "a.50-", "-",
	} {
		for _, mark := range []byte{Point, Comma} {
			if value, unit, ok := Parse(text, mark); ok {
				t.Errorf("%q was read as %v %q with %q", text, value, unit, mark)
			}
		}
	}
}

// TestGroupsReadBack: a whole number is read as itself, however its thousands are separated.
func TestGroupsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.IntRange(-1e12, 1e12).Draw(t, "value")
		separator := rapid.SampledFrom([]string{"'", "’", "\u00a0", "\u202f"}).Draw(t, "separator")
		digits := strconv.Itoa(max(want, -want))
		text := digits[:len(digits)%3]
		for rest := digits[len(digits)%3:]; rest != ""; rest = rest[3:] {
			if text != "" {
				text += separator
			}
			text += rest[:3]
		}
		if want < 0 {
			text = "−" + text
		}
		mark := rapid.SampledFrom([]byte{Point, Comma}).Draw(t, "mark")
		if value, _, ok := Parse(text+string(mark)+"5", mark); !ok ||
			math.Abs(value) != math.Abs(float64(want))+0.5 || value < 0 != (want < 0) {
			t.Fatalf("%q is %v (%v)", text, value, ok)
		}
	})
}

func TestFits(t *testing.T) {
	for _, test := range []struct {
		unit, column string
		want         bool
	}{
		{"", "", true},
		{"", "%", true},
		{"%", "", false},
		{"year", "years", true},
		{"%", "$", false},
		{"year", "month", false},
		{Scaled, "", true},
		{Scaled, "kg", false},
		{"kg", "", false},
	} {
		if got := Fits(test.unit, test.column); got != test.want {
			t.Errorf("unit %q in a column of %q: %v, want %v", test.unit, test.column, got, test.want)
		}
	}
}

// TestReadAll: a column has one unit, or none.
func TestReadAll(t *testing.T) {
	for texts, want := range map[string]string{
		"40kg 47 54kg":    "[40 47 54] kg",
		"950 4.5k 1.2M":   "[950 4500 1.2e+06] ",
		"€0 €565K €1.2M":  "[0 565000 1.2e+06] €",
		"5% 7 9%":         "[5 7 9] %",
		"5A 5B 6A":        "", // B is no billion among classes
		"5B 5A 6A":        "",
		"5kg 5k":          "",
		"1kg 2g":          "",
		"10th 11th":       "",
		"12min 30mins 1s": "",
	} {
		values, unit, _, ok := ReadAll(strings.Fields(texts), 0)
		got := ""
		if ok {
			got = fmt.Sprint(values[1:], " ", unit)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", texts, got, want)
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
