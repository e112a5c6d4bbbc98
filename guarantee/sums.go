package guarantee

import (
	"math"
	"math/big"
	"math/bits"
)

// Sums add up the scores of rows one by one. The zero value has no rows. They are exact, so they
// depend neither on the order of the rows nor on the parts in which these are added up.
type Sums struct {
	Rows, Positive int // decisions
	// Few are the scores in their order, nil if there are more than fewRows.
	Few []float64
	// Powers are the sums of the first four powers of the scores, in units of 2^(−53k) for power k.
	// A score is rounded to such a unit, to at most 2⁻⁵⁴ of its value in [0, 1].
	Powers [4]Wide
}

// digits are those of a score after the binary point. The fourth power then has 212 bits, so that
// a Wide has room for 2⁴⁴ rows.
const digits = 53

// Add adds a row, whose score is in [0, 1].
func (s *Sums) Add(score float64, positive bool) {
	if positive {
		s.Positive++
	}
	if s.Rows++; s.Rows <= fewRows {
		s.Few = append(s.Few, score)
	} else {
		s.Few = nil
	}
	x := uint64(math.RoundToEven(score * (1 << digits)))
	s.Powers[0].add(x, 0, 0, 0)
	a, b, c, d := times(x, 0, 0, x)
	s.Powers[1].add(a, b, c, d)
	a, b, c, d = times(a, b, c, x)
	s.Powers[2].add(a, b, c, d)
	s.Powers[3].add(times(a, b, c, x))
}

// Merge adds other rows, which come after these.
func (s *Sums) Merge(t *Sums) {
	s.Positive += t.Positive
	if s.Rows += t.Rows; s.Rows <= fewRows {
		s.Few = append(s.Few, t.Few...)
	} else {
		s.Few = nil
	}
	for k, p := range t.Powers {
		s.Powers[k].add(p[0], p[1], p[2], p[3])
	}
}

// scores returns the scores by their moments, each the number next to the exact one.
func (s *Sums) scores() scores {
	if s.Rows == 0 {
		return scores{}
	}
	var sums [4]*big.Rat
	for k, p := range s.Powers {
		sums[k] = new(big.Rat).SetFrac(p.number(), new(big.Int).Lsh(big.NewInt(1), uint(digits*(k+1))))
	}
	product := func(factor int64, x ...*big.Rat) *big.Rat {
		p := big.NewRat(factor, 1)
		for _, x := range x {
			p.Mul(p, x)
		}
		return p
	}
	sum := func(x ...*big.Rat) float64 {
		total := new(big.Rat)
		for _, x := range x {
			total.Add(total, x)
		}
		nearest, _ := total.Float64()
		return nearest
	}
	mean := product(1, sums[0], big.NewRat(1, int64(s.Rows)))
	return scores{
		count: s.Rows, values: s.Few, mean: sum(mean),
		sum2: sum(sums[1], product(-1, mean, sums[0])),
		sum3: sum(sums[2], product(-3, mean, sums[1]), product(2, mean, mean, sums[0])),
		sum4: sum(sums[3], product(-4, mean, sums[2]), product(6, mean, mean, sums[1]), product(-3, mean, mean, mean, sums[0])),
	}
}

// Wide is a number of 256 bits, the lowest ones first.
type Wide [4]uint64

// add adds the number a + 2⁶⁴b + 2¹²⁸c + 2¹⁹²d.
func (w *Wide) add(a, b, c, d uint64) {
	var carry uint64
	w[0], carry = bits.Add64(w[0], a, 0)
	w[1], carry = bits.Add64(w[1], b, carry)
	w[2], carry = bits.Add64(w[2], c, carry)
	w[3], _ = bits.Add64(w[3], d, carry)
}

// times returns x times a + 2⁶⁴b + 2¹²⁸c as such a number.
func times(a, b, c, x uint64) (p, q, r, s uint64) {
	ah, p := bits.Mul64(a, x)
	bh, bl := bits.Mul64(b, x)
	ch, cl := bits.Mul64(c, x)
	q, carry := bits.Add64(ah, bl, 0)
	r, carry = bits.Add64(bh, cl, carry)
	return p, q, r, ch + carry
}

func (w Wide) number() *big.Int {
	n := new(big.Int)
	for i := len(w) - 1; i >= 0; i-- {
		n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(w[i]))
	}
	return n
}
