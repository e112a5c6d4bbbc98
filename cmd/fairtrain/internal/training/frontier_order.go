package training

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/internal/cells"
	"github.com/fairtrain/fairtrain/internal/once"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/frontier"
)

// FrontierOrder is a point of a frontier for another process, which reads the same files as the
// same command line says.
type FrontierOrder struct {
	Words []string // of the command line
	Rows  []string // what they are, see identities
	Point int      // see frontier.Cells
}

// frontierOrders returns the orders of all points.
func frontierOrders(c *cli.Context, o *train.Options) func(k int) cells.Order {
	order := FrontierOrder{Words: flagWords(c), Rows: identities(o)}
	return func(k int) cells.Order {
		order.Point = k
		return order
	}
}

// identities say which rows a run has, and the SHA-256 of their files.
func identities(o *train.Options) []string {
	var list []string
	for _, d := range []*dataset.Dataset{o.Data, o.ConstraintData, o.ValidationData, o.TestData} {
		if d != nil {
			list = append(list, fmt.Sprintf("%d rows of %s (SHA-256 %s)", d.Rows(), d.Name, d.Hash))
		}
	}
	return list
}

// remade are the frontiers that this process has made again, with their data.
var remade once.Values[string, []cells.Cell] // by the order's words and rows

// Cell implements cells.Order.
func (o FrontierOrder) Cell(ctx context.Context) (cells.Cell, error) {
	key := strings.Join(slices.Concat(o.Words, o.Rows), "\n")
	list, err := remade.Get(key, func() ([]cells.Cell, error) { return o.remake(context.WithoutCancel(ctx)) })
	if err != nil {
		return cells.Cell{}, err
	}
	return list[o.Point], nil
}

// remake makes the points of the frontier again and checks that the rows are those of the order.
func (o FrontierOrder) remake(ctx context.Context) (list []cells.Cell, err error) {
	p := program{Program: command.NewProgram(o.Words[0], strings.NewReader(""), io.Discard, io.Discard)}
	again := FrontierCommand(p.Program)
	again.Action = func(c *cli.Context) error {
		options, err := p.trainOptions(c)
		if err != nil {
			return err
		}
		bounds, err := frontierBounds(c, options)
		if err != nil {
			return err
		}
		if err := p.prepare(c, trainNames(c), nil, &options); err != nil {
			return err
		}
		if here := identities(&options); !slices.Equal(here, o.Rows) {
			return fmt.Errorf("other rows are here (%s) than where the frontier began (%s)", strings.Join(here, ", "), strings.Join(o.Rows, ", "))
		}
		list, err = frontier.Cells(options, bounds, frontier.Settings{Method: methods(c), Order: frontierOrders(c, &options)})
		return err
	}
	app := &cli.App{Name: o.Words[0], Commands: []*cli.Command{again}}
	p.Harden(app)
	err = app.RunContext(ctx, o.Words)
	return list, err
}
