package train_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
)

// TestUnusedFeatures trains on rows whose features are numbered far apart. Features that no
// row has are no variables, so that the weights of the others, with constraints on decisions
// and on scores, on the same rows and on others, are the same to the last bit.
func TestUnusedFeatures(t *testing.T) {
	const features, apart, rows = 30, 3000, 400
	write := func(seed uint64, apart int) *dataset.Dataset {
		r := rand.New(rand.NewPCG(5, seed))
		var b strings.Builder
		for range rows {
			group, margin := r.Float64() < 0.4, r.NormFloat64()
			text := ""
			if group {
				margin++
				text = " 1:1"
			}
			for j := 1; j < features; j++ {
				if v := r.NormFloat64(); r.Float64() < 0.3 {
					margin += v * float64(j%5-2)
					text += fmt.Sprintf(" %d:%.3f", 1+j*apart, v)
				}
			}
			label := -1
			if margin > 0 {
				label = 1
			}
			fmt.Fprintf(&b, "%d%s\n", label, text)
		}
		d, err := libsvm.Read(strings.NewReader(b.String()), libsvm.Options{Features: 1 + (features-1)*apart})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, kind := range []struct {
		on     string
		others bool
	}{{train.Decisions, false}, {train.Decisions, true}, {train.Scores, true}} {
		weights := func(apart int) []float64 {
			o := train.DefaultOptions()
			o.Data, o.On, o.Model.Intercept, o.Tolerance = write(1, apart), kind.on, true, 0.01
			if kind.others {
				o.ConstraintData = write(2, apart)
			}
			c, err := model.ParseConstraint("demographic-parity:group=1,bound=0.02")
			if err != nil {
				t.Fatal(err)
			}
			o.Constraints = []model.Constraint{c}
			report, trained, err := train.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if want := 1 + (features-1)*apart + 1; report.Problem.Variables < want {
				t.Errorf("%d variables, want at least %d", report.Problem.Variables, want)
			}
			if len(trained.Weights) != 1+(features-1)*apart {
				t.Fatalf("%d weights", len(trained.Weights))
			}
			used := []float64{trained.Intercept}
			for j := 0; j < len(trained.Weights); j += apart {
				used = append(used, trained.Weights[j])
			}
			return used
		}
		if near, far := weights(1), weights(apart); !slices.Equal(near, far) {
			t.Errorf("on %s, other rows %v: weights\n%v, with features far apart\n%v", kind.on, kind.others, near, far)
		}
	}
}
