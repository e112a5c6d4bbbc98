package tomlfile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/internal/sidefile"
)

func TestDecode(t *testing.T) {
	type item struct {
		Name  string           `toml:"name"`
		Merge map[string][]int `toml:"merge,omitempty"`
	}
	for text, want := range map[string]string{
		"name = 'x'\n[merge]\na = [1]\n":     "",
		"name = 5":                           "f.toml:1:8: ",
		"\nname = [5]":                       "f.toml:2:8: ",
		"name = 1.5":                         "f.toml:1:8: ",
		"[name]":                             "f.toml:1:",
		"[name]\nx=1":                        "f.toml:1:",
		"name = ":                            "f.toml:1:7: ",
		"name = 'a'\nname = 'b'":             "f.toml:2:1: ",
		"merge = 5":                          "f.toml:1:9: ",
		"name = 'x'\nmerge = ['a']":          "f.toml:2:9: ",
		"[merge]\na = ['b']":                 "f.toml:2:",
		"[[items]]\n[[items]]\nmerge = true": "f.toml:3:9: ",
		"Merge = ['a']":                      "f.toml:1:9: ",
		"items = 'x'":                        "f.toml:1:9: ",
		"names = 'x'":                        `f.toml:1:1: unknown key "names", table "", not names`,
		"[[items]]\n[[items]]\n  b = 1":      `f.toml:3:3: unknown key "items.b", table "items", not b`,
		"[plot]":                             `f.toml:1:2: unknown key "plot", table "", not plot`,
		"name = '" + strings.Repeat("x", sidefile.Text) + "'": "f.toml: more than",
	} {
		var dst struct {
			Name  string           `toml:"name"`
			Merge map[string][]int `toml:"merge"`
			Items []item           `toml:"items"`
		}
		err := Decode("f.toml", strings.NewReader(text), &dst, func(table []string, last string) string {
			return fmt.Sprintf(", table %q, not %s", strings.Join(table, "."), last)
		})
		if want == "" && err != nil || !strings.HasPrefix(fmt.Sprint(err), want) && want != "" {
			t.Errorf("%.50q: error %v, want %q", text, err, want)
		}
	}
}

// TestDeep: what nests deeply neither exhausts memory nor the stack.
func TestDeep(t *testing.T) {
	n := sidefile.Text / 4
	for name, text := range map[string]string{
		"lists":  "x = 1\ny = " + strings.Repeat("[", 2*n-20) + strings.Repeat("]", 2*n-20) + "\n",
		"tables": "x = 1\ny = " + strings.Repeat("{a=", n-100) + "1" + strings.Repeat("}", n-100) + "\n",
	} {
		for _, dst := range []any{&map[string]any{}, &struct{ X int }{}} {
			if err := Decode("f.toml", strings.NewReader(text), dst, nil); err == nil ||
				!strings.HasPrefix(err.Error(), "f.toml:2:") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
