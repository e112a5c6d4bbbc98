package libsvm

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// TestParseShort compares with strconv, to the last bit.
func TestParseShort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		token := rapid.StringMatching(`-?[0-9]{0,10}\.?[0-9]{0,9}`).Draw(t, "token")
		got, ok := parseShort([]byte(token))
		want, err := strconv.ParseFloat(token, 64)
		if ok && (err != nil || got != want) {
			t.Fatalf("%q is %v, want %v (%v)", token, got, want, err)
		}
		if !ok && err == nil && len(token) <= 15 {
			t.Fatalf("%q, which is short, was left to strconv", token)
		}
	})
}
