package ledger

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fairtrain/fairtrain/internal/rng"
)

// TestTooFew: of a few rows among very many, a sketch has too few hashes to recognise them, and says
// so. All of the many are enough.
func TestTooFew(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	many := drawn(r, 1<<20, math.MaxInt)
	earlier := sketchOf(many) // one in 32
	for _, rows := range []int{30, 300, 1000, 30_000} {
		unnoticed, enough := 0, 0
		const trials = 60
		for range trials {
			r.Shuffle(len(many)/100, func(i, j int) { many[i], many[j] = many[j], many[i] })
			fresh := sketchOf(append(many[:rows/2:rows/2], drawn(r, rows/2, math.MaxInt)...))
			if fresh.TooFew(earlier) {
				if rows > 30 {
					continue
				}
			} else if enough++; rows <= 30 {
				t.Errorf("%d rows are said to be enough", rows)
			}
			if _, same := fresh.Overlaps(earlier); !same {
				unnoticed++
			}
		}
		switch {
		case rows == 30 && unnoticed < trials/4:
			t.Errorf("of 30 rows too few are unnoticed, %d times, to need a word", unnoticed)
		case rows > 30 && unnoticed > 1: // 0.2 expected
			t.Errorf("%d rows: half of them are unnoticed %d of %d times", rows, unnoticed, enough)
		case rows >= 1000 && enough < trials:
			t.Errorf("%d rows are enough %d of %d times", rows, enough, trials)
		}
	}
	few := sketchOf(append(many[:15:15], drawn(r, 15, math.MaxInt)...))
	all := few.Counterpart(len(many), slices.Values(many))
	if share, same := few.Overlaps(all); !same || math.Abs(share-0.5) > 0.01 || few.TooFew(all) {
		t.Errorf("compared with all rows: %v, %v", share, same)
	}
	// Rows of few kinds are not enough either, however many they are.
	if kinds := sketchOf(drawn(r, 200_000, 500)); !sketchOf(drawn(r, 10_000, 500)).TooFew(kinds) {
		t.Error("few kinds are enough")
	}
	if sketchOf(drawn(r, 3, math.MaxInt)).TooFew(sketchOf(many[:20_000])) {
		t.Error("rows of which all hashes are stored are said to be too few")
	}
}

// TestGoldenSketch: ledgers last for years, so which hashes are stored and how they are written must
// not change.
func TestGoldenSketch(t *testing.T) {
	const rows = 4*mostHashes + 1 // more than can be stored of every second one
	var hashes []uint64
	for i := range uint64(rows) {
		hashes = append(hashes, rng.Mix(i))
	}
	s := sketchOf(hashes)
	if s.Skip != 2 || len(s.Hashes) != 33018 || s.Fingerprint() != "a71339a0800edd07" {
		t.Errorf("of %d rows %d hashes are stored, skipping %d bits, as %s", rows, len(s.Hashes), s.Skip, s.Fingerprint())
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

// TestSharesOfViews: the same rows are recognised by the views that both have. Predictions of
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
