package dataset

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestHoldOutUnits: no unit is on both sides, one row of each unit that is held out is tested, as many
// units are held out as rows without units would be, and nothing else is lost.
func TestHoldOutUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.SliceOfN(rapid.Uint64Range(1, 30), 40, 200).Draw(t, "units")
		seed := rapid.Uint64Range(0, 5).Draw(t, "seed")
		rest, held, err := HoldOut(len(units), units, 0.3, seed)
		if err != nil {
			t.Fatal(err)
		}
		distinct := slices.Compact(slices.Sorted(slices.Values(units)))
		if want := int(0.3*float64(len(distinct)) + 0.5); len(held) != want {
			t.Errorf("%d rows are held out, want %d units", len(held), want)
		}
		of := Pick(units, held)
		for _, i := range rest {
			if slices.Contains(of, units[i]) {
				t.Errorf("unit %d is on both sides", units[i])
			}
		}
		slices.Sort(of)
		if len(slices.Compact(of)) != len(held) || !slices.IsSorted(held) || !slices.IsSorted(rest) {
			t.Error("a unit is tested twice, or rows are not in order")
		}
		for i, u := range units {
			if !slices.Contains(of, u) && !slices.Contains(rest, i) {
				t.Errorf("row %d is lost", i)
			}
		}
	})
}
