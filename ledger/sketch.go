package ledger

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/fairtrain/fairtrain/internal/rng"
)

// Sketch stands for a set of rows: a sample of the hashes of their content, the same for
// equal rows in any set, whatever their order.
type Sketch struct {
	Rows int
	// Skip says that only hashes whose lowest Skip bits are 0 are in the sketch.
	Skip   int
	Hashes []uint64 // ascending; rows of equal content have equal hashes
}

// isValid reports whether a sketch identifies rows.
func (s Sketch) isValid() bool {
	return s.Rows > 0 && len(s.Hashes) <= s.Rows && (s.Skip > 0 || len(s.Hashes) == s.Rows)
}

// mostHashes is about the largest number of hashes of a sketch, 256 kB.
const mostHashes = 1 << 15

// NewSketch returns the sketch of a number of rows with the given hashes, which must be spread
// evenly.
func NewSketch(rows int, hashes iter.Seq[uint64]) Sketch {
	s := Sketch{Rows: rows}
	for rows>>s.Skip > mostHashes {
		s.Skip++
	}
	s.Hashes = sampled(hashes, s.Skip)
	slices.Sort(s.Hashes)
	return s
}

const (
	// clusters is approximately the factor by which the variance of the number of equal rows
	// exceeds the variance of a count, as equal rows come in clusters.
	clusters = 2
	// surely is the number of standard deviations beyond which chance is ruled out.
	surely = 4
)

// sampled returns the hashes whose lowest skip bits are 0.
func sampled(hashes iter.Seq[uint64], skip int) []uint64 {
	var sample []uint64
	for h := range hashes {
		if h&(1<<skip-1) == 0 {
			sample = append(sample, h)
		}
	}
	return sample
}

// Overlaps reports whether rows of s are among the rows of earlier, and approximately
// which share of them. Different people may have equal content. If all rows were drawn
// independently, a row of s would occur in earlier as often as a row of earlier occurs
// there twice, so only rows beyond that number, and beyond chance, count.
func (s Sketch) Overlaps(earlier Sketch) (share float64, ok bool) {
	fresh, old := s.alike(earlier)
	if len(fresh) == 0 || len(old) == 0 {
		return 0, false
	}
	if slices.Equal(fresh, old) && s.Rows == earlier.Rows {
		return 1, true
	}
	matches := 0
	for _, h := range fresh {
		if _, found := slices.BinarySearch(old, h); found {
			matches++
		}
	}
	n, twice := float64(len(fresh)), occurTwice(old)
	return max(0, (float64(matches)/n-twice)/(1-twice)), float64(matches) > byChance(n, float64(len(old)), twice)
}

// alike returns the hashes of both sketches that both would have.
func (s Sketch) alike(earlier Sketch) (fresh, old []uint64) {
	skip := max(s.Skip, earlier.Skip)
	return sampled(slices.Values(s.Hashes), skip), sampled(slices.Values(earlier.Hashes), skip)
}

// occurTwice returns the share of old rows of which another one has the content, rather more than
// less.
func occurTwice(old []uint64) float64 {
	return (float64(repeated(old)) + 0.5) / (float64(len(old)) + 1)
}

// byChance returns the number of n rows beyond which they are no longer met among m others by
// chance.
func byChance(n, m, twice float64) float64 {
	return n*twice + surely*math.Sqrt(clusters*n*twice*(1+n/m))
}

// TooFew reports whether too few hashes are left, where some were left out, to decide
// whether the rows of s and earlier overlap: if half of the rows of s were among the earlier
// ones, Overlaps would miss that with a probability above 0.1 %.
func (s Sketch) TooFew(earlier Sketch) bool {
	const missed = 0.001
	if s.Skip == 0 && earlier.Skip == 0 {
		return false
	}
	fresh, old := s.alike(earlier)
	twice := occurTwice(old)
	n := float64(len(slices.Compact(fresh)))
	found := distuv.Binomial{N: n, P: (1 + twice) / 2}
	return found.CDF(byChance(n, max(float64(len(old)), 1), twice)) > missed
}

// Counterpart returns the sketch of rows with which to compare s: it leaves out no more than s
// does.
func (s Sketch) Counterpart(rows int, hashes iter.Seq[uint64]) Sketch {
	c := Sketch{Rows: rows, Skip: s.Skip, Hashes: sampled(hashes, s.Skip)}
	slices.Sort(c.Hashes)
	return c
}

// meetings returns how many other rows have the content of a row, on average, rather more than
// less.
func (s Sketch) meetings() float64 {
	pairs := 0.0
	for run := range runs(s.Hashes) {
		pairs += float64(run) * float64(run-1) / 2
	}
	return 2 * (pairs + math.Sqrt(pairs)) / max(float64(len(s.Hashes)), 1)
}

// repeated counts the hashes that occur more than once in a sorted list.
func repeated(sorted []uint64) int {
	count := 0
	for run := range runs(sorted) {
		if run > 1 {
			count += run
		}
	}
	return count
}

// runs returns how often each of the values of a sorted list occurs.
func runs(sorted []uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for begin, i := 0, 1; i <= len(sorted); i++ {
			if i < len(sorted) && sorted[i] == sorted[begin] {
				continue
			}
			if !yield(i - begin) {
				return
			}
			begin = i
		}
	}
}

// Repeated returns the share of the rows whose content other rows have too, and whether
// they are repeated in a way in which independent rows are not: every row k, 2k, 3k, …
// times for some k > 1, as if a file had been used k times, or some rows equally often.
func (s Sketch) Repeated() (share float64, multiple bool) {
	if len(s.Hashes) == 0 {
		return 0, false
	}
	divisor, distinct := 0, 0
	times := map[int]int{} // k rows each have times[k] contents
	for run := range runs(s.Hashes) {
		divisor = gcd(divisor, run)
		distinct++
		times[run]++
	}
	const many = 20 // so that it is no accident
	return float64(repeated(s.Hashes)) / float64(len(s.Hashes)), divisor > 1 && distinct >= many || tooEven(times)
}

// With returns the sketch of the rows of s and other rows together.
func (s Sketch) With(others Sketch) Sketch {
	fresh, old := s.alike(others)
	together := Sketch{Rows: s.Rows + others.Rows, Skip: max(s.Skip, others.Skip), Hashes: append(fresh, old...)}
	slices.Sort(together.Hashes)
	return together
}

// tooEven reports whether rows are repeated too evenly to be drawn independently, given the
// number of contents that k rows have, for every k. If content c has λ_c rows on average,
// about
//
//	m_k = Σ_c λ_cᵏ e^(−λ_c)/k!
//
// contents have k rows, so that k m_k² ≤ (k + 1) m_(k−1) m_(k+1) by Cauchy and Schwarz: if
// rows occur once or twice, some must occur three times.
func tooEven(times map[int]int) bool {
	least := func(k int) float64 { n := float64(times[k]); return max(0, n-surely*math.Sqrt(n)) }
	most := func(k int) float64 {
		const ofNone = 10 // this is as unlikely, if none is seen, as surely many deviations
		n := float64(times[k])
		return n + surely*math.Sqrt(n) + ofNone
	}
	for k := range times {
		if k > 1 && float64(k)*least(k)*least(k) > float64(k+1)*most(k-1)*most(k+1) {
			return true
		}
	}
	return false
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Fingerprint names a set of rows: equal for the same rows in any order.
func (s Sketch) Fingerprint() string {
	sum := uint64(s.Rows)
	for _, h := range s.Hashes {
		sum = rng.Mix(sum ^ h)
	}
	return fmt.Sprintf("%016x", sum)
}

// sketchFile is a sketch in JSON; the hashes are little-endian, in base64.
type sketchFile struct {
	Rows   int    `json:"rows"`
	Skip   int    `json:"skip"`
	Hashes []byte `json:"hashes"`
}

// MarshalJSON writes a sketch.
func (s Sketch) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 8*len(s.Hashes))
	for _, h := range s.Hashes {
		b = binary.LittleEndian.AppendUint64(b, h)
	}
	return json.Marshal(sketchFile{s.Rows, s.Skip, b})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Sketch) UnmarshalJSON(text []byte) error {
	var f sketchFile
	if err := json.Unmarshal(text, &f); err != nil {
		return err
	}
	b := f.Hashes
	if len(b)%8 != 0 || f.Skip < 0 || f.Skip > 63 {
		return fmt.Errorf("a sketch of %d bytes that skips %d bits", len(b), f.Skip)
	}
	*s = Sketch{Rows: f.Rows, Skip: f.Skip}
	for ; len(b) > 0; b = b[8:] {
		s.Hashes = append(s.Hashes, binary.LittleEndian.Uint64(b))
	}
	if !slices.IsSorted(s.Hashes) {
		return fmt.Errorf("the hashes of a sketch are not sorted")
	}
	return nil
}

// Refine returns the hashes of rows together with a number of each.
func Refine(hashes []uint64, values []float64) []uint64 {
	finer := make([]uint64, len(hashes))
	for i, h := range hashes {
		finer[i] = rng.Mix(h ^ rng.Mix(math.Float64bits(values[i])))
	}
	return finer
}
