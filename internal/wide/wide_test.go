package wide

import (
	"bytes"
	"math"
	"math/rand/v2"
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
	read, points := Decimals(&to, &in)
	for k, text := range texts {
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
	texts := draw(t)
	var in [Texts]swar.Short
	for k, text := range texts {
		texts[k] = (text + ",and more text, \xff"[k%2:])[:16]
		in[k] = swar.Short{Low: swar.Load(texts[k]), High: swar.Load(texts[k][8:])}
	}
	var places [Texts]uint32
	for k := range places {
		places[k] = uint32(1000 * k)
	}
	Cut(&in, ',', &places, 3)
	for k, text := range texts {
		n := (strings.IndexByte(text, ',') + 17) % 17 // 16 for none
		if want := (swar.Short{Low: swar.Load(text), High: swar.Load(text[8:])}).First(n); in[k].Len() != n || n < 16 && in[k] != want {
			t.Fatalf("%q is %x of %d bytes", text, in[k], in[k].Len())
		} else if places[k] != uint32(1000*k+n+3) {
			t.Fatalf("behind %q, place %d becomes %d", text, 1000*k, places[k])
		}
	}
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
		Decimals(&to, &in)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/Texts, "ns/text")
}
