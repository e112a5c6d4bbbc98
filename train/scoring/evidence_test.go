package scoring

import (
	"errors"
	"testing"

	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/guarantee"
)

func TestEvidence(t *testing.T) {
	d := census.Train()
	scores := make([]float64, d.Rows())
	requirements := []guarantee.Requirement{{Group: "71"}, {Group: "72"}, {Group: "71"}}
	e, err := Evidence(d, scores, 0.4, requirements)
	if err != nil || len(e.Groups) != 2 || len(e.Groups["71"]) != 1 || e.Labels == nil || e.Threshold != 0.4 {
		t.Errorf("groups %d, threshold %v, %v", len(e.Groups), e.Threshold, err)
	}
	weighted := *d
	weighted.Weights = make([]float64, d.Rows())
	if _, err := Evidence(&weighted, scores, 0.5, requirements); err != nil {
		t.Errorf("equal weights: %v", err)
	}
	weighted.Weights[3] = 2
	if e, err := Evidence(&weighted, scores, 0.5, requirements); err != nil || len(e.Weights) != d.Rows() {
		t.Errorf("%d weights, %v", len(e.Weights), err)
	}
	if err := CheckEvidence(&weighted, requirements); !errors.Is(err, guarantee.ErrWeighted) {
		t.Errorf("weights that differ: %v", err)
	}
	if _, err := Evidence(d, scores, 0.5, []guarantee.Requirement{{Group: "999"}}); err == nil {
		t.Error("an unknown group is accepted")
	}
}
