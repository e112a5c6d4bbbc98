// Package cellstest does cells by their orders alone, as other processes do.
package cellstest

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"

	"github.com/fairtrain/fairtrain/internal/cells"
)

// ByOrder is an executor that makes every cell again from its order, which was text in between.
type ByOrder struct{}

// Do implements cells.Executor. The types of the orders must be registered with gob.
func (ByOrder) Do(ctx context.Context, list []cells.Cell, done cells.Done) error {
	again := make([]cells.Cell, len(list))
	for i, c := range list {
		var text bytes.Buffer
		if err := gob.NewEncoder(&text).Encode(&c.Order); err != nil {
			return err
		}
		var order cells.Order
		if err := gob.NewDecoder(&text).Decode(&order); err != nil {
			return err
		}
		var err error
		if again[i], err = order.Cell(ctx); err != nil {
			return err
		}
		if again[i].Name != c.Name || again[i].Parts != c.Parts {
			return fmt.Errorf("cell %s of %d parts is made again as %s of %d", c.Name, c.Parts, again[i].Name, again[i].Parts)
		}
	}
	return cells.Local(2).Do(ctx, again, done)
}
