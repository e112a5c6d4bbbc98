package evaluate

import (
	"strings"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/results"
)

// printScorecard prints the table of a model that has points.
func (p program) printScorecard(m *classifier.Classifier, format results.TableFormat) error {
	card := m.Scorecard()
	if p.JSON {
		return p.PrintJSON(card)
	}
	return p.PrintTables(format, results.Wrap(words.Scorecard(card), command.ReportWidth)+"\n\n", scorecardTable(card, format))
}

// scorecardTable has a row for every line of a scorecard; its CSV form has the bounds of bins, and the
// column in every row.
func scorecardTable(card *classifier.Scorecard, format results.TableFormat) results.Table {
	points := func(n int) results.Entry { return results.Single(float64(n), 7) }
	t := results.Table{
		Columns: []string{"column", "value", "points", "share", "IV", "at_least", "below"}, Wide: true,
		Rows: [][]results.Entry{{{Text: "(everybody)"}, {}, points(card.Constant), {}, {}, {}, {}}},
		Notes: []string{
			"a row has the points of (everybody) and, of every column, those of the line of its value; (rare) or (other) is any value without a line of its own",
			words.InformationValues,
		},
	}
	for _, c := range card.Columns {
		for k, l := range c.Lines {
			row := []results.Entry{{Text: c.Column}, {Text: l.Value}, points(l.Points), number(l.Share, 3), number(c.InformationValue, 3), number(l.AtLeast, 7), number(l.Below, 7)}
			if format != results.CSV {
				if k > 0 {
					row[0], row[4] = results.Entry{}, results.Entry{}
				}
				row[5], row[6] = results.Entry{}, results.Entry{}
			}
			t.Rows = append(t.Rows, row)
		}
	}
	if len(card.Without) > 0 {
		t.Notes = append(t.Notes, "columns of which all values have the same points: "+strings.Join(card.Without, ", "))
	}
	if format != results.CSV {
		t.DropEmpty()
	}
	return t
}
