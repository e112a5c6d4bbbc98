package encoding

import (
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/fairtrain/fairtrain/internal/prefetch"
)

// Moments are a number of values, their sum and the sum of their squares. The sums are exact. So
// they depend neither on the order of the values nor on the parts in which they are added up. The
// zero value has no values.
type Moments struct {
	Count    int
	Infinite bool // a value is
	// Plus and Minus are the sums of the positive and of the negative values, without their signs,
	// in units of 2⁻¹⁰⁷⁴, Squares that of the squares in units of 2⁻²¹⁴⁸: 64 bits each, the lowest
	// ones first, with room for 2⁶⁴ values of any size.
	Plus, Minus [34]uint64
	Squares     [67]uint64
}

// unit is the number of binary digits after the point of a float64.
const unit = 1074

// block is the number of values that are added up by their exponents: few enough for 128 bits.
const block = 1 << 20

// Add adds values. NaN stands for none.
func (m *Moments) Add(values []float64) {
	for part := range slices.Chunk(values, block) {
		m.addBlock(part)
	}
}

// exponents is the number of exponents of a float64; normal is the bit that its digits do not show.
const exponents, normal = 1 << 11, 1 << 52

// digitSums are the sums of the digits of some values, and of their squares: 128 bits each.
type digitSums struct{ low, high, squareLow, squareHigh uint64 }

// digitsOf returns the digits of a value, and its sign and exponent.
func digitsOf(v float64) (digits, kind uint64) {
	b := math.Float64bits(v)
	digits = b & (normal - 1)
	if b<<1 >= normal<<1 {
		digits |= normal
	}
	return digits, b >> 52
}

// addBlock adds up the digits of values of the same exponent and sign first.
func (m *Moments) addBlock(values []float64) {
	var byKind [2 * exponents]digitSums
	for part := range prefetch.Parts(values) {
		m.Count += addDigits(&byKind, part)
	}
	for kind := range byKind {
		m.addSums(kind, &byKind[kind])
	}
}

// addDigits adds values to those of the same exponent and sign. It returns how many there are.
func addDigits(byKind *[2 * exponents]digitSums, values []float64) (count int) {
	for _, v := range values {
		if math.IsNaN(v) {
			continue
		}
		count++
		digits, kind := digitsOf(v)
		to := &byKind[kind]
		high, low := bits.Mul64(digits, digits)
		var carry uint64
		to.low, carry = bits.Add64(to.low, digits, 0)
		to.high, _ = bits.Add64(to.high, 0, carry)
		to.squareLow, carry = bits.Add64(to.squareLow, low, 0)
		to.squareHigh, _ = bits.Add64(to.squareHigh, high, carry)
	}
	return count
}

// addTimes adds a value so many times.
func (m *Moments) addTimes(v float64, times int) {
	m.Count += times
	digits, kind := digitsOf(v)
	for left := uint64(times); left > 0; {
		n := min(left, block)
		left -= n
		var of digitSums
		of.high, of.low = bits.Mul64(digits, n)
		high, low := bits.Mul64(digits, digits)
		of.squareHigh, of.squareLow = bits.Mul64(low, n)
		of.squareHigh += high * n
		m.addSums(int(kind), &of)
	}
}

// addSums adds sums of values of the same sign and exponent.
func (m *Moments) addSums(kind int, of *digitSums) {
	if of.low|of.high == 0 {
		return
	}
	sum, exponent := m.Plus[:], uint64(max(kind%exponents-1, 0)) // those below the normal numbers have that of the lowest
	if kind >= exponents {
		sum = m.Minus[:]
	}
	if kind%exponents == exponents-1 {
		m.Infinite = true
		return
	}
	add(sum, exponent, of.high, of.low)
	add(m.Squares[:], 2*exponent, of.squareHigh, of.squareLow)
}

// add adds (2⁶⁴·high + low)·2^shift.
func add(sum []uint64, shift, high, low uint64) {
	at, by := shift>>6, shift&63
	shifted := [3]uint64{low << by, high<<by | low>>(64-by), high >> (64 - by)}
	var carry uint64
	for k := 0; k < len(shifted) || carry != 0; k++ {
		digits := uint64(0)
		if k < len(shifted) {
			digits = shifted[k]
		}
		sum[at+uint64(k)], carry = bits.Add64(sum[at+uint64(k)], digits, carry)
	}
}

// Merge adds other values.
func (m *Moments) Merge(other *Moments) {
	m.Count += other.Count
	m.Infinite = m.Infinite || other.Infinite
	merge(m.Plus[:], other.Plus[:])
	merge(m.Minus[:], other.Minus[:])
	merge(m.Squares[:], other.Squares[:])
}

func merge(sum, other []uint64) {
	var carry uint64
	for k, digits := range other {
		sum[k], carry = bits.Add64(sum[k], digits, carry)
	}
}

// Mean returns the number next to the mean, NaN if a value is infinite.
func (m *Moments) Mean() float64 {
	if m.Infinite {
		return math.NaN()
	}
	count := big.NewInt(int64(m.Count))
	return ratio(m.sum(), count.Lsh(count, unit))
}

// SD returns the root of the number next to the variance, which is that of a population. It is 0 for
// equal values only.
func (m *Moments) SD() float64 {
	if m.Infinite {
		return math.NaN()
	}
	// With n values x, the variance is (n Σx² − (Σx)²) / n².
	count, sum, squares := big.NewInt(int64(m.Count)), m.sum(), number(m.Squares[:])
	squares.Sub(squares.Mul(squares, count), sum.Mul(sum, sum))
	count.Mul(count, count)
	count.Lsh(count, 2*unit)
	const smallestNormal = 0x1p-1022
	if variance := ratio(squares, count); variance >= smallestNormal || squares.Sign() == 0 {
		return math.Sqrt(variance)
	}
	const by = 1000 // binary digits: squares of the smallest numbers become normal ones
	return math.Ldexp(math.Sqrt(ratio(squares.Lsh(squares, 2*by), count)), -by)
}

func (m *Moments) sum() *big.Int {
	plus := number(m.Plus[:])
	return plus.Sub(plus, number(m.Minus[:]))
}

func number(digits []uint64) *big.Int {
	n := new(big.Int)
	for k := len(digits) - 1; k >= 0; k-- {
		n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(digits[k]))
	}
	return n
}

// ratio returns the number next to a ratio.
func ratio(of, to *big.Int) float64 {
	nearest, _ := new(big.Rat).SetFrac(of, to).Float64()
	return nearest
}
