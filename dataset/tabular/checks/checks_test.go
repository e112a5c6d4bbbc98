package checks

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestAmountsWithoutStandIns: amounts have no stand-in, however long their tail is, rounded or not,
// capped at their largest thousandth or not.
func TestAmountsWithoutStandIns(t *testing.T) {
	for name, draw := range map[string]func(r *rand.Rand) float64{
		"exponential":   func(r *rand.Rand) float64 { return 1000 * r.ExpFloat64() },
		"lognormal":     func(r *rand.Rand) float64 { return 1000 * math.Exp(2*r.NormFloat64()) },
		"pareto":        func(r *rand.Rand) float64 { return 100 / (1 - r.Float64()) },
		"normal":        func(r *rand.Rand) float64 { return 40 + 12*r.NormFloat64() },
		"zero-inflated": func(r *rand.Rand) float64 { return float64(r.IntN(10)/9) * 5000 * math.Exp(r.NormFloat64()) },
		"fixed amounts": func(r *rand.Rand) float64 { return []float64{0, 100, 250, 500, 5000}[r.IntN(5)] },
		"counts":        func(r *rand.Rand) float64 { return math.Floor(r.ExpFloat64() * r.ExpFloat64()) },
	} {
		for seed := range uint64(16) {
			r := rand.New(rand.NewPCG(seed, 3))
			n := 200 << (seed % 8)
			values := make([]float64, n)
			for i := range values {
				values[i] = draw(r)
				if seed%3 > 0 {
					values[i] = math.Round(values[i])
				}
			}
			if sorted := slices.Sorted(slices.Values(values)); seed%2 == 1 {
				for i := range values {
					values[i] = min(values[i], sorted[n-1-n/1000])
				}
			}
			if s := Numbers("", values).StandIns; s != nil {
				t.Errorf("%s, %d rows: %v", name, n, s)
			}
		}
	}
}

// TestDaysOfNumbers: numbers of eight digits are days if nearly all distinct ones are. Amounts,
// identifiers with a year, and few or other numbers are none.
func TestDaysOfNumbers(t *testing.T) {
	day := func(r *rand.Rand) float64 {
		d := time.Date(1920, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, r.IntN(40_000))
		return float64(10_000*d.Year() + 100*int(d.Month()) + d.Day())
	}
	or := func(share float64, other float64) func(r *rand.Rand) float64 {
		return func(r *rand.Rand) float64 {
			if r.Float64() < share {
				return other
			}
			return day(r)
		}
	}
	for name, test := range map[string]struct {
		draw func(r *rand.Rand) float64
		want bool
	}{
		"days":             {day, true},
		"some missing":     {or(0.5, math.NaN()), true},
		"mostly none":      {or(0.9, 0), true},
		"without an end":   {or(0.3, 99991231), true},
		"month ends":       {func(r *rand.Rand) float64 { return []float64{20240131, 20240229, 20240331}[r.IntN(3)] }, true},
		"two days":         {func(r *rand.Rand) float64 { return []float64{20240131, 20240229}[r.IntN(2)] }, false},
		"no leap year":     {func(r *rand.Rand) float64 { return []float64{20230131, 20230229, 20230331}[r.IntN(3)] }, false},
		"amounts":          {func(r *rand.Rand) float64 { return 19e6 + float64(r.IntN(2e6)) }, false},
		"year and number":  {func(r *rand.Rand) float64 { return 20240001 + float64(r.IntN(2000)) }, false},
		"with decimals":    {func(r *rand.Rand) float64 { return day(r) + 0.5 }, false},
		"another century":  {func(r *rand.Rand) float64 { return day(r) - 2000000 }, false},
		"ages":             {func(r *rand.Rand) float64 { return float64(18 + r.IntN(60)) }, false},
		"nothing":          {func(*rand.Rand) float64 { return math.NaN() }, false},
		"one in ten other": {func(r *rand.Rand) float64 { return day(r) + float64(r.IntN(10)/9)*90_00 }, false},
	} {
		r := rand.New(rand.NewPCG(8, 0))
		values := make([]float64, 2000)
		for i := range values {
			values[i] = test.draw(r)
		}
		if got := Numbers("", values).Days; got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestIsKey: whole numbers that all differ number rows or people if the column is called so.
func TestIsKey(t *testing.T) {
	differ := make([]float64, 30)
	for i := range differ {
		differ[i] = float64((7*i)%31 + 100)
	}
	repeated := append(slices.Clone(differ), differ[0])
	broken := append(slices.Clone(differ), 0.5)
	for name, want := range map[string]bool{
		"": true, "id": true, "Unnamed: 0": true, "__index_level_0__": true, "row.names": true,
		"patient_id": true, "personID": true, "Customer Id": true, "id_person": true, "subject": true,
		"paid": false, "grid": false, "price": false, "index of prices": false,
	} {
		if got := Numbers(name, differ).AllDiffer && isKey(name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
		for _, others := range [][]float64{repeated, broken, differ[:19]} {
			if Numbers(name, others).AllDiffer {
				t.Errorf("%q: numbers that repeat, are not whole or few are a key", name)
			}
		}
	}
}

// TestFindRepetition: a column numbers people with several rows each if each of many has as many, or
// if it is called so and its values repeat, but not too often.
func TestFindRepetition(t *testing.T) {
	for _, c := range []struct {
		name           string
		distinct, rows int
		missing, want  bool
	}{
		{"id", 133, 4152, false, true},
		{"job_ad_id", 1323, 4870, true, true},
		{"id", 133, 140, false, true},
		{"region_id", 50, 10000, false, false},
		{"id", 19, 100, false, false},
		{"age", 61, 4000, false, false},
		{"firm", 150, 1050, false, true},
		{"firm", 150, 1050, true, false},
		{"month", 60, 1200, false, false},
	} {
		counts := make([]int, c.distinct)
		for i := range c.rows {
			counts[i%c.distinct]++
		}
		if got := FindRepetition(c.name, counts, c.missing); (got != nil) != c.want || got != nil && got.Rows != c.rows {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// TestMarks: the only level without letters and digits may stand for a missing value.
func TestMarks(t *testing.T) {
	for want, levels := range map[string][]string{".": {"male", ".", "female"}, "": {"+", "-", "?"}} {
		if mark, _ := FindMark(levels); mark != want {
			t.Errorf("%q: %q", levels, mark)
		}
	}
}
