package train_test

import (
	"testing"

	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
)

// TestProgress: with a constraint on scores, the share that is told of a run never goes back, and comes near
// the end although few of the passes that it may take are needed. Without the constraint it comes to the
// middle.
func TestProgress(t *testing.T) {
	o := train.DefaultOptions()
	o.Data = census.Train()
	o.Constraints = []model.Constraint{model.Share.For("71", 0.3)}
	share, middle := 0.0, false
	o.Progress = func(p train.Progress) {
		if p.Share < share || p.Share > 1 {
			t.Errorf("a share of %v after %v", p.Share, share)
		}
		share = p.Share
		middle = middle || 0.45 < share && share < 0.55
	}
	if _, _, err := train.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if !(share > 0.95) || !middle {
		t.Errorf("a share of %v in the end, about a half before: %v", share, middle)
	}
}
