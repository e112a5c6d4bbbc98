package tomlguard

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	deep := strings.Repeat("a.", 1000)
	for name, text := range map[string]string{
		"values":           "a.b.c = [1.5, [2.5]] # " + deep + "\n[x]\ny = {z = 1.5}\n",
		"strings":          "a = \"" + deep + "\\\"" + deep + "\"\nb = '" + deep + "'\nc = '''\n" + deep + strings.Repeat("[", 100) + "'''\n",
		"many":             strings.Repeat("a.b = [{c.d = 1}]\n", 10000),
		"an open string":   "a = \"x\nb = 1\n",
		"ends in a string": "a = \"\\",
		"nothing":          "",
	} {
		if err := Check([]byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{
		"deep key":           "x = 1\n" + deep + "a = 1\n",
		"deep quoted key":    "x = 1\n" + strings.Repeat(`"a".`, 1000) + "a = 1\n",
		"deep spaced key":    "x = 1\n" + strings.Repeat(`a . `, 1000) + "a = 1\n",
		"deep table":         "x = 1\n[" + deep + "a]\n",
		"deep key in a list": "x = 1\ny = [{" + deep + "a = 1}]\n",
		"lists":              "x = 1\ny = " + strings.Repeat("[", 1000) + "\n",
		"tables":             "x = 1\ny = " + strings.Repeat("{a=", 1000) + "\n",
	} {
		if err := Check([]byte(text)); err == nil || !strings.Contains(err.Error(), "line 2: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if Check(make([]byte, mostBytes+1)) == nil {
		t.Error("a huge file is accepted")
	}
}
