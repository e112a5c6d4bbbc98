//go:build !noasm

package wide

import "testing"

// inEveryWay runs a test with each kind of the instructions that the processor has.
func inEveryWay(t *testing.T, test func(t *testing.T)) {
	if !Available {
		t.Skip("this processor has neither AVX-512 nor AVX2")
	}
	if has512 {
		t.Run("AVX-512", test)
	}
	if has256 {
		defer func(had bool) { has512 = had }(has512)
		has512 = false
		t.Run("AVX2", test)
	}
}
