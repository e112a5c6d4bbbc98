package fan

import (
	"context"
	"encoding/gob"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/beam/passes"
	"github.com/fairtrain/fairtrain/internal/cells"
)

func TestMain(m *testing.M) {
	gob.Register(order{})
	flag.Parse()
	beam.Init()
	passes.Quiet()
	os.Exit(m.Run())
}

// order makes a cell that leaves marks in a folder, one whenever it does something.
type order struct {
	Name  string
	Parts int
	Marks string // folder
}

func (o order) Cell(context.Context) (cells.Cell, error) {
	switch o.Name {
	case "renamed":
		o.Name = "another"
	case "impossible":
		return cells.Cell{}, errors.New("there are no such rows")
	}
	return cells.Cell{
		Name: o.Name, Order: o, Parts: o.Parts,
		Part: func(ctx context.Context, k int) ([]byte, error) { return o.mark(ctx, fmt.Sprintf("%s-%d", o.Name, k)) },
		Whole: func(ctx context.Context, parts [][]byte) ([]byte, error) {
			text, err := o.mark(ctx, o.Name)
			return fmt.Appendf(nil, "%s of %q", text, parts), err
		},
	}, nil
}

// Files in the folder of marks: what held names does not end while it is there, unless it is
// stopped. What panics- is about does so, once.
const held, stopped, panics = "held", "stopped", "panics-"

func (o order) mark(ctx context.Context, what string) ([]byte, error) {
	f, err := os.CreateTemp(o.Marks, what+".*")
	if err != nil {
		return nil, err
	}
	f.Close()
	for {
		text, err := os.ReadFile(filepath.Join(o.Marks, held))
		if string(text) != what {
			break
		}
		if ctx.Err() != nil {
			return nil, errors.Join(ctx.Err(), os.WriteFile(filepath.Join(o.Marks, stopped), nil, 0o600))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		time.Sleep(10 * time.Millisecond)
	}
	if os.Remove(filepath.Join(o.Marks, panics+what)) == nil {
		panic("a worker that fails")
	}
	if what == "failing" {
		return nil, errors.New("it has failed")
	}
	return []byte(what), nil
}

// marks returns how often something was begun.
func (o order) marks(t *testing.T, what string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(o.Marks, what+".*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

func list(t *testing.T, orders ...order) []cells.Cell {
	t.Helper()
	var all []cells.Cell
	for _, o := range orders {
		c, err := o.Cell(t.Context())
		if err != nil {
			c = cells.Cell{Name: o.Name, Order: o}
		}
		c.Name = o.Name
		all = append(all, c)
	}
	return all
}

// told collects what an executor tells of.
type told map[string][]string

func (m told) done(c *cells.Cell, outcome []byte) error {
	m[c.Name] = append(m[c.Name], string(outcome))
	return nil
}

// wanted is what it is to tell of cells.
func wanted(orders ...order) told {
	m := told{}
	for _, o := range orders {
		parts := []string{}
		for k := range o.Parts {
			m[o.Name] = append(m[o.Name], "")
			parts = append(parts, fmt.Sprintf("%s-%d", o.Name, k))
		}
		m[o.Name] = append(m[o.Name], fmt.Sprintf("%s of %q", o.Name, parts))
	}
	return m
}

// TestDo does cells with parts and without, and leaves nothing in the shared folder.
func TestDo(t *testing.T) {
	marks, shared := t.TempDir(), t.TempDir()
	orders := []order{{"a", 0, marks}, {"b", 1, marks}, {"c", 7, marks}}
	f, got := New(shared), told{}
	if err := f.Do(t.Context(), list(t, orders...), got.done); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted(orders...), got); diff != "" || f.Jobs() != 1 {
		t.Errorf("%d jobs told (-want +got):\n%s", f.Jobs(), diff)
	}
	if left, err := filepath.Glob(filepath.Join(shared, "*")); err != nil || len(left) > 0 {
		t.Errorf("%q are left (%v)", left, err)
	}
}

// TestFailedWorkers has workers fail in a part and in a cell. A job fails with them. The next one
// does again what they were doing, and nothing else.
func TestFailedWorkers(t *testing.T) {
	marks := t.TempDir()
	for _, what := range []string{"a", "b-1"} {
		if err := os.WriteFile(filepath.Join(marks, panics+what), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	orders := []order{{"a", 0, marks}, {"b", 3, marks}}
	f, got := New(t.TempDir()), told{}
	if err := f.Do(t.Context(), list(t, orders...), got.done); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted(orders...), got); diff != "" || f.Jobs() < 2 {
		t.Errorf("%d jobs told (-want +got):\n%s", f.Jobs(), diff)
	}
	for what, want := range map[string]int{"a": 2, "b-0": 1, "b-1": 2, "b-2": 1, "b": 1} {
		if n := orders[0].marks(t, what); n != want {
			t.Errorf("%s was begun %d times, want %d", what, n, want)
		}
	}
}

// TestFaults has cells that cannot be done. No further job is started.
func TestFaults(t *testing.T) {
	for name, want := range map[string]string{
		"renamed":    "cell renamed is another here: this worker has other data",
		"impossible": "there are no such rows",
		"failing":    "it has failed",
	} {
		f := New(t.TempDir())
		err := f.Do(t.Context(), list(t, order{name, 0, t.TempDir()}), told{}.done)
		if err == nil || !strings.HasPrefix(err.Error(), want) || f.Jobs() != 1 {
			t.Errorf("%s: error %v after %d jobs, want %q", name, err, f.Jobs(), want)
		}
	}
}

// TestStop interrupts the driver while a worker does a cell, and the worker ends.
func TestStop(t *testing.T) {
	marks := t.TempDir()
	if err := os.WriteFile(filepath.Join(marks, held), []byte("b"), 0o600); err != nil {
		t.Fatal(err)
	}
	orders := []order{{"a", 2, marks}, {"b", 0, marks}, {"c", 0, marks}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	got, shared := told{}, t.TempDir()
	go func() { ended <- New(shared).Do(ctx, list(t, orders...), got.done) }()
	for orders[1].marks(t, "b") == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	for begin := time.Now(); got["b"] == nil; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(marks, stopped)); err == nil {
			return
		}
		if time.Since(begin) > time.Minute {
			break
		}
	}
	t.Errorf("the worker goes on; told %q", got)
}
