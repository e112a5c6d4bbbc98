package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/plots"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// frontierPoints returns all classifiers of a frontier, the unconstrained one first.
func frontierPoints(r *train.FrontierReport) []*train.FrontierPoint {
	return slices.Concat([]*train.FrontierPoint{r.Unconstrained}, r.Points)
}

// frontierSet is how to read the figures of one data set from a point.
type frontierSet struct {
	name      string
	figures   func(*train.Report) *train.Figures
	disparity func(*train.FrontierPoint) train.Disparity
}

// frontierSets are the data sets that a frontier has figures of.
func frontierSets(r *train.FrontierReport) []frontierSet {
	sets := []frontierSet{{
		"train",
		func(r *train.Report) *train.Figures { return r.Train },
		func(p *train.FrontierPoint) train.Disparity { return p.Train },
	}}
	if r.Unconstrained.Report.Validation != nil {
		sets = append(sets, frontierSet{
			"validation",
			func(r *train.Report) *train.Figures { return r.Validation },
			func(p *train.FrontierPoint) train.Disparity { return p.Validation },
		})
	}
	if r.Unconstrained.Report.Test != nil {
		sets = append(sets, frontierSet{
			"test",
			func(r *train.Report) *train.Figures { return r.Test },
			func(p *train.FrontierPoint) train.Disparity { return p.Test },
		})
	}
	return sets
}

// frontierQualities are what a constraint may cost.
var frontierQualities = []struct {
	name  string
	value func(*train.Figures) fairness.Value
}{
	{"accuracy", func(f *train.Figures) fairness.Value { return f.Accuracy }},
	{"AUC", func(f *train.Figures) fairness.Value { return f.AUC }},
	{"log loss", func(f *train.Figures) fairness.Value { return f.LogLoss }},
}

// frontierData says which rows the figures are of.
func frontierData(r *train.FrontierReport) []string {
	var lines []string
	for _, s := range frontierSets(r) {
		f := s.figures(r.Unconstrained.Report)
		lines = append(lines, fmt.Sprintf("%-10s  %d rows of %s", s.name, f.Rows, f.Name))
	}
	return lines
}

// frontierTable has a line for each classifier. In CSV, every number and mark has a column
// of its own.
func frontierTable(r *train.FrontierReport, format results.TableFormat) results.Table {
	points, sets := frontierPoints(r), frontierSets(r)
	t := results.Table{Columns: []string{"bound"}, Notes: []string{
		"bound none: without the constraint; *: the chosen bound",
		"disparity: " + r.Disparity + " of the decisions",
	}}
	inCSV := format == results.CSV
	allWell := !slices.ContainsFunc(points, func(p *train.FrontierPoint) bool { return p.Report.Status != solver.Converged })
	withScores := slices.ContainsFunc(points, func(p *train.FrontierPoint) bool { return p.Train.Scores.Defined() })
	if inCSV {
		t.Columns = append(t.Columns, "chosen", "picked")
	}
	if picked := slices.ContainsFunc(points, func(p *train.FrontierPoint) bool { return p.Picked }); picked {
		t.Notes = append(t.Notes, "v: the most accurate on the validation rows, of those that keep the chosen bound there")
	} else if r.Unconstrained.Report.Validation != nil {
		t.Notes = append(t.Notes, "no classifier keeps the chosen bound on the validation rows")
	}
	if inCSV || !allWell {
		t.Columns = append(t.Columns, "status")
	}
	t.Columns = append(t.Columns, "objective")
	for _, s := range sets {
		for _, q := range frontierQualities {
			t.Columns = append(t.Columns, s.name+" "+q.name)
		}
		t.Columns = append(t.Columns, s.name+" disparity")
		if withScores {
			t.Columns = append(t.Columns, s.name+" score disparity")
		}
	}
	if withScores {
		t.Notes = append(t.Notes, "score disparity: largest difference of the groups' mean scores")
	}
	for _, p := range points {
		var row []results.Entry
		if inCSV {
			row = append(row, numberEntry(p.Bound, 4), results.Entry{Text: strconv.FormatBool(p.Chosen)}, results.Entry{Text: strconv.FormatBool(p.Picked)})
		} else {
			row = append(row, results.Entry{Text: boundText(p)})
		}
		if inCSV || !allWell {
			row = append(row, results.Entry{Text: string(p.Report.Status)})
		}
		row = append(row, numberEntry(fairness.Value(p.Report.Objective), 5))
		for _, s := range sets {
			f, d := s.figures(p.Report), s.disparity(p)
			for _, q := range frontierQualities {
				row = append(row, numberEntry(q.value(f), 4))
			}
			row = append(row, numberEntry(d.Decisions, 3))
			if withScores {
				row = append(row, numberEntry(d.Scores, 3))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func numberEntry(v fairness.Value, digits int) results.Entry {
	return results.Entry{Parts: []results.Part{{Value: float64(v), Digits: digits}}, Layout: "%s"}
}

func boundText(p *train.FrontierPoint) string {
	if !p.Bound.Defined() {
		return "none"
	}
	text := strconv.FormatFloat(float64(p.Bound), 'g', 4, 64)
	if p.Chosen {
		text += " *"
	}
	if p.Picked {
		text += " v"
	}
	return text
}

// frontierTitle names the data and what is constrained.
func frontierTitle(r *train.FrontierReport) string {
	family, rest, _ := strings.Cut(r.Constraint, ":")
	group := ""
	for part := range strings.SplitSeq(rest, ",") {
		if g, ok := strings.CutPrefix(part, "group="); ok {
			group = " of " + g
		}
	}
	return fmt.Sprintf("%s: %s%s, on %s", filepath.Base(r.Unconstrained.Report.Train.Name), strings.ReplaceAll(family, "-", " "), group, r.On)
}

// frontierTradeOff draws the qualities against the disparity.
func frontierTradeOff(r *train.FrontierReport) (*plots.Figure, error) {
	t := plots.TradeOff{Disparity: r.Disparity}
	for _, q := range frontierQualities {
		t.Qualities = append(t.Qualities, q.name)
	}
	for _, s := range frontierSets(r) {
		at := func(p *train.FrontierPoint) plots.TradeOffPoint {
			place := plots.TradeOffPoint{Disparity: float64(s.disparity(p).Decisions)}
			for _, q := range frontierQualities {
				place.Quality = append(place.Quality, float64(q.value(s.figures(p.Report))))
			}
			return place
		}
		set := plots.TradeOffSet{Name: s.name, Unconstrained: at(r.Unconstrained)}
		for i, p := range r.Points {
			set.Points = append(set.Points, at(p))
			if p.Chosen {
				set.Chosen = i
			}
			if p.Picked {
				set.Picked = &i
			}
		}
		t.Sets = append(t.Sets, set)
	}
	o := plots.DefaultOptions()
	o.Heading = frontierTitle(r)
	return plots.Frontier(t, o)
}
