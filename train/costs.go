package train

import (
	"math"

	"github.com/fairtrain/fairtrain/classifier"
)

// costs returns what wrong decisions cost where decisions are chosen by that: those of the threshold, those of
// positive rows times the weight of their class. nil stands for equal costs.
func (o *Options) costs() *classifier.Costs {
	wrongPositive, missed := o.Threshold, (1-o.Threshold)*o.classWeight()
	if !o.OnDecisions() || wrongPositive == missed {
		return nil
	}
	const digits = 1e12
	share := math.Round(wrongPositive/(wrongPositive+missed)*digits) / digits
	return &classifier.Costs{WrongPositive: share, Missed: math.Round((1-share)*digits) / digits}
}

// classWeight returns how many times a positive row counts, compared with a negative one and beside the
// weights of the data.
func (o *Options) classWeight() float64 {
	times := map[int8]float64{-1: 1, 1: 1}
	for _, class := range []int8{-1, 1} {
		for i, y := range o.Data.Y {
			if y == class && o.Model.Weights != nil && o.Data.Weight(i) > 0 {
				times[class] = o.Model.Weights[i] / o.Data.Weight(i)
				break
			}
		}
	}
	return times[1] / times[-1]
}
