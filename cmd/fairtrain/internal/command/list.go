package command

import (
	"regexp"
	"strings"

	"github.com/urfave/cli/v2"
)

// List returns the items of a flag that takes several: with commas in between, or repeated. A comma in
// quotes or brackets belongs to its item, as in '"Yes, both"' and age[25,45], and so does one in a
// constraint, unless another constraint follows.
func List(c *cli.Context, flag string) (items []string) {
	for _, value := range c.StringSlice(flag) {
		if flag == "constraint" {
			items = append(items, splitConstraints(value)...)
		} else {
			items = append(items, splitList(value)...)
		}
	}
	return items
}

// nextConstraint matches the comma before a further constraint.
var nextConstraint = regexp.MustCompile(`,(?:none(?:,|$)|[a-z]+(?:-[a-z]+)*:)`)

func splitConstraints(value string) (items []string) {
	for {
		at := nextConstraint.FindStringIndex(value)
		if at == nil {
			return append(items, value)
		}
		items, value = append(items, value[:at[0]]), value[at[0]+1:]
	}
}

func splitList(value string) (items []string) {
	opened, quoted, depth, from := false, false, 0, 0 // opened: the item begins with a quote
	end := func(to int) {
		item := strings.TrimSpace(value[from:to])
		if len(item) > 1 && item[0] == '"' && item[len(item)-1] == '"' {
			item = strings.ReplaceAll(item[1:len(item)-1], `""`, `"`)
		}
		items, opened, quoted, depth = append(items, item), false, false, 0
	}
	for k, r := range value {
		switch {
		case r == '"' && (opened || strings.TrimSpace(value[from:k]) == ""):
			opened, quoted = true, !quoted
		case quoted:
		case r == '[':
			depth++
		case r == ']':
			depth--
		case r == ',' && depth <= 0:
			end(k)
			from = k + 1
		}
	}
	end(len(value))
	return items
}
