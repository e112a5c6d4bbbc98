package checks

import (
	"iter"
	"math"
	"slices"
)

// A panel has several rows of each of many people, as many of everybody. leastPeople keeps out what
// is balanced by design, such as the months of some years.
const leastPeople, mostTimes = 100, 100

// MayBePanel reports whether so many rows of so many distinct values may be a panel.
func MayBePanel(distinct, rows int) bool {
	return distinct >= leastPeople && 2*distinct <= rows && rows <= mostTimes*distinct
}

// Panel returns the number of people and the number of rows that each of them has, if these are
// counts of rows with each value of a panel. Otherwise times is 0.
func Panel(counts iter.Seq[int]) (people, times int) {
	for n := range counts {
		if people == 0 {
			times = n
		}
		if people++; n != times || n < 2 || n > mostTimes {
			return 0, 0
		}
	}
	if people < leastPeople {
		return 0, 0
	}
	return people, times
}

// PanelOfNumbers is Panel for whole numbers, of which none is missing.
func PanelOfNumbers(numbers []float64) (people, times int) {
	if len(numbers) < 2*leastPeople || !repeatAlike(numbers) ||
		slices.ContainsFunc(numbers, func(v float64) bool { return !isWhole(v) }) {
		return 0, 0
	}
	return Panel(runs(slices.Sorted(slices.Values(numbers))))
}

func isWhole(v float64) bool { return v == math.Trunc(v) } // NaN is not

// repeatAlike reports whether a few of some numbers are whole and in as many rows each, as those of
// a panel. Hardly any other column has such numbers, and to count them takes little of the time of
// sorting all.
func repeatAlike(numbers []float64) bool {
	var few [4]float64
	for k := range few {
		if few[k] = numbers[k*len(numbers)/len(few)]; !isWhole(few[k]) {
			return false
		}
	}
	var times [len(few)]int // counted in one pass, as most of its time goes into reading memory
	for _, v := range numbers {
		for k, of := range few {
			if v == of {
				times[k]++
			}
		}
	}
	return times[0] > 1 && times[0] <= mostTimes && times == [len(few)]int{times[0], times[0], times[0], times[0]}
}

// runs yields how often each value occurs among sorted ones.
func runs(sorted []float64) iter.Seq[int] {
	return func(yield func(int) bool) {
		from := 0
		for i, v := range sorted {
			if i+1 < len(sorted) && sorted[i+1] == v {
				continue
			}
			if !yield(i + 1 - from) {
				return
			}
			from = i + 1
		}
	}
}
