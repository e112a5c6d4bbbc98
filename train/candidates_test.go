package train

import (
	"testing"

	"github.com/fairtrain/fairtrain/solver"
)

// TestCertifiesATie: a candidate whose problem could not be solved to the tolerance gives way to
// one that counts as equal and has a certificate, not to a worse one.
func TestCertifiesATie(t *testing.T) {
	stopped, solved := &attempt{status: solver.Exhausted}, &attempt{status: solver.Converged}
	first := &candidate{accuracy: 0.8, objective: 1, from: stopped}
	equal := &candidate{accuracy: 0.8 - tie/2, objective: 3, from: solved}
	lower := &candidate{accuracy: 0.8 - tie/2, objective: 2, from: solved}
	worse := &candidate{accuracy: 0.8 - 2*tie, objective: 0, from: solved}
	other := &candidate{accuracy: 0.8 - tie/2, objective: 0, from: solved, loss: Robust}
	for _, test := range []struct {
		name     string
		feasible []*candidate
		want     *candidate
	}{
		{"a tie", []*candidate{worse, equal, first, lower, other}, lower},
		{"no tie", []*candidate{worse, first, other}, first},
		{"certified already", []*candidate{{accuracy: 0.8, objective: 4, from: stopped}, equal}, equal},
	} {
		s := &search{status: solver.Interrupted, feasible: test.feasible} // there is no time to go on
		if err := s.certify(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.chosen(); got != test.want {
			t.Errorf("%s: accuracy %v, objective %v, want %v, %v", test.name, got.accuracy,
				got.objective, test.want.accuracy, test.want.objective)
		}
	}
}
