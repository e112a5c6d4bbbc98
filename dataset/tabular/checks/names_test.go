package checks

import (
	"slices"
	"testing"
)

// TestIsKey: whole numbers that all differ number rows or people if the column is called so.
func TestIsKey(t *testing.T) {
	differ := make([]float64, 30)
	for i := range differ {
		differ[i] = float64((7*i)%31 + 100)
	}
	repeated := append(slices.Clone(differ), differ[0])
	broken := append(slices.Clone(differ), 0.5)
	for name, want := range map[string]bool{
		"": true, "id": true, "ID": true, "Unnamed: 0": true, "__index_level_0__": true, "row.names": true, "patient_id": true, "personID": true,
		"Customer Id": true, "id_person": true, "subject": true, "paid": false, "grid": false, "price": false, "index of prices": false, "years": false,
	} {
		if got := IsKey(name, slices.Values(differ)); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
		if IsKey(name, slices.Values(repeated)) || IsKey(name, slices.Values(broken)) ||
			IsKey(name, slices.Values(differ[:19])) {
			t.Errorf("%q: numbers that repeat, are not whole or few are a key", name)
		}
	}
}

// TestPeople: a column numbers people with several rows each if it is called so and its values
// repeat, but not too often.
func TestPeople(t *testing.T) {
	for _, c := range []struct {
		name                   string
		distinct, rows, people int
	}{
		{"id", 133, 4152, 133},
		{"job_ad_id", 1323, 4870, 1323},
		{"id", 133, 140, 0},
		{"region_id", 50, 10000, 0},
		{"id", 19, 100, 0},
		{"age", 60, 4000, 0},
	} {
		people, rows := People(c.name, func() (int, int) { return c.distinct, c.rows })
		if people != c.people || people > 0 && rows != c.rows {
			t.Errorf("%+v: %d people in %d rows", c, people, rows)
		}
	}
}

// TestWholes: many distinct values are counted up to a number, and their rows to the end.
func TestWholes(t *testing.T) {
	numbers := make([]float64, 2*forIdentifier)
	for i := range numbers {
		numbers[i] = float64(i)
	}
	if distinct, n := Wholes(slices.Values(append(numbers,
		numbers[:100]...))); distinct != forIdentifier || n != forIdentifier+100 {
		t.Errorf("%d values in %d rows", distinct, n)
	}
}
