// Package seal makes JSON files show whether they hold what was written to them.
//
// A sealed file has, at some depth, the key "seal" with the SHA-256 of its own bytes, with
// Blank in place of the seal, and of other bytes that belong to it. The seal shows damage
// and editing mistakes; it is no signature.
package seal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"regexp"
	"strings"
)

// Blank is the value of the key before Close.
var Blank = strings.Repeat("0", hex.EncodedLen(sha256.Size))

var field = regexp.MustCompile(`"seal":\s*"([0-9a-f]{64})"`)

// Close replaces the blank seal in the text of a JSON file.
func Close(text []byte, belongings ...[]byte) []byte {
	closed := bytes.Clone(text)
	found := field.FindSubmatchIndex(text)
	copy(closed[found[2]:found[3]], sum(text, belongings))
	return closed
}

// Check returns an error unless the file and the bytes that belong to it are unchanged
// since Close.
func Check(text []byte, belongings ...[]byte) error {
	found := field.FindSubmatchIndex(text)
	if found == nil {
		return errors.New("it has no seal")
	}
	from, to := found[2], found[3]
	blank := bytes.Clone(text)
	copy(blank[from:to], Blank)
	if sum(blank, belongings) != string(text[from:to]) {
		return errors.New("it is not what was written")
	}
	return nil
}

// sum is the hash of the hashes of the parts, so that nothing moves from one to another
// unnoticed.
func sum(text []byte, belongings [][]byte) string {
	total := sha256.New()
	for _, part := range append([][]byte{text}, belongings...) {
		one := sha256.Sum256(part)
		total.Write(one[:])
	}
	return hex.EncodeToString(total.Sum(nil))
}
