package train_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// TestGiven: the decisions of the classifier that thresholds of a given score make are those of the
// scores themselves, compared with the thresholds of the report, where scores are tied and where they are
// neighbours among the numbers of a computer. Nothing else about the score changes.
func TestGiven(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var text strings.Builder
	text.WriteString("y,score,sex\n")
	var scores []float64
	var sexes []string
	for range 3000 {
		man := r.IntN(2)
		margin := r.NormFloat64() + 0.5*float64(man)
		score := 1 / (1 + math.Exp(-margin))
		switch r.IntN(4) {
		case 0:
			score = math.Round(20*score) / 20
		case 1:
			score = math.Nextafter(math.Round(20*score)/20, float64(r.IntN(2)))
		}
		scores, sexes = append(scores, score), append(sexes, string("fm"[man]))
		fmt.Fprintf(&text, "%v,%v,%c\n", r.NormFloat64() < margin, score, "fm"[man])
	}
	schema := &tabular.Schema{
		Label: tabular.LabelSpec{Column: "y"}, Crosses: []string{"sex"}, Others: tabular.Drop,
		Columns: []tabular.ColumnSpec{{Name: "score", As: tabular.LogOdds, Monotone: tabular.Rising}},
	}
	rows, err := tabular.Read(strings.NewReader(text.String()), schema.WithGroups([]string{"sex"}), tabular.Options{Name: "scores"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []model.Constraint{
		model.DemographicParity.For("sex", 0.01), model.EqualizedOdds.For("sex", 0.02), model.RateRatio.For("sex", 0.95),
	} {
		o := train.DefaultOptions()
		o.Constraints, o.Score, o.Thresholds, o.Aim = []model.Constraint{c}, "score", true, train.AimTraining
		if err := o.Learn(rows, 0); err != nil {
			t.Fatal(err)
		}
		found, trained, err := train.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if !found.Satisfied() || found.Gap == nil || *found.Gap != 0 || len(found.Thresholds) != 3 {
			t.Errorf("%v: satisfied %v, gap %v, thresholds %v", c, found.Satisfied(), found.Gap, found.Thresholds)
		}
		threshold := map[string]float64{}
		for _, of := range found.Thresholds {
			threshold[strings.TrimPrefix(of.Group, "sex=")] = of.Score
		}
		by, err := scoring.New(trained, o.Data)
		if err != nil {
			t.Fatal(err)
		}
		right := 0
		err = by.Each(func(lo int, adjusted []float64) error {
			for k, score := range adjusted {
				given, at := scores[lo+k], threshold[sexes[lo+k]]
				if positive := score >= trained.Threshold; positive != (given >= at) && math.Abs(given-at) > 1e-12 {
					t.Errorf("%v: row %d of %s: score %v, threshold %v, but decided %v", c, lo+k, sexes[lo+k], given, at, positive)
				} else if positive == (o.Data.Y[lo+k] > 0) {
					right++
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if accuracy := float64(right) / float64(len(scores)); math.Abs(accuracy-float64(found.Train.Accuracy)) > 1e-12 {
			t.Errorf("%v: accuracy %v, want %v", c, found.Train.Accuracy, accuracy)
		}
	}
}
