package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// HashOfFiles returns the hash of the content of files, given those of each: that of the only one, or
// the SHA-256 of the hashes of several, one a line.
func HashOfFiles(hashes []string) string {
	if len(hashes) == 1 {
		return hashes[0]
	}
	all := sha256.New()
	for _, hash := range hashes {
		fmt.Fprintln(all, hash)
	}
	return hex.EncodeToString(all.Sum(nil))
}
