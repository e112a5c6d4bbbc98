package checks

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// draws are so many numbers.
func draws(n int, draw func(r *rand.Rand) float64) []float64 {
	r := rand.New(rand.NewPCG(5, 0))
	values := make([]float64, n)
	for i := range values {
		values[i] = draw(r)
	}
	return values
}

// oneOf draws one of some numbers in a share of the rows, and otherwise an integer of a range.
func oneOf(share float64, low, high int, codes ...float64) func(r *rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		if r.Float64() < share {
			return codes[r.IntN(len(codes))]
		}
		return float64(low + r.IntN(high-low+1))
	}
}

// TestSeveralStandIns: several codes, or a mean, may stand for missing values; steps of a scale, years,
// temperatures and the largest of a range don't. The order of the rows does not matter.
func TestSeveralStandIns(t *testing.T) {
	for name, test := range map[string]struct {
		draw func(r *rand.Rand) float64
		want string
	}{
		"survey":           {oneOf(0.1, 0, 58, 998, 999), "998 and 999, while all others are 0 to 58"},
		"three":            {oneOf(0.1, 1, 30, 77, 88, 99), "77, 88 and 99, while all others are 1 to 30"},
		"scale":            {oneOf(0.1, 1, 5, -9, -8), "-9 and -8, while all others are 1 to 5"},
		"long":             {oneOf(0.1, 0, 90_000, 9999998, 9999999), "9999998 and 9999999, while all others are "},
		"incomes":          {oneOf(0.2, 0, 90_000, -5, -4, -2, -1), "-5, -4, -2 and -1, while all others are "},
		"ones and twos":    {oneOf(0.1, 0, 250_000, -1111111, -2222222), "-2222222 and -1111111, while all others are 35 to "},
		"sixes":            {oneOf(0.1, 0, 80, 666, 777), "666 and 777, while all others are 0 to 80"},
		"eleven":           {oneOf(0.1, 0, 9, 11, 22), ""},
		"both ends":        {oneOf(0.2, 0, 40, -9, 999), "-9, while all others are 0 to 999"},
		"whole numbers":    {oneOf(0.2, 8, 16, 10.251), "10.251, while all others are whole, 8 to 16"},
		"ages":             {oneOf(0, 18, 99, 0), ""},
		"centuries":        {oneOf(0, 95, 97, 0), ""},
		"temperatures":     {oneOf(0, -5, 30, 0), ""},
		"goal differences": {oneOf(0, -3, 8, 0), ""},
		"half steps":       {oneOf(0.3, 30, 45, 35.5, 36.5, 37.5), ""},
		"quarter":          {oneOf(0.3, 0, 2, 0.25), ""},
	} {
		values := draws(3000, test.draw)
		for range 2 {
			var list []string
			for _, s := range Numbers("x", values).StandIns {
				list = append(list, s.String())
			}
			if got := strings.Join(list, "; "); !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
				t.Errorf("%s: %q, want %q", name, got, test.want)
			}
			slices.Sort(values)
		}
	}
	amounts := draws(2000, func(r *rand.Rand) float64 { return math.Round(100*r.ExpFloat64()) / 100 })
	mean := 0.0
	for _, v := range amounts {
		mean += v / float64(len(amounts))
	}
	for range 50 {
		amounts = append(amounts, math.Round(mean*1e6)/1e6)
	}
	found := Numbers("x", amounts).StandIns
	if len(found) != 1 || !found[0].Mean || found[0].Rows != 50 {
		t.Errorf("a mean among amounts: %v", found)
	}
}

// TestDates: dates as Excel, SAS, databases and computers write them are dates; what looks like some of
// them is not.
func TestDates(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 0))
	var days []time.Time
	for range 300 {
		days = append(days, time.Date(1980, 1, 1, 9, 30, 0, 0, time.UTC).AddDate(0, 0, r.IntN(15_000)))
	}
	for _, form := range []string{
		"2006-01", "01/2006", "2006-01-02", "2006-01-02T15:04:05Z", "2006-01-02 15:04:05.000", "02.01.2006", "1/2/2006", "1/2/06", "2/1/06", "2-Jan-06",
		"02-Jan-2006", "2-JAN-06", "02Jan2006", "Jan 2, 2006", "January 2, 2006", "2 January 2006", "Mon, 02 Jan 2006 15:04:05 MST",
		"Mon Jan  2 15:04:05 MST 2006", "Monday, January 2, 2006", "Jan-2006", "Jan 2006", "2006-Jan-02", "20060102", "060102",
		"020106", "010206", "02012006", "01022006", "200601", "02Jan2006:15:04:05",
	} {
		var levels []string
		for _, day := range days {
			levels = append(levels, day.Format(form))
		}
		slices.Sort(levels)
		if levels = slices.Compact(levels); !Days(levels) {
			t.Errorf("%s, such as %s, is no date", form, levels[0])
		}
	}
	for name, of := range map[string]func(d time.Time) float64{
		"seconds":      func(d time.Time) float64 { return float64(d.Unix() + 400_000_000) },
		"milliseconds": func(d time.Time) float64 { return float64(d.UnixMilli() + 400_000_000_000) },
		"yymmdd":       func(d time.Time) float64 { return float64(d.Year()%100*10_000 + int(d.Month())*100 + d.Day()) },
		"ddmmyy":       func(d time.Time) float64 { return float64(d.Day()*10_000 + int(d.Month())*100 + d.Year()%100) },
		"yyyymm":       func(d time.Time) float64 { return float64(d.Year()*100 + int(d.Month())) },
	} {
		var numbers []float64
		for _, day := range days {
			numbers = append(numbers, of(day))
		}
		if !Numbers("x", numbers).Days {
			t.Errorf("%s are no dates", name)
		}
	}
	for name, draw := range map[string]func(r *rand.Rand) float64{
		"six digits":       func(r *rand.Rand) float64 { return float64(100_000 + r.IntN(900_000)) },
		"five near others": func(r *rand.Rand) float64 { return float64(20_100 + r.IntN(2700)) },
		"years":            func(r *rand.Rand) float64 { return float64(1980 + r.IntN(40)) },
		"large amounts":    func(r *rand.Rand) float64 { return 1e8 + float64(r.IntN(1e9)) },
		"decimals":         func(r *rand.Rand) float64 { return 1e9 + 1e9*r.Float64() },
	} {
		if Numbers("x", draws(1000, draw)).Days {
			t.Errorf("%s are dates", name)
		}
	}
	for _, words := range []string{"3 marbles 12,5 marbles 13,7 marbles 14", "18-Dec,19-Dec,20-Dec", "10.0.0.1,10.0.0.2,10.0.0.3", "sept,oct,nov"} {
		if Days(strings.Split(words, ",")) {
			t.Errorf("%s are dates", words)
		}
	}
}

// TestRepeats: numbers of people that repeat a little are found in any order and without a name, sparse
// or dense; amounts, rounded or not, are none.
func TestRepeats(t *testing.T) {
	for name, test := range map[string]struct {
		draw func(r *rand.Rand, people []float64) float64
		want bool
	}{
		"sparse":    {func(r *rand.Rand, people []float64) float64 { return people[r.IntN(len(people))] }, true},
		"incomes":   {func(r *rand.Rand, _ []float64) float64 { return math.Round(10 * math.Exp(8+r.NormFloat64())) }, false},
		"hundreds":  {func(r *rand.Rand, _ []float64) float64 { return 100 * float64(r.IntN(3000)) }, false},
		"at random": {func(r *rand.Rand, _ []float64) float64 { return float64(r.IntN(6000)) }, false},
		"salaries": {func(r *rand.Rand, _ []float64) float64 {
			return float64(20_000 + r.IntN(80_000)/[]int{1, 1000}[r.IntN(2)]*[]int{1, 1000}[r.IntN(2)])
		}, false},
	} {
		for _, n := range []int{600, 3000} {
			r := rand.New(rand.NewPCG(9, 0))
			people := make([]float64, 2*n)
			for k := range people {
				people[k] = 1e6 + float64(r.IntN(9e6))
			}
			values := draws(n, func(r *rand.Rand) float64 { return test.draw(r, people) })
			if got := Numbers("x", values).Repeats != nil; got != test.want {
				t.Errorf("%s, %d rows: %v", name, n, got)
			}
		}
	}
	var dense []float64 // each of the people 1 to 800 in one or two rows
	for k := range 800 {
		for range 1 + k*k%7%2 {
			dense = append(dense, float64(k+1))
		}
	}
	if Numbers("x", dense).Repeats == nil {
		t.Error("dense numbers of people are not found")
	}
}

// TestCodes: codes of places and occupations are found by their name or by their gaps; amounts, ages,
// counts and years are none.
func TestCodes(t *testing.T) {
	places := draws(60, func(r *rand.Rand) float64 { return float64(10_000 + r.IntN(89_999)) })
	for name, test := range map[string]struct {
		draw func(r *rand.Rand) float64
		want bool
	}{
		"zip":    {func(r *rand.Rand) float64 { return places[r.IntN(60)] }, true},
		"where":  {func(r *rand.Rand) float64 { return places[r.IntN(60)] }, true},
		"county": {oneOf(0, 1, 120, 0), true},
		"OCCP":   {func(r *rand.Rand) float64 { return float64(10 * (1 + r.IntN(300))) }, true},
		"age":    {oneOf(0, 18, 90, 0), false},
		"limit":  {func(r *rand.Rand) float64 { return float64(10_000 * (1 + r.IntN(80))) }, false},
		"gain":   {func(r *rand.Rand) float64 { return float64(r.IntN(2)) * places[r.IntN(60)] }, false},
		"area":   {oneOf(0, 300, 900, 0), false},
		"priors": {func(r *rand.Rand) float64 { return math.Floor(3 * r.ExpFloat64()) }, false},
		"year":   {oneOf(0, 1999, 2010, 0), false},
		"race":   {oneOf(0, 1, 5, 0), true},
		"age76":  {oneOf(0, 24, 34, 0), false},
	} {
		f := Numbers(name, draws(3000, test.draw))
		if got := f.Codes || f.FewCodes; got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := fmt.Sprint(FindRepetition("customer_no", []int{1, 1, 2}, false)); got != "<nil>" {
		t.Errorf("three values identify: %s", got)
	}
}
