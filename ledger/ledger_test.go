package ledger

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sync/errgroup"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
	"github.com/fairtrain/fairtrain/internal/datatest"
	"github.com/fairtrain/fairtrain/internal/rng"
)

func sketchOf(hashes []uint64) Sketch { return NewSketch(len(hashes), slices.Values(hashes)) }

// drawn returns hashes of rows of the given number of kinds.
func drawn(r *rand.Rand, rows, kinds int) []uint64 {
	hashes := make([]uint64, rows)
	for i := range hashes {
		hashes[i] = rng.Mix(1 + uint64(r.IntN(kinds)))
	}
	return hashes
}

func TestOverlaps(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, kinds := range map[string]int{"people": math.MaxInt, "few columns": 100_000, "very few": 3000} {
		for _, rows := range []int{1000, 20_000, 200_000} {
			earlier := drawn(r, rows, kinds)
			fresh := drawn(r, rows/2, kinds)
			if share, ok := sketchOf(fresh).Overlaps(sketchOf(earlier)); ok {
				t.Errorf("%s, %d rows: independent rows overlap, by %v", name, rows, share)
			}
			r.Shuffle(rows, func(i, j int) { earlier[i], earlier[j] = earlier[j], earlier[i] })
			part := earlier[:rows/5] // of the same file
			share, ok := sketchOf(part).Overlaps(sketchOf(earlier))
			if known := kinds > 10*rows; known && (!ok || share < 0.9) {
				t.Errorf("%s, %d rows: a share of the same rows overlaps by %v, %v", name, rows, share, ok)
			}
			if _, ok := sketchOf(earlier).Overlaps(sketchOf(earlier)); !ok {
				t.Errorf("%s, %d rows: the same rows do not overlap", name, rows)
			}
			mixed := append(fresh[:rows/3:rows/3], earlier[:rows/10]...)
			if share, ok := sketchOf(mixed).Overlaps(sketchOf(earlier)); kinds == math.MaxInt &&
				(!ok || math.Abs(share-3./13) > 0.03) {
				t.Errorf("%s, %d rows: 3 of 13 are the same, found %v, %v", name, rows, share, ok)
			}
		}
	}
}

func TestRepeated(t *testing.T) {
	once := drawn(rand.New(rand.NewPCG(3, 4)), 30_000, math.MaxInt)
	for _, c := range []struct {
		again    []uint64
		share    float64
		multiple bool
	}{{nil, 0, false}, {once, 1, true}, {once[:15_000], 2. / 3, true}} {
		rows := sketchOf(append(once, c.again...))
		if share, multiple := rows.Repeated(); math.Abs(share-c.share) > 0.02 || multiple != c.multiple {
			t.Errorf("%d of the rows again: %v, %v", len(c.again), share, multiple)
		}
	}
}

// TestTooEven: rows drawn independently pass, whatever their distribution; files put
// together from one do not.
func TestTooEven(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, rows := range []int{300, 5000, 100_000} {
		for _, kinds := range []int{2, 50, 1000, 30_000, math.MaxInt} {
			hashes := drawn(r, rows, kinds)
			if _, multiple := sketchOf(hashes).Repeated(); multiple {
				t.Errorf("%d independent rows of %d kinds are too even", rows, kinds)
			}
			for i := range hashes { // kind k has a share of 1/k(k+1), or of the most frequent ones
				hashes[i] = rng.Mix(uint64(min(1/(1-r.Float64()), float64(kinds))))
			}
			if _, multiple := sketchOf(hashes).Repeated(); multiple {
				t.Errorf("%d independent rows of %d kinds, some rare, are too even", rows, kinds)
			}
		}
		once := drawn(r, rows, math.MaxInt)
		for name, part := range map[string]int{"half": rows / 2, "a third": rows / 3} {
			for _, copies := range []int{1, 3} {
				spoilt := append([]uint64{}, once...)
				for range copies {
					spoilt = append(spoilt, once[:part]...)
				}
				spoilt = append(spoilt, once...)
				if _, multiple := sketchOf(spoilt).Repeated(); !multiple {
					t.Errorf("%d rows twice and %s of them %d times more go unnoticed", rows, name, copies)
				}
			}
		}
	}
}

func TestFingerprintIgnoresTheOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	hashes := drawn(r, 100_000, math.MaxInt)
	want := sketchOf(hashes).Fingerprint()
	r.Shuffle(len(hashes), func(i, j int) { hashes[i], hashes[j] = hashes[j], hashes[i] })
	if got := sketchOf(hashes).Fingerprint(); got != want {
		t.Errorf("%s and, shuffled, %s", want, got)
	}
	hashes[0]++
	hashes[1]--
	if got := sketchOf(hashes[1:]).Fingerprint(); got == want {
		t.Error("one row less has the same fingerprint")
	}
}

func TestLedger(t *testing.T) {
	l := In(filepath.Join(t.TempDir(), "state", "fairtrain"))
	r := rand.New(rand.NewPCG(7, 8))
	rows, others := drawn(r, 500, math.MaxInt), drawn(r, 400, math.MaxInt)
	if entries, err := l.Entries(); err != nil || len(entries) != 0 {
		t.Errorf("a new ledger has %v (%v)", entries, err)
	}
	first := Entry{
		Time: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Use: Testing, Name: "fresh.csv", Rows: []Sketch{sketchOf(rows)}, Features: Features{"encoding", sketchOf(others[:300])},
		Requirements: []string{"demographic-parity:group=sex,bound=0.02"}, Confidence: 0.95, Holds: true,
	}
	second := Entry{Time: first.Time.Add(1), Use: Training, Name: "people.csv", SHA256: "ab", Rows: []Sketch{sketchOf(others)}}
	for _, e := range []Entry{second, first} {
		if err := l.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	all, err := l.Entries()
	if diff := cmp.Diff([]Entry{first, second}, all); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	for use, want := range map[Use]int{Testing: 1, Training: 0} {
		if found, err := l.Earlier(use, []Sketch{sketchOf(rows[100:200])},
			Features{}); err != nil || len(found) != want {
			t.Errorf("%s: %d earlier entries (%v), want %d", use, len(found), err, want)
		}
	}
	twice := slices.Repeat(others[:100], 2)
	for _, c := range []struct {
		features []uint64
		want     int
	}{{others[200:400], 1}, {slices.Concat(others[:10], others[300:]), 0}, {twice, 0}} { // few in common; not told apart
		if found, err := l.Earlier(Testing, []Sketch{sketchOf(drawn(r, 200, math.MaxInt))},
			Features{"encoding", sketchOf(c.features)}); err != nil || len(found) != c.want {
			t.Errorf("by features: %d earlier entries (%v), want %d", len(found), err, c.want)
		}
	}
	for text, want := range map[string]string{
		`{"use":"test"}`: "is damaged: the entry has no rows (a copy",
		`{"use":"tset","rows":[{"rows":1,"skip":0,"hashes":"AQAAAAAAAAA="}]}`: `is damaged: the use "tset" is neither test nor training (a copy`,
		`{"use":"test","rows":[{"rows":3,"skip":0}]}`:                         "is damaged: the entry has no rows (a copy",
		`{"use":"test","rows":[{}]}`:                                          "is damaged: the entry has no rows (a copy",
		`{"use":"te`:                                                          "is damaged: behind byte 10: unexpected end of JSON input (a copy",
	} {
		path := filepath.Join(l.dir, "x"+suffix)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Entries(); err == nil || !strings.Contains(err.Error(), path+" "+want) {
			t.Errorf("of a spoilt entry: %v, want %s", err, want)
		}
	}
}

// TestLock: what one does under the lock, another sees under it.
func TestLock(t *testing.T) {
	l := In(filepath.Join(t.TempDir(), "ledger"))
	const programs = 8
	var counts [programs]int
	var all errgroup.Group
	for k := range programs {
		all.Go(func() error {
			release, err := l.Lock(t.Context(), time.Hour)
			if err != nil {
				return err
			}
			defer release()
			entries, err := l.Entries()
			counts[k] = len(entries)
			return errors.Join(err, l.Add(Entry{Time: time.Now(), Use: Testing, Rows: []Sketch{sketchOf([]uint64{1})}}))
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(counts[:])
	if diff := cmp.Diff([programs]int{0, 1, 2, 3, 4, 5, 6, 7}, counts); diff != "" {
		t.Error(diff)
	}
}

func TestSpoiltSketches(t *testing.T) {
	for _, text := range []string{`{"hashes":"AAA="}`, `{"skip":64}`, `{"skip":-1}`, `[]`, `{"hashes":"AgAAAAAAAAABAAAAAAAAAA=="}`} {
		if err := json.Unmarshal([]byte(text), new(Sketch)); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}

// TestConfidence: the errors of all further tests, over all outcomes of the tests before
// them, add up to δ.
func TestConfidence(t *testing.T) {
	if got := Confidence(0.95, 0); got != 0.95 {
		t.Errorf("the first test is done at %v", got)
	}
	sum := 0.0
	for k := 1; k < 20; k++ {
		sum += math.Pow(2, float64(k)) * (1 - Confidence(0.95, k))
	}
	if !(sum <= 0.05+1e-9 && sum > 0.0499) {
		t.Errorf("the errors add up to %v", sum)
	}
}

// TestLeftover adds an entry where a killed program has left half of another one.
func TestLeftover(t *testing.T) {
	dir := t.TempDir()
	half := filepath.Join(dir, atomicfile.Prefix+"20260102-030405.000000006-ab.use.json-7")
	if err := os.WriteFile(half, []byte(`{"time"`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := In(dir).Add(Entry{Time: time.Now(), Use: Testing, Rows: []Sketch{sketchOf([]uint64{1})}}); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v (%v), expected one entry", entries, err)
	}
}

func entrySeeds(t testing.TB) []string {
	list := make([]string, 2)
	for k, hashes := range [][]uint64{{1, 2, 1 << 63}, nil} {
		text, err := json.Marshal(Entry{
			Time: time.Unix(1e9, 5).UTC(), Use: Testing, Name: "people", SHA256: "ab", Rows: []Sketch{sketchOf(hashes), {Rows: 7, Skip: 3}}, Features: Features{"x", sketchOf(hashes)},
			Requirements: []string{"share:group=1,omega=0.3"}, Confidence: 0.95, Holds: k == 0,
		})
		if err != nil {
			t.Fatal(err)
		}
		list[k] = string(text)
	}
	return list
}

func FuzzEntry(f *testing.F) { datatest.Fuzz(f, entrySeeds(f), checkEntry) }

// checkEntry expects that an entry that is read can be compared with others, written and read
// again.
func checkEntry(t *testing.T, text string) {
	e, err := parseEntry([]byte(text))
	if err != nil {
		return
	}
	if share, _ := e.Shares([]Sketch{sketchOf([]uint64{1, 2, 3})},
		Features{"x", sketchOf([]uint64{4, 5, 6})}); !(share >= 0 && share <= 1) {
		t.Errorf("a share of %v", share)
	}
	for _, s := range e.Rows {
		s.Repeated()
		s.Fingerprint()
	}
	written, err := json.Marshal(e)
	if err != nil {
		t.Fatalf("cannot be written: %v", err)
	}
	again, err := parseEntry(written)
	if err != nil {
		t.Fatalf("cannot read what it has written: %v\n%s", err, written)
	}
	if diff := cmp.Diff(e, again, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

// TestOtherPeople: different people are not taken for the same ones although some are of common
// kinds, and although one file has more of these than the other.
func TestOtherPeople(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	people := func(n int, common float64) Features {
		hashes := drawn(r, n, math.MaxInt)
		for k := range hashes {
			if r.Float64() < common {
				hashes[k] = rng.Mix(r.Uint64N(200))
			}
		}
		return Features{"encoding", sketchOf(hashes)}
	}
	for _, n := range []int{200, 500, 2000} {
		for _, common := range [][2]float64{{0, 0}, {0.05, 0.05}, {0.05, 0.2}, {0.02, 0.4}, {0.4, 0.4}} {
			wrong := 0
			const trials = 50
			for range trials {
				if _, same := people(n, common[1]).Overlaps(people(5000, common[0])); same {
					wrong++
				}
			}
			if wrong > trials/50 {
				t.Errorf("%d rows of which %v are common, before %v: %d of %d times the same people", n, common[1], common[0], wrong, trials)
			}
		}
	}
	// Some rows that are there twice hide nothing.
	old := drawn(r, 1000, math.MaxInt)
	twice := Features{"encoding", sketchOf(append(slices.Clone(old), old[:60]...))}
	if share, same := twice.Overlaps(Features{"encoding", sketchOf(old)}); !same || share < 0.9 {
		t.Errorf("%.2f of the same people are known again", share)
	}
	if _, same := twice.Overlaps(Features{"another", sketchOf(old)}); same {
		t.Error("features of another encoding are compared")
	}
}
