package wide

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/internal/swar"
)

// draw draws texts of at most 15 bytes.
func draw(t *rapid.T) (texts [Texts]string) {
	drawn := rapid.SliceOfN(rapid.OneOf(
		rapid.StringMatching(`-?[0-9]{1,9}`), rapid.StringMatching(`-?[0-9]{0,5}\.[0-9]{0,5}`), rapid.StringMatching(`[-.+0-9a/:]{0,15}`),
		rapid.StringN(0, 15, 15),
	), 8, 8).Draw(t, "texts")
	random := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))
	for k := range texts {
		texts[k] = drawn[random.IntN(len(drawn))]
	}
	return texts
}

func TestDecimals(t *testing.T) { inEveryWay(t, rapid.MakeCheck(checkDecimals)) }

func checkDecimals(t *rapid.T) {
	texts := draw(t)
	var in [Texts]swar.Short
	for k, text := range texts {
		in[k], _ = swar.ShortOf(text)
	}
	var to [Texts]uint64
	n := Some * rapid.IntRange(1, Texts/Some).Draw(t, "eights")
	read, points := Decimals(to[:], in[:n])
	if outside := ^uint64(0) << (n - 1) << 1; (read|points)&outside != 0 || slices.ContainsFunc(to[n:], func(w uint64) bool { return w != 0 }) {
		t.Fatalf("of %d texts, %b are read, %b have points", n, read, points)
	}
	for k, text := range texts[:n] {
		unsigned := strings.TrimPrefix(text, "-")
		digits := strings.Replace(unsigned, ".", "", 1)
		want := digits != "" && len(unsigned) <= 8 && strings.Trim(digits, "0123456789") == ""
		if got := read>>k&1 == 1; got != want {
			t.Fatalf("%q is read: %v", text, got)
		}
		if !want {
			continue
		}
		value, err := strconv.ParseFloat(text, 64)
		if err != nil || to[k] != math.Float64bits(value) || points>>k&1 == 1 != strings.Contains(text, ".") {
			t.Fatalf("%q is %v (%v)", text, math.Float64frombits(to[k]), err)
		}
	}
}

func TestCut(t *testing.T) { inEveryWay(t, rapid.MakeCheck(checkCut)) }

func checkCut(t *rapid.T) {
	const behind, around = 1, 3
	texts := draw(t)
	var all []byte
	var places, next [Texts]uint32
	for k, text := range texts {
		places[k] = uint32(len(all))
		next[k] = places[k] + around
		texts[k] = (text + ",and more text, \xff"[k%2:])[:16]
		all = append(append(all, make([]byte, behind)...), texts[k]...)
	}
	var to [Texts]swar.Short
	Cut(&to, all, behind, ',', &places, around)
	for k, text := range texts {
		n := (strings.IndexByte(text, ',') + 17) % 17 // 16 for none
		if want := swar.ShortAt((*[16]byte)([]byte(text))).First(n); to[k].Len() != n || n < 16 && to[k] != want {
			t.Fatalf("%q is %x of %d bytes", text, to[k], to[k].Len())
		} else if places[k] != next[k]+uint32(n) {
			t.Fatalf("behind %q, place %d becomes %d", text, next[k]-around, places[k])
		}
	}
}

// TestCutBeyond: nothing is read where the text has not 16 bytes.
func TestCutBeyond(t *testing.T) {
	inEveryWay(t, func(t *testing.T) {
		for _, n := range []int{0, 8, 16, 17, 40} {
			places := [Texts]uint32{Texts / 2: uint32(max(0, n-16))}
			cut := func() { Cut(new([Texts]swar.Short), make([]byte, n), 1, ',', &places, 0) }
			if !panics(cut) {
				t.Errorf("of %d bytes, 16 from %d on are cut", n, places[Texts/2]+1)
			}
		}
	})
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

func TestPairs(t *testing.T) { inEveryWay(t, rapid.MakeCheck(checkPairs)) }

func checkPairs(t *rapid.T) {
	var all strings.Builder
	index := 0
	for range rapid.IntRange(0, 9).Draw(t, "pairs") {
		index += rapid.SampledFrom([]int{1, 1, 2, 30, 4000, 2000000}).Draw(t, "step")
		value := rapid.OneOf(rapid.SampledFrom([]string{"0", "2", "-1", "1.5", "0.123456789012", "1e-5"}), rapid.StringMatching(`[!-~]{0,17}`)).Draw(t, "value")
		all.WriteString(strconv.Itoa(index) + ":" + value + rapid.SampledFrom([]string{" ", " ", " ", "\n", "\t", "  ", ""}).Draw(t, "behind"))
	}
	text := []byte(all.String() + strings.Repeat("x", rapid.IntRange(0, 40).Draw(t, "more")))
	if len(text) > 0 && rapid.Bool().Draw(t, "changed") {
		text[rapid.IntRange(0, len(text)-1).Draw(t, "place")] = rapid.Byte().Draw(t, "byte")
	}
	texts, columns := make([]swar.Short, rapid.IntRange(0, 9).Draw(t, "room")), make([]uint32, 9)
	first := uint32(rapid.IntRange(0, 3).Draw(t, "last index"))
	n, length := Pairs(texts, columns, text, first)
	at, last := 0, first
	for k := 0; ; k++ {
		value, number, next := pairAt(text[at:])
		if k > 0 && text[at-1] != ' ' || k == len(texts) || next == 0 || number <= last {
			if k != n || at != length {
				t.Fatalf("%d pairs of %q in %d bytes, want %d in %d", n, text, length, k, at)
			}
			return
		}
		if k < n && (texts[k].String() != value || columns[k] != number-1) {
			t.Fatalf("pair %d of %q is %d:%s, want %d:%s", k, text, columns[k]+1, texts[k], number, value)
		}
		if at, last = at+next, number; text[at] == ' ' {
			at++
		}
	}
}

// pairAt reads the pair at the beginning of a text, and returns where it ends: 0 if it is none that Pairs reads.
func pairAt(text []byte) (value string, index uint32, end int) {
	end = bytes.IndexFunc(text, func(r rune) bool { return r <= ' ' })
	if end < 0 || len(text) < 32 {
		return "", 0, 0
	}
	name, value, _ := strings.Cut(string(text[:end]), ":")
	number, err := strconv.ParseUint(name, 10, 32)
	if err != nil || len(name) > 7 || value == "" || len(value) > 15 || value == "1" {
		return "", 0, 0
	}
	return value, uint32(number), end
}

func TestPlain(t *testing.T) { inEveryWay(t, rapid.MakeCheck(checkPlain)) }

func checkPlain(t *rapid.T) {
	text := bytes.Repeat([]byte("plain ~\n"), 40)[:rapid.IntRange(0, 320).Draw(t, "length")]
	for range rapid.IntRange(0, 2).Draw(t, "others") {
		if len(text) > 0 {
			text[rapid.IntRange(0, len(text)-1).Draw(t, "place")] = rapid.Byte().Draw(t, "byte")
		}
	}
	want := bytes.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || r > 0x7f })
	if want < 0 {
		want = len(text)
	}
	if got := Plain(text); got != want/64*64 {
		t.Fatalf("%d of %q are plain, want those of %d", got, text, want)
	}
}

func TestStandardize(t *testing.T) { inEveryWay(t, rapid.MakeCheck(checkStandardize)) }

func checkStandardize(t *rapid.T) {
	const mean, sd = 3.5, 7
	value := rapid.SampledFrom([]float64{-2, 0.1, 1e300, math.Inf(1), math.MaxFloat64, mean, mean + sd, math.NaN()})
	numbers := rapid.SliceOfN(value, 0, 5*Numbers).Draw(t, "numbers")
	numbers = numbers[:len(numbers)/Numbers*Numbers]
	got := slices.Clone(numbers)
	isSpecial := false
	for k, v := range numbers {
		numbers[k] = (v - mean) / sd
		isSpecial = isSpecial || numbers[k] == 0 || numbers[k] == 1 || math.IsNaN(v)
	}
	if special := Standardize(got, mean, sd); special != isSpecial || !slices.EqualFunc(got, numbers, equalBits) {
		t.Fatalf("%v (special: %v), want %v (%v)", got, special, numbers, isSpecial)
	}
}

func equalBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

func BenchmarkDecimals(b *testing.B) {
	if !Available {
		b.Skip("this processor has neither AVX-512 nor AVX2")
	}
	var in [Texts]swar.Short
	for k := range in {
		in[k], _ = swar.ShortOf(strconv.FormatFloat(1000*(rand.Float64()-.3), 'f', 1+k%4, 64))
	}
	var to [Texts]uint64
	for b.Loop() {
		Decimals(to[:], in[:])
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/Texts, "ns/text")
}
