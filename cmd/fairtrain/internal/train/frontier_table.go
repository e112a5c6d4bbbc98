package train

import (
	"slices"
	"strconv"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/frontier"
)

// frontierTable has a line for each classifier: as text, its accuracy and disparity; as Markdown all
// figures; in CSV, every number and mark has a column of its own.
func frontierTable(r *frontier.Report, format results.TableFormat) results.Table {
	points, kinds := frontierPoints(r), kindsOf(r)
	if kinds.brief = format == results.Text; kinds.brief {
		kinds.losses, kinds.scores = false, kinds.scores && r.On == train.Scores
	}
	t := results.Table{EqualDigits: true, Notes: frontierNotes(r, kinds)}
	for _, p := range points {
		cells := marks(p, kinds)
		if format == results.CSV {
			cells = marksInCSV(p)
		}
		cells = append(cells, numbers(r, p, kinds)...)
		var row []results.Entry
		t.Columns = nil // the same for all points
		for _, c := range cells {
			t.Columns, row = append(t.Columns, c.column), append(row, c.Entry)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// cell is an entry below the title of its column.
type cell struct {
	column string
	results.Entry
}

// marksInCSV are what there is to say of a point before its figures, for machines.
func marksInCSV(p *frontier.Point) []cell {
	return []cell{
		{"bound", results.Single(float64(p.Bound), 4)},
		{"chosen", results.Entry{Text: strconv.FormatBool(p.Chosen)}},
		{"picked", results.Entry{Text: strconv.FormatBool(p.Picked)}},
		{"trained for", results.Single(float64(trainedFor(p)), 4)},
		{"status", results.Entry{Text: string(p.Report.Status)}},
		{"loss", results.Entry{Text: p.Report.Loss}},
	}
}

// marks are the same for people, without what is the same for all points.
func marks(p *frontier.Point, kinds frontierKinds) []cell {
	cells := []cell{{"bound", results.Entry{Text: boundText(p)}}}
	if kinds.borrowed {
		cells = append(cells, cell{"trained for", results.Entry{Text: boundName(trainedFor(p))}})
	}
	if kinds.unfinished {
		cells = append(cells, cell{"status", results.Entry{Text: string(p.Report.Status)}})
	}
	if kinds.losses {
		cells = append(cells, cell{"loss", results.Entry{Text: p.Report.Loss}})
	}
	return cells
}

// numbers are the figures of a point.
func numbers(r *frontier.Report, p *frontier.Point, kinds frontierKinds) []cell {
	sets := frontierSets(r)
	sure := withIntervals(sets)
	var cells []cell
	if !kinds.brief {
		cells = append(cells, cell{"objective", results.Single(p.Report.Objective, 5)})
	}
	for _, s := range sets {
		f, d, i := s.of(p)
		entry := func(v fairness.Value, e fairness.Estimate) results.Entry {
			if slices.Contains(sure, s) {
				return intervalEntry(v, e)
			}
			return results.Single(float64(v), 4)
		}
		for _, q := range frontierQualities {
			if kinds.brief && q.name != accuracy {
				continue
			}
			e := results.Single(float64(q.value(f)), 4)
			if q.name == accuracy {
				e = entry(f.Accuracy, i.Accuracy)
			}
			cells = append(cells, cell{string(s) + " " + q.name, e})
		}
		cells = append(cells, cell{string(s) + " disparity", entry(d.Decisions, i.Disparity)})
		if kinds.scores {
			cells = append(cells, cell{string(s) + " score disparity", results.Single(float64(d.Scores), 4)})
		}
	}
	return cells
}

// intervalEntry is a figure with its interval.
func intervalEntry(v fairness.Value, e fairness.Estimate) results.Entry {
	return results.Entry{
		Parts: []results.Part{
			{Value: float64(v), Digits: 4},
			{Name: " low", Value: float64(e.Low), Digits: 4},
			{Name: " high", Value: float64(e.High), Digits: 4},
		},
		Layout: "%s [%s, %s]",
	}
}

// trainedFor is the bound that the classifier of a point was trained for.
func trainedFor(p *frontier.Point) fairness.Value {
	if p.TrainedFor != nil {
		return *p.TrainedFor
	}
	return p.Bound
}

func boundName(bound fairness.Value) string {
	if !bound.Defined() {
		return "none"
	}
	return strconv.FormatFloat(float64(bound), 'g', 4, 64)
}

func boundText(p *frontier.Point) string {
	text := boundName(p.Bound)
	if p.Chosen {
		text += " *"
	}
	if p.Picked {
		text += " v"
	}
	return text
}
