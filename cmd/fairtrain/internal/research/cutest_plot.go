package research

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cutest/benchmark"
	"github.com/fairtrain/fairtrain/plots"
	"github.com/fairtrain/fairtrain/results"
)

func cutestPlotCommand(p *command.Program) *cli.Command {
	return &cli.Command{
		Name:  "plot",
		Usage: "draw figures of an experiment",
		Description: `Kinds of figures: box, the stationarity, the feasibility and the score, the larger of the
two, that methods reach on the problems; profile, the share of the problems on which a
method's score is at most a multiple of the best method's. Without --out both are drawn, as
PNG, SVG and PDF files in the folder "figure" of the folder. Problems without the results of
all methods are left out.`,
		ArgsUsage: "DIR",
		Flags:     figureFlags(box, profile),
		Action:    command.Action(readFigure(box, profile), program{Program: p}.cutestPlot),
	}
}

func (p program) cutestPlot(ctx context.Context, o figureOptions) error {
	table, err := loadTable(o.dir)
	if err != nil {
		return err
	}
	if table.Problems == 0 {
		return command.Advise(errors.New("no problem has the results of all methods"),
			"fairtrain cutest run, started again, does what is missing")
	}
	o.Heading = table.Preset + ", " + table.Caption()
	draw := func(kind string, o plots.Options) (*plots.Figure, error) { return drawTable(table, kind, o) }
	return p.plotFolder(ctx, o, []drawing{{box, box, o.X}, {profile, profile, o.X}}, draw)
}

// rounding is the error below which all errors are drawn as equal: the rounding of 0.
const rounding = 1e-15

// drawTable draws the errors that methods reached on problems.
func drawTable(t *benchmark.Table, kind string, o plots.Options) (*plots.Figure, error) {
	var solvers []string
	for _, m := range t.Methods {
		solvers = append(solvers, m.Name)
	}
	values := func(of func(results.Judged) float64) [][]float64 {
		rows := make([][]float64, len(t.Rows))
		for i, row := range t.Rows {
			for _, cell := range row.Cells {
				rows[i] = append(rows[i], max(of(cell.Best), rounding))
			}
		}
		return rows
	}
	scores := values(results.Judged.Score)
	if kind == profile {
		return plots.Profile(plots.Costs{
			Counted: "share of the problems, by the score reached", Name: "score (the larger of stationarity and feasibility)",
			Solvers: solvers, Cost: scores,
		}, o)
	}
	return plots.ErrorBoxes([]plots.Errors{
		{Measure: "stationarity", Solvers: solvers, Value: values(func(p results.Judged) float64 { return float64(p.Stationarity) })},
		{Measure: "feasibility", Solvers: solvers, Value: values(func(p results.Judged) float64 { return float64(p.Feasibility) })},
		{Measure: "score, the larger of both", Solvers: solvers, Value: scores},
	}, o)
}
