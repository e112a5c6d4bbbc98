package jobs

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// squares squares its parts. It fails at one of them.
type squares struct{ fault int }

var errFault = errors.New("fault")

func (s squares) Do(_ context.Context, part any) (any, error) {
	if part == s.fault {
		return nil, errFault
	}
	return part.(int) * part.(int), nil
}

func TestLocal(t *testing.T) {
	for _, many := range []Local{0, 1, 3} {
		outcomes := make([]int, 4)
		err := many.Do(t.Context(), squares{}, []any{1, 2, 3, 4}, func(k int, outcome any) error {
			outcomes[k] = outcome.(int)
			return nil
		})
		if want := []int{1, 4, 9, 16}; err != nil || !slices.Equal(outcomes, want) {
			t.Errorf("%d at a time: %d, want %d (%v)", many, outcomes, want, err)
		}
	}
}

// TestLocalEnds has a part or the caller fail, or the caller cancel. Nothing is done any more.
func TestLocalEnds(t *testing.T) {
	if err := Local(1).Do(t.Context(), squares{1}, []any{1, 2},
		func(int, any) error { return errors.New("done") }); err != errFault {
		t.Errorf("error %v, want that of a part", err)
	}
	for _, want := range []error{errFault, context.Canceled} {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		err := Local(2).Do(ctx, squares{}, []any{1, 2, 3}, func(int, any) error {
			calls++
			if want == errFault {
				return errFault
			}
			cancel()
			return nil
		})
		cancel()
		if calls != 1 || !errors.Is(err, want) {
			t.Errorf("%d calls, error %v, want one and %v", calls, err, want)
		}
	}
}

// TestCache: a value is made once, however many ask for it at the same time, and again after an
// error.
func TestCache(t *testing.T) {
	var v Cache[string, int]
	fault := errors.New("missing")
	if _, err := v.Get("a", func() (int, error) { return 0, fault }); err != fault {
		t.Errorf("error %v, want %v", err, fault)
	}
	var made atomic.Int32
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if got, err := v.Get("a", func() (int, error) { return int(made.Add(1)), nil }); got != 1 || err != nil {
				t.Errorf("%d, %v", got, err)
			}
		})
	}
	all.Wait()
	if got, _ := v.Get("b", func() (int, error) { return 5, nil }); got != 5 {
		t.Errorf("of another key: %d", got)
	}
}
