package prefetch

import "testing"

// TestParts: the parts are the numbers, one after the other, and none is large.
func TestParts(t *testing.T) {
	for _, n := range []int{0, 1, 127, 128, 129, 1000} {
		numbers := make([]float64, n)
		for k := range numbers {
			numbers[k] = float64(k)
		}
		at := 0
		for part := range Parts(numbers) {
			if len(part) == 0 || len(part) > 128 || &part[0] != &numbers[at] {
				t.Fatalf("%d of %d: a part of %d", at, n, len(part))
			}
			at += len(part)
		}
		if at != n {
			t.Errorf("parts end at %d of %d", at, n)
		}
		for k, v := range numbers {
			if v != float64(k) {
				t.Fatalf("number %d became %v", k, v)
			}
		}
	}
}

// BenchmarkParts counts numbers that are in no cache, in parts and as they are.
func BenchmarkParts(b *testing.B) {
	numbers := make([]float64, 1<<25)
	for k := range numbers {
		numbers[k] = float64(k)
	}
	count := func(numbers []float64, of float64) (n int) {
		for _, v := range numbers {
			if v == of {
				n++
			}
		}
		return n
	}
	for _, way := range []string{"plain", "parts"} {
		b.Run("way="+way, func(b *testing.B) {
			b.SetBytes(int64(8 * len(numbers)))
			for b.Loop() {
				n := 0
				if way == "plain" {
					n = count(numbers, 7)
				} else {
					for part := range Parts(numbers) {
						n += count(part, 7)
					}
				}
				if n != 1 {
					b.Fatal(n)
				}
			}
		})
	}
}
