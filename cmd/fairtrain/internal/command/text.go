package command

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/results"
)

// ReportWidth is the width of a report for people, in columns.
const ReportWidth = 80

// WriteTable writes rows of cells as columns under a header, the first to the left and
// the others to the right.
func WriteTable(b *bytes.Buffer, header []string, rows [][]string) {
	t := results.Table{Columns: header, Wide: true}
	for _, row := range rows {
		t.Rows = append(t.Rows, results.Row(row...))
	}
	if err := t.Write(b, results.Text); err != nil {
		panic(err) // a buffer takes everything
	}
}

// OneOf reads a flag that chooses among values.
func OneOf[T ~string](c *cli.Context, flag string, values ...T) (T, error) {
	chosen := T(c.String(flag))
	if !slices.Contains(values, chosen) {
		return "", Usagef("--%s is %q, must be one of %v", flag, chosen, values)
	}
	return chosen, nil
}

// Count is a number of things: "1 line", "2 lines".
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
