package seal

import (
	"bytes"
	"testing"
)

// TestEveryByte changes, deletes and doubles every byte of a sealed file and of what
// belongs to it.
func TestEveryByte(t *testing.T) {
	text := Close([]byte(`{"a": 1, "seal": "`+Blank+`", "b": [2, "x"]}`), []byte("1,2\n"), []byte("3\n"))
	parts := [][]byte{text, []byte("1,2\n"), []byte("3\n")}
	if err := Check(parts[0], parts[1:]...); err != nil {
		t.Fatal(err)
	}
	for k, part := range parts {
		for i := range part {
			for name, changed := range map[string][]byte{
				"flipped": append(append(bytes.Clone(part[:i]), part[i]^1), part[i+1:]...),
				"deleted": append(bytes.Clone(part[:i]), part[i+1:]...),
				"doubled": append(bytes.Clone(part[:i+1]), part[i:]...),
			} {
				if bytes.Equal(changed, part) {
					continue
				}
				damaged := append([][]byte{}, parts...)
				damaged[k] = changed
				if Check(damaged[0], damaged[1:]...) == nil {
					t.Errorf("part %d, byte %d %s: not noticed", k, i, name)
				}
			}
		}
	}
	if Check(text, []byte("1,2\n3\n")) == nil {
		t.Error("bytes that moved from one part to another: not noticed")
	}
}
