package command

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/internal/names"
)

func TestSplitList(t *testing.T) {
	for value, want := range map[string][]string{
		"a,b,c":                        {"a", "b", "c"},
		"a, b":                         {"a", "b"},
		"a b":                          {"a b"},
		"":                             {""},
		`"Yes, both",no`:               {"Yes, both", "no"},
		`5" pipe,6`:                    {`5" pipe`, "6"},
		"age[25,45],sex*race,age[,30]": {"age[25,45]", "sex*race", "age[,30]"},
		"race=A|B,sex":                 {"race=A|B", "sex"},
		">0":                           {">0"},
		"batch=10,eta=0.1":             {"batch=10", "eta=0.1"},
	} {
		if got := splitList(value); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
	for value, want := range map[string]int{
		"demographic-parity:group=sex,bound=0.02":                                    1,
		"demographic-parity:group=age[25,45],bound=0.02,share:group=sex=f,omega=0.3": 2,
		"none,none": 2,
	} {
		if got := splitConstraints(value); len(got) != want || strings.Join(got, ",") != value {
			t.Errorf("%s: %q, want %d", value, got, want)
		}
	}
}

// TestListItem: whatever an item has in it, it is one item when it is read again.
func TestListItem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var words []string
		items := rapid.SliceOfN(rapid.StringMatching(`[a-c",\[\] ]{0,5}`), 1, 4).Draw(t, "items")
		for _, item := range items {
			words = append(words, names.ListItem(item))
		}
		if got := splitList(strings.Join(words, ",")); !slices.Equal(got, items) {
			t.Fatalf("%q, want %q", got, items)
		}
	})
}
