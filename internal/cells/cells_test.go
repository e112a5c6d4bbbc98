package cells

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// sums are cells of so many parts each, whose outcomes name their parts.
func sums(parts ...int) []Cell {
	var list []Cell
	for i, n := range parts {
		list = append(list, Cell{
			Name: fmt.Sprintf("cell-%d", i), Parts: n,
			Part:  func(_ context.Context, k int) ([]byte, error) { return fmt.Append(nil, i, k, ";"), nil },
			Whole: func(_ context.Context, parts [][]byte) ([]byte, error) { return bytes.Join(parts, nil), nil },
		})
	}
	return list
}

func TestLocal(t *testing.T) {
	for _, jobs := range []Local{0, 1, 3} {
		var outcomes []string
		parts := 0
		err := jobs.Do(t.Context(), sums(0, 2, 3), func(c *Cell, outcome []byte) error {
			if outcome == nil {
				parts++
			} else {
				outcomes = append(outcomes, c.Name+": "+string(outcome))
			}
			return nil
		})
		slices.Sort(outcomes)
		if want := []string{"cell-0: ", "cell-1: 1 0;1 1;", "cell-2: 2 0;2 1;2 2;"}; err != nil || parts != 5 || !slices.Equal(outcomes, want) {
			t.Errorf("%d jobs: %d parts and %q, want 5 and %q (%v)", jobs, parts, outcomes, want, err)
		}
	}
}

// TestLocalEnds has a part, a cell or the caller fail, or the caller cancel. Nothing is told any more.
func TestLocalEnds(t *testing.T) {
	failure := errors.New("failure")
	part, whole := sums(2, 2), sums(0, 0)
	part[0].Part = func(context.Context, int) ([]byte, error) { return nil, failure }
	whole[0].Whole = func(context.Context, [][]byte) ([]byte, error) { return nil, failure }
	for name, list := range map[string][]Cell{"part": part, "whole": whole} {
		if err := Local(1).Do(t.Context(), list, func(c *Cell, _ []byte) error {
			t.Errorf("%s: told of %s after a failure", name, c.Name)
			return nil
		}); err != failure {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for _, want := range []error{failure, context.Canceled} {
		ctx, cancel := context.WithCancel(t.Context())
		told := 0
		err := Local(2).Do(ctx, sums(2, 2, 2), func(*Cell, []byte) error {
			told++
			if want == failure {
				return failure
			}
			cancel()
			return nil
		})
		cancel()
		if told != 1 || !errors.Is(err, want) {
			t.Errorf("told %d times, error %v, want once and %v", told, err, want)
		}
	}
}
