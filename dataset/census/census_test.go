package census

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
)

// TestSyntheticIsTheSameEverywhere computes the hashes of the data sets. If they change, every
// figure on synthetic data was computed from other data.
func TestSyntheticIsTheSameEverywhere(t *testing.T) {
	train, test := Train(), Test()
	for _, d := range []*dataset.Dataset{train, test} {
		content := sha256.New()
		if err := libsvm.Write(content, d); err != nil {
			t.Fatal(err)
		}
		if hash := hex.EncodeToString(content.Sum(nil)); hash != d.Hash {
			t.Errorf("%s: hash %s, recorded %s", d.Name, hash, d.Hash)
		}
	}
}

func TestSyntheticHasTheShapeOfA9a(t *testing.T) {
	train, test := Train(), Test()
	if train.Rows() != 32561 || test.Rows() != 16281 {
		t.Errorf("%d and %d rows, want 32561 and 16281", train.Rows(), test.Rows())
	}
	if got := train.Cols[70:73]; !slices.Equal(got, []string{"race=minority-a", "gender=female", "gender=male"}) {
		t.Errorf("columns 71 to 73 are %q", got)
	}
	for _, d := range []*dataset.Dataset{train, test} {
		if d.Features() != 123 || len(d.Cols) != 123 || !d.X.Binary() {
			t.Errorf("%s: %d features, %d names, binary %v", d.Name, d.Features(), len(d.Cols), d.X.Binary())
		}
		for i := range d.Rows() {
			seen := map[string]bool{}
			for j := range d.X.Row(i) {
				attribute, _, _ := strings.Cut(d.Cols[j], "=")
				seen[attribute] = true
			}
			if nnz := d.X.NNZ(); len(seen) != 14 || nnz != 14*d.Rows() {
				t.Fatalf("%s: row %d has levels of %d attributes, %d non-zeros in all", d.Name, i, len(seen), nnz)
			}
		}
	}
}

// tally returns the share of the rows of d that have a feature (counted from 1), and, among
// these rows, the share with the label +1.
func tally(d *dataset.Dataset, feature int) (share, positive float64) {
	var rows, positives int
	for i, y := range d.Y {
		for j := range d.X.Row(i) {
			if j == feature-1 {
				rows++
				positives += (int(y) + 1) / 2
			}
		}
	}
	return float64(rows) / float64(d.Rows()), float64(positives) / float64(rows)
}

func TestSyntheticDisparities(t *testing.T) {
	train, test := Train(), Test()
	for _, d := range []*dataset.Dataset{train, test} {
		for _, c := range []struct {
			feature         int
			share, positive float64
		}{
			{67, 0.855, 0.25},  // the majority
			{71, 0.096, 0.115}, // minority-a
			{72, 0.33, 0.10},   // women
			{73, 0.67, 0.31},   // men
		} {
			share, positive := tally(d, c.feature)
			if math.Abs(share-c.share) > 0.006 || math.Abs(positive-c.positive) > 0.015 {
				t.Errorf("%s: %s: share %.4f with %.4f positive, want about %v and %v",
					d.Name, d.Cols[c.feature-1], share, positive, c.share, c.positive)
			}
		}
		positives := 0
		for _, y := range d.Y {
			positives += (int(y) + 1) / 2
		}
		if got := float64(positives) / float64(d.Rows()); math.Abs(got-0.24) > 0.005 {
			t.Errorf("%s: %.4f of the labels are +1, want about 0.24", d.Name, got)
		}
	}
}

func TestSyntheticIsLearnable(t *testing.T) {
	train, test := Train(), Test()
	x := fitLogistic(t, train)
	score := make([]float64, test.Rows())
	test.X.MulRange(score, x, 0, test.Rows())
	right := 0
	for i, y := range test.Y {
		if (score[i] >= 0) == (y > 0) {
			right++
		}
	}
	accuracy := float64(right) / float64(test.Rows())
	if accuracy < 0.83 || accuracy > 0.86 {
		t.Errorf("a logistic model has test accuracy %.4f, want 0.83 to 0.86", accuracy)
	}
	// Race acts directly too: its weight is negative beside all other attributes.
	if x[70] > x[66]-0.3 {
		t.Errorf("weight %.3f of minority-a, %.3f of the majority", x[70], x[66])
	}
}

// fitLogistic minimises the mean logistic loss on d plus ‖x‖²/20000.
func fitLogistic(t *testing.T, d *dataset.Dataset) []float64 {
	rows, n := d.X.Dims()
	z := make([]float64, rows)
	problem := optimize.Problem{
		Func: func(x []float64) float64 {
			d.X.MulRange(z, x, 0, rows)
			var sum float64
			for i, y := range d.Y {
				sum += math.Log1p(math.Exp(-float64(y) * z[i]))
			}
			return sum/float64(rows) + floats.Dot(x, x)/20000
		},
		Grad: func(dst, x []float64) {
			d.X.MulRange(z, x, 0, rows)
			for i, y := range d.Y {
				z[i] = -float64(y) / (1 + math.Exp(float64(y)*z[i])) / float64(rows)
			}
			clear(dst)
			d.X.AddTransRange(dst, z, 0, rows)
			floats.AddScaled(dst, 1e-4, x)
		},
	}
	result, err := optimize.Minimize(problem, make([]float64, n),
		&optimize.Settings{GradientThreshold: 1e-4, MajorIterations: 100}, &optimize.LBFGS{})
	if err != nil {
		t.Fatal(err)
	}
	return result.X
}

func BenchmarkTrain(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Train()
	}
}

// TestMaxStanding adds up the points that a person can get.
func TestMaxStanding(t *testing.T) {
	most, least := 0, 0
	for _, attribute := range attributes {
		points := func(l, m level) int { return l.points - m.points }
		most += slices.MaxFunc(attribute.levels, points).points
		least += slices.MinFunc(attribute.levels, points).points
	}
	if most > maxStanding || least < -maxStanding {
		t.Errorf("standings are from %d to %d, beyond %d", least, most, maxStanding)
	}
}
