package model_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/internal/datatest"
	"github.com/fairtrain/fairtrain/kkt"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
)

// load reads a file of $FAIRTRAIN_DATA, or skips.
func load(t testing.TB, name string) *dataset.Dataset {
	t.Helper()
	d, err := libsvm.Read(bytes.NewReader(datatest.Read(t, name)), libsvm.Options{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// a9a is the paper's problem: D = a9a, S = a9a.t, the group of feature 71.
func a9a(t testing.TB, omega float64) *model.Fair {
	t.Helper()
	p, err := model.New(load(t, "a9a"), load(t, "a9a.t"),
		[]model.Constraint{model.Share.For("71", omega)}, model.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestA9aAtZero compares with values computed independently in double precision.
func TestA9aAtZero(t *testing.T) {
	p := a9a(t, 0.3)
	n, m := p.Dims()
	v := problem.NewValues(n, m)
	p.Evaluate(v, make([]float64, n), nil)
	for _, check := range []struct {
		name      string
		got, want float64
	}{
		{"f", v.Objective, 0.595126569575005},
		{"c", v.Constraint[0], 0.10206068423312614},
		{"KKT residual", kkt.NewEvaluator(p).Residual(v).Norm(), 0.5106617361069907},
	} {
		if !(math.Abs(check.got-check.want) <= 1e-12) {
			t.Errorf("%s = %.17g, want %.17g", check.name, check.got, check.want)
		}
	}
}
