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
	s.keep([]float64{score}, 1)
	x := uint64(math.RoundToEven(score * (1 << digits)))
	power := Wide{1}
	for k := range s.Powers {
		power = power.times(x)
		s.Powers[k] = s.Powers[k].plus(power)
	}
}

// Merge adds other rows, which come after these.
func (s *Sums) Merge(t *Sums) {
	s.Positive += t.Positive
	s.keep(t.Few, t.Rows)
	for k := range s.Powers {
		s.Powers[k] = s.Powers[k].plus(t.Powers[k])
	}
}

// keep counts rows and keeps their scores while all are few.
func (s *Sums) keep(scores []float64, rows int) {
	if s.Rows += rows; s.Rows <= fewRows {
		s.Few = append(s.Few, scores...)
	} else {
		s.Few = nil
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
	times := func(factor int64, x ...*big.Rat) *big.Rat {
		product := big.NewRat(factor, 1)
		for _, x := range x {
			product.Mul(product, x)
		}
		return product
	}
	sum := func(x ...*big.Rat) float64 {
		total := new(big.Rat)
		for _, x := range x {
			total.Add(total, x)
		}
		nearest, _ := total.Float64()
		return nearest
	}
	mean := times(1, sums[0], big.NewRat(1, int64(s.Rows)))
	return scores{
		count: s.Rows, values: s.Few, mean: sum(mean),
		sum2: sum(sums[1], times(-1, mean, sums[0])),
		sum3: sum(sums[2], times(-3, mean, sums[1]), times(2, mean, mean, sums[0])),
		sum4: sum(sums[3], times(-4, mean, sums[2]), times(6, mean, mean, sums[1]), times(-3, mean, mean, mean, sums[0])),
	}
}

// Wide is a number of 256 bits, the lowest ones first.
type Wide [4]uint64

func (w Wide) plus(v Wide) (sum Wide) {
	carry := uint64(0)
	for i := range w {
		sum[i], carry = bits.Add64(w[i], v[i], carry)
	}
	return sum
}

func (w Wide) times(x uint64) (product Wide) {
	carry := uint64(0)
	for i := range w {
		high, low := bits.Mul64(w[i], x)
		var more uint64
		product[i], more = bits.Add64(low, carry, 0)
		carry = high + more
	}
	return product
}

func (w Wide) number() *big.Int {
	n := new(big.Int)
	for i := len(w) - 1; i >= 0; i-- {
		n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(w[i]))
	}
	return n
}
