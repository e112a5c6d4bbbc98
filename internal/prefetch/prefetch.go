// Package prefetch asks the processor for memory that is to be read soon. Some processors read ahead by themselves;
// others, such as those of some virtual machines, do so only as far as they look ahead in the program. There a loop
// that does some work with each number, none of which is in a cache, takes half the time (BenchmarkParts).
package prefetch

import (
	"iter"
	"unsafe"
)

// inLine is how many numbers the processor reads at a time.
const inLine = 64 / 8

// Read asks for numbers.
func Read(numbers []float64) {
	if n := len(numbers); n > 0 {
		read(unsafe.SliceData(numbers), (n+inLine-1)/inLine)
	}
}

// Places asks for values of a list: for each place, those from the index place·stride on, so many. They need not be in
// the list.
func Places[T any](list []T, places []int, stride, values int) {
	if len(list) == 0 || len(places) == 0 || values == 0 {
		return
	}
	size := int(unsafe.Sizeof(list[0]))
	readPlaces(unsafe.Pointer(unsafe.SliceData(list)), unsafe.SliceData(places), len(places), stride*size, values*size)
}

// Parts yields numbers in parts of a kilobyte. Each has been asked for while the part before was read.
func Parts(numbers []float64) iter.Seq[[]float64] {
	const size = 1 << 10 / 8
	return func(yield func([]float64) bool) {
		for len(numbers) > 0 {
			part := numbers[:min(size, len(numbers))]
			numbers = numbers[len(part):]
			Read(numbers[:min(size, len(numbers))])
			if !yield(part) {
				return
			}
		}
	}
}
