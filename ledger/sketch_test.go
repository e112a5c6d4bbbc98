package ledger

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTooFew: of a few rows among very many, a sketch keeps too few to know them again, and says
// so. Who has all of the many knows them again.
func TestTooFew(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	many := drawn(r, 1<<20, math.MaxInt)
	earlier := sketchOf(many) // one in 32
	for _, rows := range []int{30, 300, 1000, 30_000} {
		unnoticed, told := 0, 0
		const trials = 200
		for range trials {
			r.Shuffle(len(many)/100, func(i, j int) { many[i], many[j] = many[j], many[i] })
			fresh := sketchOf(append(many[:rows/2:rows/2], drawn(r, rows/2, math.MaxInt)...))
			if fresh.TooFew(earlier) {
				if rows > 30 {
					continue
				}
			} else if told++; rows <= 30 {
				t.Errorf("%d rows are said to tell", rows)
			}
			if _, same := fresh.Overlaps(earlier); !same {
				unnoticed++
			}
		}
		switch {
		case rows == 30 && unnoticed < trials/4:
			t.Errorf("of 30 rows too few are unnoticed, %d times, to need a word", unnoticed)
		case rows > 30 && unnoticed > 1: // 0.2 expected
			t.Errorf("%d rows: half of them are unnoticed %d of %d times", rows, unnoticed, told)
		case rows >= 1000 && told < trials:
			t.Errorf("%d rows tell %d of %d times", rows, told, trials)
		}
	}
	few := sketchOf(append(many[:15:15], drawn(r, 15, math.MaxInt)...))
	all := few.Counterpart(len(many), slices.Values(many))
	if share, same := few.Overlaps(all); !same || math.Abs(share-0.5) > 0.01 || few.TooFew(all) {
		t.Errorf("compared with all rows: %v, %v", share, same)
	}
	// Rows of few kinds don't tell either, however many they are.
	if kinds := sketchOf(drawn(r, 200_000, 500)); !sketchOf(drawn(r, 10_000, 500)).TooFew(kinds) {
		t.Error("few kinds tell")
	}
	if sketchOf(drawn(r, 3, math.MaxInt)).TooFew(sketchOf(many[:20_000])) {
		t.Error("rows of which all hashes are kept are said to be too few")
	}
}
