package problem

import "gonum.org/v1/gonum/floats"

// Sparse is implemented by problems each of whose samples depends on few variables. A batch
// that asks for its support (Batch.Sparse) then gets it when it is drawn.
type Sparse interface {
	// Entries is the mean number of variables on which a sample depends. It is 0 if the problem
	// is not sparse after all.
	Entries() float64
}

// Entries returns the mean number of variables on which a sample of p depends. It returns 0
// if batches of p have no support.
func Entries(p Problem) float64 {
	if s, ok := p.(Sparse); ok {
		return s.Entries()
	}
	return 0
}

// The methods below are vector operations on the support of a batch, or on all entries if it
// has none, as for the nil batch.

func (b *Batch) all() bool { return b == nil || b.Support == nil }

// Clear sets x to 0.
func (b *Batch) Clear(x []float64) {
	if b.all() {
		clear(x)
		return
	}
	for _, j := range b.Support {
		x[j] = 0
	}
}

// Scale multiplies x by a number.
func (b *Batch) Scale(a float64, x []float64) {
	if b.all() {
		floats.Scale(a, x)
		return
	}
	for _, j := range b.Support {
		x[j] *= a
	}
}

// MulTo stores the products of the entries of x and y in dst.
func (b *Batch) MulTo(dst, x, y []float64) {
	if b.all() {
		floats.MulTo(dst, x, y)
		return
	}
	for _, j := range b.Support {
		dst[j] = x[j] * y[j]
	}
}

// AddScaled adds a·x to dst.
func (b *Batch) AddScaled(dst []float64, a float64, x []float64) {
	if b.all() {
		floats.AddScaled(dst, a, x)
		return
	}
	for _, j := range b.Support {
		dst[j] += float64(a * x[j])
	}
}
