package libsvm

import "testing"

func TestIsLIBSVM(t *testing.T) {
	for text, want := range map[string]bool{
		"+1 1:1 3:0.5\n-1 2:1\n":            true,
		"# made by hand\n\n 1 7:1 # one\n":  true,
		"3:1 4:1\n":                         true,
		"+l 1:1 3:0.5\n-1 2:1\n":            true,
		"-1 qid:3 1:1\n":                    true,
		"age,job\n31,cook\n":                false,
		"31,cook,12:30\n":                   false,
		"A11 6 A34 A43 1169\n":              false,
		"6 A34 A43 1169\n":                  false,
		"1\n0\n":                            false,
		"|1x3 Cross validator\n25, x, y.\n": false,
		"":                                  false,
	} {
		if got := Detect([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
