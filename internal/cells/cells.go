// Package cells is the seam between work that is cut into cells, each on its own, and what does
// it: the processors of this machine (Local), or workers elsewhere (package beam/fan).
package cells

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Cell is a piece of work. Its outcome is text, the same wherever and whenever it is done, but for
// the times in it.
type Cell struct {
	Name string  // among all cells: a to z, 0 to 9, - and _
	Work float64 // expected, in a unit of the caller's own
	// Order makes the cell again in another process; nil if none is to do it.
	Order Order
	// Parts is the number of parts, which are done side by side before Whole takes their outcomes.
	Parts int
	Part  func(ctx context.Context, k int) ([]byte, error)
	Whole func(ctx context.Context, parts [][]byte) ([]byte, error)
}

// Order is what another process needs to make a cell, as data that package gob encodes. It must
// find the same files there: a cell of other data is an error.
type Order interface {
	Cell(context.Context) (Cell, error)
}

// Tasks is the number of tasks of a cell: its parts, or the cell itself if it has none.
func (c *Cell) Tasks() int { return max(1, c.Parts) }

// Done takes the outcome of a cell or, with a nil outcome, hears that a part is done. Calls come
// one at a time. After an error no more is done.
type Done func(c *Cell, outcome []byte) error

// Executor does cells. It returns when all are done, or at the first error. Then some may be done,
// and none is done in part.
type Executor interface {
	Do(ctx context.Context, list []Cell, done Done) error
}

// Local does cells in this process, so many tasks at a time.
type Local int

// Do implements Executor.
func (l Local) Do(ctx context.Context, list []Cell, done Done) error {
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(max(1, int(l)))
	var telling sync.Mutex
	tell := func(c *Cell, outcome []byte) error {
		telling.Lock()
		defer telling.Unlock()
		if running.Err() != nil {
			return running.Err()
		}
		return done(c, outcome)
	}
	for i := range list {
		p := &pending{Cell: &list[i], left: list[i].Parts, parts: make([][]byte, list[i].Parts)}
		for k := range p.Tasks() {
			group.Go(func() error {
				if running.Err() != nil {
					return running.Err()
				}
				return p.do(running, k, tell)
			})
		}
	}
	return group.Wait()
}

// pending is a cell with the parts that are done.
type pending struct {
	*Cell
	mu    sync.Mutex
	left  int
	parts [][]byte
}

// do does task k. The part that ends last does the whole.
func (p *pending) do(ctx context.Context, k int, tell Done) error {
	if p.Parts > 0 {
		part, err := p.Part(ctx, k)
		if err != nil {
			return err
		}
		if err := tell(p.Cell, nil); err != nil {
			return err
		}
		p.mu.Lock()
		p.parts[k] = part
		p.left--
		last := p.left == 0
		p.mu.Unlock()
		if !last {
			return nil
		}
	}
	outcome, err := p.Whole(ctx, p.parts)
	if err != nil {
		return err
	}
	return tell(p.Cell, outcome)
}
