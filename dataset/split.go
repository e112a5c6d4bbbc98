package dataset

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/internal/memory"
	"github.com/fairtrain/fairtrain/internal/rng"
)

// Split splits the rows at random into a training and a test set, as SplitRows does.
func Split(d *Dataset, testFraction float64, seed uint64) (train, test *Dataset, err error) {
	trainRows, testRows, err := SplitRows(d.Rows(), nil, testFraction, seed)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	const perRow, perValue = 60, 20 // of both parts, while they grow
	if need := perRow*float64(d.Rows()) + perValue*float64(d.X.NNZ()); d.Mapped > 0 {
		if err := memory.Check("a copy of the rows of "+d.Name+", to hold some out,", need); err != nil {
			return nil, nil, err
		}
	}
	return d.Pick(trainRows, d.Name+" (train)"), d.Pick(testRows, d.Name+" (test)"), nil
}

// SplitRows splits the rows 0, …, rows−1 at random into training rows and test rows. The test rows
// are the given fraction of all, rounded to the nearest number. Both lists ascend. Rows of equal
// units are on one side, and the fraction is one of units; nil means that each row is its own. The
// split depends on the arguments only.
func SplitRows(rows int, units []uint64, testFraction float64, seed uint64) (train, test []int, err error) {
	return split(rows, units, testFraction, rng.New(seed, "split"))
}

// HoldOut splits as SplitRows does, with random numbers of its own: SplitRows can split the rest. One
// row of each unit that is held out is listed, drawn at random.
func HoldOut(rows int, units []uint64, fraction float64, seed uint64) (rest, heldOut []int, err error) {
	rest, all, err := split(rows, units, fraction, rng.New(seed, "aside"))
	if err != nil || units == nil {
		return rest, all, err
	}
	seen := map[uint64]bool{}
	for _, k := range rng.New(seed, "aside", "one of each").Perm(len(all)) {
		if u := units[all[k]]; !seen[u] {
			seen[u], heldOut = true, append(heldOut, all[k])
		}
	}
	slices.Sort(heldOut)
	return rest, heldOut, nil
}

func split(rows int, units []uint64, testFraction float64, r *rand.Rand) (train, test []int, err error) {
	number := map[uint64]int{} // of each unit
	for _, u := range units {
		if _, known := number[u]; !known {
			number[u] = len(number)
		}
	}
	parts := rows
	if units != nil {
		parts = len(number)
	}
	if !(testFraction > 0 && testFraction < 1) {
		return nil, nil, fmt.Errorf("test fraction %v, must be between 0 and 1", testFraction)
	}
	n := int(testFraction*float64(parts) + 0.5)
	if n == 0 || n == parts {
		return nil, nil, fmt.Errorf("a test fraction of %v of %d rows leaves one side empty", testFraction, parts)
	}
	order := r.Perm(parts)
	slices.Sort(order[:n])
	slices.Sort(order[n:])
	if units == nil {
		return order[n:], order[:n], nil
	}
	for i, u := range units {
		if _, isTest := slices.BinarySearch(order[:n], number[u]); isTest {
			test = append(test, i)
		} else {
			train = append(train, i)
		}
	}
	return train, test, nil
}

// Pick returns the listed rows of d, each as often as it is listed, under another name. The hash
// stays: it names the content that the rows are picked from. What values they lack is not known if
// some of d do.
func (d *Dataset) Pick(rows []int, name string) *Dataset {
	var b sparse.Builder
	for _, i := range rows {
		for j, v := range d.X.Row(i) {
			b.Push(uint32(j), v)
		}
		b.EndRow(d.Y[i])
	}
	picked := *d
	picked.Name, picked.Mapped, picked.Unknown, picked.Outside, picked.Far = name, 0, nil, nil, nil
	if len(d.Missing) > 0 {
		picked.Missing = nil
	}
	picked.X, picked.Y = b.Finish(d.Features())
	if d.Weights != nil {
		picked.Weights = Pick(d.Weights, rows)
	}
	picked.Attributes = slices.Clone(d.Attributes)
	for k, a := range d.Attributes {
		picked.Attributes[k] = a.Pick(rows)
	}
	return &picked
}

// Pick returns the attribute of the listed rows.
func (a Attribute) Pick(rows []int) Attribute {
	a.Codes = a.Codes.pick(rows)
	if a.Numbers != nil {
		a.Numbers = Pick(a.Numbers, rows)
	}
	return a
}

// Pick returns the elements of s at the given indices.
func Pick[T any](s []T, indices []int) []T {
	out := make([]T, len(indices))
	for k, i := range indices {
		out[k] = s[i]
	}
	return out
}
