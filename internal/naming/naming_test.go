package naming_test

import (
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/internal/naming"
	"github.com/fairtrain/fairtrain/solver"
)

// TestMethod has a name for every method, which differs from its label by case only, and
// leaves other labels alone.
func TestMethod(t *testing.T) {
	for _, label := range solver.Names() {
		if name := naming.Method(label); name == label || !strings.EqualFold(name, label) {
			t.Errorf("%s is called %s", label, name)
		}
	}
	if name := naming.Method("fsfo, τ = 1"); name != "fsfo, τ = 1" {
		t.Errorf("a label becomes %s", name)
	}
}
