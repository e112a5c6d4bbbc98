package encoding

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// TestMissingSpelledOtherwise: a number that stands for a missing value does so however it is
// written, in columns of few numbers, too.
func TestMissingSpelledOtherwise(t *testing.T) {
	learned := func(missing string) *Encoding {
		read, err := tabular.Read(strings.NewReader("x,y\n"+strings.Repeat(missing+",yes\n1.5,no\n2.5,yes\n3.5,no\n", 30)), &tabular.Schema{Missing: []string{"9999"}}, tabular.Options{Name: "rows"})
		if err != nil {
			t.Fatal(err)
		}
		e, err := Learn(read, nil)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	want := learned("9999")
	for _, missing := range []string{"9999.0", "9999.00"} {
		if diff := cmp.Diff(want.Features, learned(missing).Features); diff != "" {
			t.Errorf("%s: (-9999 +%[1]s)\n%s", missing, diff)
		}
	}
}
