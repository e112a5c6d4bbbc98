package guarantee

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
)

// negligible bounds the probability that a count lies on one side of its window.
const negligible = 1e-10

// reach is how far a window reaches from the mean of a count with the given variance: by
// Bernstein's inequality P(X − EX ≥ t) ≤ exp(−t²/(2(Var X + t/3))), which is negligible at
// this t.
func reach(variance float64) float64 {
	l := -math.Log(negligible)
	return l/3 + math.Sqrt(l*l/9+float64(2*l*variance))
}

// window is the distribution of a count X ~ Binomial(n, p) between lo and lo+len(mass)−1,
// for a p in a given range. On either side of the window there is a probability of at
// most negligible.
type window struct {
	n     int
	first int       // of the counts that any window contains
	odds  []float64 // odds[k] = (n−first−k)/(first+k+1)
	lo    int
	mass  []float64 // P(X = lo+k), divided by the probability of the window, so never too small
}

// newWindow prepares windows for p in [low, high].
func newWindow(n int, low, high float64) *window {
	far := reach(float64(n)/4) + 1
	first := max(0, int(float64(n)*low-far))
	last := min(n, int(math.Ceil(float64(float64(n)*high)+far)))
	w := &window{n: n, first: first, odds: make([]float64, last-first+1), mass: make([]float64, 0, last-first+1)}
	for k := range w.odds {
		w.odds[k] = float64(n-first-k) / float64(first+k+1)
	}
	return w
}

// set computes the window for p. Each mass is computed from the mass below it, which keeps
// the relative error below the number of masses times 2⁻⁵¹. The first mass, at most 2l/3 +
// 1 counts below a mean of nearly n, is at least (2⁻⁵³)¹⁷ times the largest.
func (w *window) set(p float64) {
	n := float64(w.n)
	t := reach(n * p * (1 - p))
	w.lo = max(0, int(math.Floor(n*p-t)))
	hi := min(w.n, int(math.Ceil(float64(n*p)+t)))
	w.mass = w.mass[:hi-w.lo+1]
	if p <= 0 || p >= 1 {
		clear(w.mass)
		w.mass[int(math.Round(p))*(hi-w.lo)] = 1
		return
	}
	m, sum, ratio := 1.0, 0.0, p/(1-p)
	odds := w.odds[w.lo-w.first:]
	for k := range w.mass {
		w.mass[k] = m
		sum += m
		m *= odds[k] * ratio
	}
	floats.Scale(1/sum, w.mass)
}

// cumulate turns masses into P(X ≥ lo+k), from above.
func (w *window) cumulate() {
	sum := 0.0
	for k := len(w.mass) - 1; k >= 0; k-- {
		sum += w.mass[k]
		w.mass[k] = min(sum, 1)
	}
}

// tail is P(X ≥ j) of a cumulated window, up to a negligible error.
func (w *window) tail(j int) float64 {
	switch k := j - w.lo; {
	case k <= 0:
		return 1
	case k >= len(w.mass):
		return 0
	default:
		return w.mass[k]
	}
}

// clopperPearson returns limits of the share, given x of n. Each limit is on the wrong
// side with a probability of at most tail (Clopper and Pearson 1934). They follow from
// P(X ≥ x) = I_p(x, n−x+1) (Laplace), and likewise from P(X ≤ x).
func clopperPearson(x, n int, tail float64) (low, high float64) {
	high = math.Nextafter(1-lowerLimit(n-x, n, tail), 2) // which rounding may have moved inwards
	return lowerLimit(x, n, tail), min(high, 1)
}

// lowerLimit finds the p with P(X ≥ x) = tail by bisection: a computed tail is more
// reliable than an inversion of the beta function, which may be far off for small tails.
func lowerLimit(x, n int, tail float64) float64 {
	const accuracy = 1e-6 // a computed tail is at least this accurate, with ease
	const halvings = 50
	low, high := 0.0, float64(x)/float64(n)
	if x == 0 {
		return low
	}
	for range halvings {
		middle := low + (high-low)/2
		if mathext.RegIncBeta(float64(x), float64(n-x+1), middle) <= tail*(1-accuracy) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
