package catalogue

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/kkt"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
)

// loadLoan returns a half of the LendingClub file, or skips the test without the file.
func loadLoan(t *testing.T, name string) *dataset.Dataset {
	t.Helper()
	if os.Getenv("FAIRTRAIN_DATA") == "" {
		t.Skip("FAIRTRAIN_DATA is not set: no real data")
	}
	if _, err := findLoan(); err != nil {
		t.Skip(err)
	}
	d, err := Load(name, nil, libsvm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// shareOf is the paper's constraint for any group, ω Σ_S σ − Σ_G σ ≤ 0 over |S|.
type shareOf struct {
	group *dataset.Group
	omega float64
}

func (c shareOf) String() string { return "share of " + c.group.Name }

func (c shareOf) Inequalities(*dataset.Dataset) ([]model.Inequality, error) {
	weight := make([]float64, len(c.group.Member))
	for i, in := range c.group.Member {
		weight[i] = c.omega
		if in {
			weight[i] = c.omega - 1
		}
	}
	return []model.Inequality{{Name: c.String(), Weight: weight}}, nil
}

// TestLoan compares the encoded rows, and the paper's second experiment at x = 0, with the
// results of other programs for the same recipe.
func TestLoan(t *testing.T) {
	d, s := loadLoan(t, "loan"), loadLoan(t, "loan.t")
	for _, half := range []struct {
		data *dataset.Dataset
		rows int
		hash string // of the rows in LIBSVM format, from a separate program for the recipe
	}{
		{d, 59994, "c51319035f056323adcc9cd993024437d8396e1c76e0b5e8bff6f2da5beaac4d"},
		{s, 59993, "4efca83349037914d241417153904094cf9f2f939ffd705dc6e589dbf36cd939"},
	} {
		if half.data.Rows() != half.rows || half.data.Features() != 235 || !half.data.X.Binary() {
			t.Errorf("%s: %d×%d, binary: %v; want %d×235 binary features", half.data.Name,
				half.data.Rows(), half.data.Features(), half.data.X.Binary(), half.rows)
		}
		content := sha256.New()
		if err := libsvm.Write(content, half.data); err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(content.Sum(nil)); got != half.hash {
			t.Errorf("%s: the rows have SHA-256 %s, want %s", half.data.Name, got, half.hash)
		}
		if want := `outcome: "default" → −1, "paid off" → +1`; half.data.Rule != want {
			t.Errorf("%s: labels are mapped by %s, want %s", half.data.Name, half.data.Rule, want)
		}
	}

	low, err := dataset.FindGroups(s, "income=low")
	if err != nil {
		t.Fatal(err)
	}
	members := 0
	for _, in := range low[0].Member {
		if in {
			members++
		}
	}
	if len(low) != 1 || members != 30151 {
		t.Fatalf("%d groups income=low, the first of %d rows; want one of 30151", len(low), members)
	}

	p, err := model.New(d, s, []model.Constraint{shareOf{low[0], 0.5}}, model.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	n, m := p.Dims()
	v := problem.NewValues(n, m)
	p.Evaluate(v, make([]float64, n), nil)
	const rounding = 1e-12 // of sums over 60 000 rows in another order
	want := []float64{0.595126569575239, -0.0012876502258596895, 0.4439885043099219}
	got := []float64{v.Objective, v.Constraint[0], kkt.NewEvaluator(p).Residual(v).Norm()}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a,
		b float64,
	) bool {
		return math.Abs(a-b) < rounding
	})); diff != "" {
		t.Errorf("objective, constraint and KKT residual at 0 (-want +got):\n%s", diff)
	}
}
