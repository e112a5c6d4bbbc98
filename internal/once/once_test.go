package once

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// TestValues: a value is made once, however many ask for it at the same time, and again after an error.
func TestValues(t *testing.T) {
	var v Values[string, int]
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
