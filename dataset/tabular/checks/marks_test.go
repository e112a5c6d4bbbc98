package checks

import "testing"

func TestMarks(t *testing.T) {
	for value, want := range map[string]bool{".": true, "-": true, "k. A.": true, "k.A.": true, "n/a": true, "Unknown": true, "--": true, "no": false, "0": false, "refused": false, "a.": false} {
		if got := IsMark(value); got != want {
			t.Errorf("%q: %v", value, got)
		}
	}
	for _, c := range []struct {
		levels []string
		mark   string
	}{
		{[]string{"male", ".", "female"}, "."},
		{[]string{"+", "-", "?"}, ""},
		{[]string{"yes", "-"}, ""},
		{[]string{"a", "b", "c"}, ""},
	} {
		if mark, found := FindMark(c.levels); mark != c.mark || found != (c.mark != "") {
			t.Errorf("%q: %q", c.levels, mark)
		}
	}
}
