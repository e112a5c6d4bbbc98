package fairness

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCalibrationByHand(t *testing.T) {
	// Twenty rows make two bins. The ties at 0.4 keep the first from ending at half of the
	// rows, at the tenth: it ends at the ninth, which is nearer than the twelfth.
	p := Predictions{Threshold: 0.5}
	for i := range 20 {
		score, label := 0.2, int8(-1)
		switch {
		case i >= 12:
			score, label = 0.9, 1
		case i >= 9:
			score, label = 0.4, 1
		}
		p.Scores, p.Labels = append(p.Scores, score), append(p.Labels, label)
	}
	p.Labels[19] = -1
	r, err := Evaluate(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []CalibrationBin{
		{Low: 0.2, High: 0.2, Rows: 9, MeanScore: 0.2, BaseRate: 0},
		{Low: 0.4, High: 0.9, Rows: 11, MeanScore: 8.4 / 11, BaseRate: 10. / 11}, // (3 · 0.4 + 8 · 0.9) / 11
	}
	if diff := cmp.Diff(want, r.Calibration, approx); diff != "" {
		t.Error(diff)
	}
	if got, want := float64(r.ECE), (9*0.2+1.6)/20; math.Abs(got-want) > 1e-12 {
		t.Errorf("expected calibration error %v, want %v", got, want)
	}
	if got, want := float64(r.CalibrationGap), 0.51-0.5; math.Abs(got-want) > 1e-12 {
		t.Errorf("calibration gap %v, want %v", got, want)
	}

	// A weight is a repetition: without the second bin's rows, the error is that of the first.
	p.Weights = make([]float64, 20)
	for i := range 9 {
		p.Weights[i] = 3
	}
	if r, err = Evaluate(p, nil); err != nil || math.Abs(float64(r.ECE)-0.2) > 1e-12 {
		t.Errorf("without the other rows: %v (%v), want 0.2", r.ECE, err)
	}
}

// TestCalibrationOfManyRows has labels that are positive with probability score², so that
// the error is the integral of s − s² for uniform scores, 1/6.
func TestCalibrationOfManyRows(t *testing.T) {
	const rows = 20000
	p := Predictions{Threshold: 0.5, Scores: make([]float64, rows), Labels: make([]int8, rows)}
	for i := range rows {
		p.Scores[i] = (float64(i) + 0.5) / rows
		p.Labels[i] = -1
		if _, part := math.Modf(float64(i) * math.Phi); part < p.Scores[i]*p.Scores[i] { // evenly spread
			p.Labels[i] = 1
		}
	}
	f := framed(t, p, nil, nil, "ece", "calibration_gap")
	if len(f.Report.Calibration) != reliabilityBins {
		t.Errorf("%d bins", len(f.Report.Calibration))
	}
	for _, m := range f.Metrics {
		if e := m.Overall; math.Abs(float64(e.Value)-1.0/6) > 0.005 || !contains(e, 1.0/6) ||
			e.High-e.Low > 0.05 || !m.Approximate {
			t.Errorf("%s: %+v, want about 1/6", m.Name, e)
		}
	}
}

func TestNoCalibrationWithoutProbabilities(t *testing.T) {
	for name, p := range map[string]Predictions{
		"scores": {Scores: []float64{-1, 2}, Labels: []int8{-1, 1}},
		"labels": {Scores: []float64{0, 1}},
	} {
		f := framed(t, p, nil, nil, "ece", "calibration_gap")
		for _, m := range f.Metrics {
			if m.Overall.Value.Defined() || m.Overall.Low.Defined() || f.Report.Calibration != nil {
				t.Errorf("without %s: %s is %+v", name, m.Name, m.Overall)
			}
		}
	}
}
