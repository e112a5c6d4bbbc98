package classifier

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestShiftRounded: what a model file keeps of a shift tells of no single person.
func TestShiftRounded(t *testing.T) {
	s := Shift{Column: "job", Lowest: LevelRate{"job=a", 1368, 0.61695}, Highest: LevelRate{"job=b", 52, 0.9}, FreeLowest: 0.12349, FreeHighest: 1}
	want := Shift{Column: "job", Lowest: LevelRate{"job=a", 1370, 0.617}, Highest: LevelRate{"job=b", 50, 0.9}, FreeLowest: 0.123, FreeHighest: 1}
	if diff := cmp.Diff(want, s.Rounded(5)); diff != "" {
		t.Error(diff)
	}
}
