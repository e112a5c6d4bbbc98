package tomlguard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
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
		if err := check([]byte(text)); err != nil {
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
		if err := check([]byte(text)); err == nil || !strings.Contains(err.Error(), "line 2: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if check(make([]byte, mostBytes+1)) == nil {
		t.Error("a huge file is accepted")
	}
}

// TestDecodeTypes: a value of a wrong type is named in plain words, also where the parser would ignore it.
func TestDecodeTypes(t *testing.T) {
	type item struct {
		Name  string           `toml:"name"`
		Merge map[string][]int `toml:"merge,omitempty"`
	}
	for text, want := range map[string]string{
		"name = 'x'\n[merge]\na = [1]\n":     "",
		"name = 5":                           "f.toml:1: name: found a whole number, expected a text in quotes",
		"\nname = [5]":                       "f.toml:2: name: found a list, expected a text in quotes",
		"name = 1.5":                         "f.toml:1: name: found a number, expected a text in quotes",
		"[name]":                             "f.toml:1: name: found a table, expected a text in quotes",
		"merge = 5":                          "f.toml: line 1: merge: found a whole number, expected a table",
		"name = 'x'\nmerge = ['a']":          "f.toml: line 2: merge: found a list, expected a table",
		"[merge]\na = ['b']":                 "f.toml:2: merge.a: found a text in quotes, expected a whole number",
		"[[items]]\n[[items]]\nmerge = true": "f.toml: line 3: merge: found true or false, expected a table",
		"Merge = ['a']":                      "f.toml: line 1: Merge: found a list, expected a table",
		"items = 'x'":                        "f.toml:1: items: found a text in quotes, expected a list",
	} {
		var dst struct {
			Name  string           `toml:"name"`
			Merge map[string][]int `toml:"merge"`
			Items []item           `toml:"items"`
		}
		err := Decode("f.toml", strings.NewReader(text), &dst, nil)
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && got != want {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// TestPlaceOfUnknownKey: a key that is known elsewhere is looked for in its own table.
func TestPlaceOfUnknownKey(t *testing.T) {
	for text, want := range map[string]string{
		"[run]\nrecords = 10\n\n[tune]\n  records = 4\n":      "f.toml:5:3: unknown key \"tune.records\"",
		"[run]\nrecords = 10\n[other] # other\nrecords = 4\n": "f.toml:3:2: unknown key \"other\"",
		"[run]\nrecords = 1\n[[ item ]]\nname = 'x'\nb = 1":   "f.toml:5:1: unknown key \"item.b\"",
		"[run]\nrecords = 1\ntune.records = 2":                "f.toml:2:1: unknown key \"run.tune.records\"",
		"[\"\"]\nx = 1\n[tune]\ny = 2":                        "f.toml:1:4: unknown key \"\\\"\\\"\"",
	} {
		var dst struct {
			Run struct {
				Records int `toml:"records"`
			} `toml:"run"`
			Tune struct{} `toml:"tune"`
			Item []struct {
				Name string `toml:"name"`
			} `toml:"item"`
		}
		unknown := func(key toml.Key) (string, string) { return key[len(key)-1], "" }
		if err := Decode("f.toml", strings.NewReader(text), &dst, unknown); fmt.Sprint(err) != want {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}
