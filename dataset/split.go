package dataset

import (
	"fmt"
	"slices"

	"github.com/fairtrain/fairtrain/internal/rng"
)

// Split deals the rows at random into a training and a test set, which gets the given
// fraction of the rows, rounded to the nearest number. Both keep the order of d; the
// deal depends on the seed and the number of rows only.
func Split(d *Dataset, testFraction float64, seed uint64) (train, test *Dataset, err error) {
	if !(testFraction > 0 && testFraction < 1) {
		return nil, nil, fmt.Errorf("%s: test fraction %v, must be between 0 and 1", d.Name, testFraction)
	}
	n := int(testFraction*float64(d.Rows()) + 0.5)
	if n == 0 || n == d.Rows() {
		return nil, nil, fmt.Errorf("%s: a test fraction of %v of %d rows leaves one side empty", d.Name, testFraction, d.Rows())
	}
	deal := rng.New(seed, "split").Perm(d.Rows())
	slices.Sort(deal[:n])
	slices.Sort(deal[n:])
	return d.subset(deal[n:], " (train)"), d.subset(deal[:n], " (test)"), nil
}

// subset returns the listed rows of d. The content has no hash of its own: it is d's
// content, which the hash still names, and the list.
func (d *Dataset) subset(rows []int, suffix string) *Dataset {
	var b Builder
	for _, i := range rows {
		for j, v := range d.X.Row(i) {
			b.push(uint32(j), v)
		}
		b.endRow(d.Y[i])
	}
	sub := *d
	sub.Name += suffix
	sub.X, sub.Y = b.Finish(d.Features())
	if d.Weights != nil {
		sub.Weights = pick(d.Weights, rows)
	}
	sub.Attributes = slices.Clone(d.Attributes)
	for k := range sub.Attributes {
		sub.Attributes[k].Codes = pick(sub.Attributes[k].Codes, rows)
	}
	return &sub
}

// pick returns the elements of s at the given indices.
func pick[T any](s []T, indices []int) []T {
	picked := make([]T, len(indices))
	for k, i := range indices {
		picked[k] = s[i]
	}
	return picked
}
