package train

import (
	"fmt"
	"strings"

	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/plots"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/frontier"
)

// frontierTitle names the data and the constraint.
func frontierTitle(r *frontier.Report) string {
	about := r.Constraint
	if c, ok := groupConstraint(about); ok {
		about = strings.ReplaceAll(c.Name, "-", " ") + " of " + c.Group
	}
	return fmt.Sprintf("%s: %s, on %s", names.Title(r.Unconstrained.Report.Train.Name), about, r.On)
}

// frontierTradeOff draws the qualities against the disparity.
func frontierTradeOff(r *frontier.Report) (*plots.Figure, error) {
	t := plots.TradeOff{Disparity: r.Disparity}
	for _, q := range frontierQualities {
		t.Qualities = append(t.Qualities, q.name)
	}
	sets := frontierSets(r)
	last := len(sets) - 1
	t.Caption = "Bars on " + string(sets[last]) + ": " + intervalNote(r, sets[last:]) + "."
	if r.On == train.Scores {
		t.Caption += " Disparities are those of the decisions." // an axis has no room for it
	}
	for k, s := range sets {
		at := func(p *frontier.Point) plots.TradeOffPoint {
			f, d, intervals := s.of(p)
			place := plots.TradeOffPoint{Disparity: float64(d.Decisions)}
			if k == last { // bars on all sets would hide the points
				place.DisparityBar = bar(intervals.Disparity)
			}
			for _, q := range frontierQualities {
				place.Quality = append(place.Quality, float64(q.value(f)))
				var ends *plots.Bar
				if k == last && q.name == accuracy {
					ends = bar(intervals.Accuracy)
				}
				place.QualityBars = append(place.QualityBars, ends)
			}
			return place
		}
		set := plots.TradeOffSet{Name: string(s), Unconstrained: at(r.Unconstrained)}
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

// bar is the bar of an interval, nil if it is undefined.
func bar(e fairness.Estimate) *plots.Bar {
	if !e.Low.Defined() || !e.High.Defined() {
		return nil
	}
	return &plots.Bar{Low: float64(e.Low), High: float64(e.High)}
}

// groupConstraint is the constraint of a specification, if it is one on groups.
func groupConstraint(spec string) (c model.GroupConstraint, ok bool) {
	parsed, err := model.ParseConstraint(spec)
	if err != nil {
		return c, false
	}
	c, ok = parsed.(model.GroupConstraint)
	return c, ok
}
