package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
)

// TestCertifyPredictionsAgain: of predictions with nothing but a group, rows look alike, and the
// ledger tells them apart by their scores. The same ones are known again, also a part of them;
// those of other people are not.
func TestCertifyPredictionsAgain(t *testing.T) {
	t.Chdir(t.TempDir())
	predictions := func(name string, seed uint64, rows int) {
		r := rand.New(rand.NewPCG(seed, 5))
		var b strings.Builder
		b.WriteString("score,sex\n")
		for k := range rows {
			fmt.Fprintf(&b, "%.9f,%s\n", r.Float64(), []string{"f", "m"}[k%2])
		}
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	predictions("first.csv", 1, 400)
	predictions("part.csv", 1, 200)
	predictions("others.csv", 2, 410)
	for _, test := range []struct {
		name string
		code int
	}{{"first.csv", 0}, {"others.csv", 0}, {"first.csv", command.ExitFailure}, {"part.csv", command.ExitFailure}} {
		var out, talk strings.Builder
		code := run(t.Context(), []string{"fairtrain", "certify", "--predictions", test.name, "--threshold", "0.5", "--ledger", "ledger", "--constraint", "demographic-parity:group=sex,bound=0.5"}, nil, &out, &talk)
		if code != test.code || code != 0 && !strings.Contains(talk.String(), "tested before") {
			t.Errorf("%s: code %d, expected %d: %s", test.name, code, test.code, talk.String())
		}
	}
}
