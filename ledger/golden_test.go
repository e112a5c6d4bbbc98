package ledger

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fairtrain/fairtrain/internal/rng"
)

// TestGoldenSketch: ledgers last for years, so which hashes are kept and how they are written must
// not change.
func TestGoldenSketch(t *testing.T) {
	const rows = 4*mostHashes + 1 // more than can be kept of every second one
	var hashes []uint64
	for i := range uint64(rows) {
		hashes = append(hashes, rng.Mix(i))
	}
	s := sketchOf(hashes)
	if s.Skip != 2 || len(s.Hashes) != 33018 || s.Fingerprint() != "a71339a0800edd07" {
		t.Errorf("of %d rows %d hashes are kept, skipping %d bits, as %s", rows, len(s.Hashes), s.Skip, s.Fingerprint())
	}
	for rows, skip := range map[int]int{1: 0, mostHashes: 0, mostHashes + 1: 1, 2*mostHashes + 1: 1, 2*mostHashes + 2: 2, 4*mostHashes + 3: 2, 4*mostHashes + 4: 3} {
		if got := NewSketch(rows, slices.Values(hashes[:1])).Skip; got != skip {
			t.Errorf("%d rows: %d bits are skipped, expected %d", rows, got, skip)
		}
	}
	text, err := json.Marshal(NewSketch(mostHashes<<1+7, slices.Values([]uint64{7, 1<<63 | 2, 4, 5, 4})))
	if want := `{"rows":65543,"skip":2,"hashes":"BAAAAAAAAAAEAAAAAAAAAA=="}`; err != nil || string(text) != want {
		t.Errorf("%s (%v), expected %s", text, err, want)
	}
	if got := Refine([]uint64{7, 8}, []float64{0.5, 0.25}); !slices.Equal(got,
		[]uint64{0xe1a397e0999e2c50, 0xb1fda9b8284070dc}) {
		t.Errorf("finer hashes are %#x", got)
	}
}

// TestSharesOfViews: the same people are known again by the views that both have. Predictions of
// two columns have a second view, by score; rows of a file have one.
func TestSharesOfViews(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	same, mine, others := sketchOf(slices.Repeat([]uint64{8, 16}, 50)), sketchOf(drawn(r, 100, 1<<62)), sketchOf(drawn(r, 100, 1<<62))
	for _, test := range []struct {
		name          string
		rows, earlier []Sketch
		same          bool
	}{
		{"the same twice", []Sketch{same, mine}, []Sketch{same, mine}, true},
		{"by the second view only", []Sketch{others, mine}, []Sketch{mine, mine}, true},
		{"first and second views are not compared", []Sketch{others, mine}, []Sketch{mine, others}, false},
		{"fewer views before", []Sketch{mine, mine}, []Sketch{mine}, true},
		{"fewer views now", []Sketch{mine}, []Sketch{mine, others}, true},
		{"fewer views before, of others", []Sketch{mine, mine}, []Sketch{others}, false},
		{"fewer views now, of others", []Sketch{mine}, []Sketch{others, mine}, false},
	} {
		if share, ok := (Entry{Rows: test.earlier}).Shares(test.rows,
			Features{}); ok != test.same || ok && share < 0.9 {
			t.Errorf("%s: %v, %v", test.name, share, ok)
		}
	}
}
