package train

import (
	"slices"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/train/calibration"
)

// points returns those to calibrate an unconstrained classifier on: margins on rows held out, if
// cross-validation has some, and otherwise those of the rows to train on.
func (t *task) points(c *classifier.Classifier) (*calibration.Points, error) {
	if k := t.Choice; k != nil && t.ClassWeight == 1 {
		return calibration.With(k.Data, k.Margins), nil
	}
	return calibration.Of(c, t.Data, t.shards())
}

// pointsOfFair is points for what a search for fair decisions has found, with decisions at a
// centre. The candidates of folds have scales of their own, so that their margins are in units of
// their spread.
func (t *task) pointsOfFair(c *classifier.Classifier, x []float64, centre float64) (*calibration.Points, error) {
	if t.tuning == nil || t.kept {
		return t.points(c)
	}
	margins, spread := slices.Clone(t.tuning.chosen.margins), t.spreadOr1(x)
	for i, m := range margins {
		margins[i] = float64(m*spread) + centre
	}
	return calibration.With(t.Choice.Data, margins), nil
}
