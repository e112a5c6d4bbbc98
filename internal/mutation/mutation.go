// Package mutation tries parsers on damaged inputs, for tests.
//
// It does what go test -fuzz does without looking at the coverage, and so hundreds of times
// as fast: every target of go test -fuzz has a test beside it that calls Run with the same
// seeds and the same check. The flags -mutations and -mutation-time say on how many inputs;
// .ci/fuzz runs both for hours.
package mutation

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
	"time"
)

var (
	inputs = flag.Int("mutations", 2000, "try every parser on `N` damaged inputs")
	period = flag.Duration("mutation-time", 0, "try every parser for `TIME` instead")
	seed   = flag.Uint64("mutation-seed", 1, "the damages are those that `SEED` draws")
)

// Damage returns one of several texts with some damages.
func Damage(r *rand.Rand, texts ...string) string { return mutator{r, texts}.next() }

// Fuzz makes a target of go test -fuzz of seeds and a check.
func Fuzz(f *testing.F, seeds []string, check func(t *testing.T, text string)) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(check)
}

// Run checks as many mutations of the seeds as the flags say. One that fails, or makes the
// check panic, ends the test and is kept with the corpus of the target of go test -fuzz.
func Run(t *testing.T, target string, seeds []string, check func(t *testing.T, text string)) {
	t.Helper()
	var text string
	defer func() { // also when check has called FailNow
		if r := recover(); r != nil {
			t.Errorf("panic: %v\n%s", r, debug.Stack())
		}
		if t.Failed() {
			t.Errorf("the input is kept as %s: %q", keep(t, target, text), text)
		}
	}()
	// Readers of short texts do little but make buffers, which collecting seldom makes cheap.
	defer debug.SetGCPercent(debug.SetGCPercent(2000))
	m := mutator{rand.New(rand.NewPCG(*seed, hash(target))), seeds}
	var slowest time.Duration
	begin := time.Now()
	n := 0
	for ; *period == 0 && n < *inputs || time.Since(begin) < *period; n++ {
		text = m.next()
		start := time.Now()
		check(t, text)
		slowest = max(slowest, time.Since(start))
		if t.Failed() {
			return
		}
	}
	t.Logf("%d inputs, %.0f a second, the slowest took %v", n,
		float64(n)/time.Since(begin).Seconds(), slowest.Round(time.Microsecond))
}

// keep writes an input into the corpus of a target and returns the path.
func keep(t *testing.T, target, text string) string {
	path := filepath.Join("testdata", "fuzz", target, fmt.Sprintf("%016x", hash(text)))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, fmt.Appendf(nil, "go test fuzz v1\nstring(%q)\n", text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text)) // never fails
	return h.Sum64()
}

// mutator draws damaged texts.
type mutator struct {
	*rand.Rand
	seeds []string
}

// next returns a seed with some damages, three on average.
func (m mutator) next() string {
	text := []byte(m.seeds[m.IntN(len(m.seeds))])
	for more := true; more; more = m.IntN(3) > 0 {
		text = m.damage(text)
	}
	return string(text)
}

// pieces are what parsers stumble on.
var pieces = []string{
	"", "\x00", "\xff", "\xef\xbb\xbf", "\n", "\r\n", "\r", "\t", " ", ",", ";", ":", "\"", "'", "#", "=", "|", "\\", "%", "-", "+", ".",
	"{", "}", "[", "]", "(", ")", "[[", "]]", "\u202e", "\u009b", "é",
	"0", "-0", "1", "-1", "1e308", "1e-324", "1e309", "-1e100", "0x1p-2", "NaN", "Inf", "1_0", "00123", "9007199254740993",
	"2147483648", "-2147483649", "4294967296", "9223372036854775808", "18446744073709551616", "1e", "1.", ".5", "1,5",
	"null", "true", "false", "\\u0000", "\\ud800", "ENDATA", "GROUPS", "DO", "END",
}

// damage changes one place.
func (m mutator) damage(text []byte) []byte {
	const most = 1 << 16 // bytes: copies of copies grow fast
	i := m.IntN(len(text) + 1)
	j := min(len(text), i+1+m.IntN(1<<m.IntN(9)))
	switch m.IntN(8) {
	case 0: // flip a bit
		if i < len(text) {
			text[i] ^= 1 << m.IntN(8)
		}
	case 1: // take a part away
		text = slices.Delete(text, i, j)
	case 2: // write a part twice
		if len(text) < most {
			text = slices.Insert(text, i, slices.Clone(text[i:j])...)
		}
	case 3: // move a part
		part := slices.Clone(text[i:j])
		text = slices.Delete(text, i, j)
		text = slices.Insert(text, m.IntN(len(text)+1), part...)
	case 4: // insert a piece
		text = slices.Insert(text, i, []byte(pieces[m.IntN(len(pieces))])...)
	case 5: // replace what stands between two bytes that are no letters or digits
		i, j = m.word(text, i)
		text = slices.Replace(text, i, j, []byte(pieces[m.IntN(len(pieces))])...)
	case 6: // end early
		if m.IntN(4) == 0 {
			text = text[:i]
		}
	case 7: // go on as another seed does
		other := m.seeds[m.IntN(len(m.seeds))]
		text = append(text[:i], other[m.IntN(len(other)+1):]...)
	}
	return text
}

// word returns the ends of the word or number at or after a place.
func (m mutator) word(text []byte, i int) (from, to int) {
	part := func(c byte) bool {
		return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '.' || c == '_'
	}
	for i < len(text) && !part(text[i]) {
		i++
	}
	for from = i; from > 0 && part(text[from-1]); from-- {
	}
	for to = i; to < len(text) && part(text[to]); to++ {
	}
	return from, to
}
