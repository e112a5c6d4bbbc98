package command

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, test := range []struct {
		what func(string) bool
		text string
		want bool
	}{
		{Scores, "score,decision\n0.5,yes\n", true},
		{Scores, "id,score,decision,points,reason_1,contribution_1\r\n", true},
		{Scores, `{"rows":3,"positives":1,"threshold":0.5,"scores":[`, true},
		{Scores, "score,decision,note\n0.5,yes,called twice\n", false}, // somebody's work
		{Scores, "name\nscore,decision\n", false},
		{Scores, "", false},
		{Report, "# Title\n\n<!-- fairtrain-report -->\n", true},
		{Report, `{"format": "fairtrain-report/2"`, true},
		{Report, "# What I think of fairtrain\n", false},
		{Packed, "\x89FTPACK\n\x03", true},
		{Packed, "\n\x89FTPACK\n", false},
	} {
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := test.what(path); got != test.want {
			t.Errorf("%q: %v", test.text, got)
		}
	}
	if Scores(path + ".missing") {
		t.Error("a missing file is a result")
	}
}
