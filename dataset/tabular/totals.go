package tabular

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
	"github.com/fairtrain/fairtrain/internal/names"
)

// ofTotals finds what spreadsheets call a row of sums or means.
var ofTotals = regexp.MustCompile(`^(?i)(?:grand |sub-?)?(?:totals?|sums?|summe|gesamt|insgesamt|overall|average|mean|` +
	`mittelwert|durchschnitt|somme|moyenne|suma|media|totale|totaal|itogo|итого|合计)[.: ]*$`)

// leaveTotalsOut leaves the last row out if it adds up the rows above it: nobody is described by it.
func (t *tableReader) leaveTotalsOut() {
	if t.totals > 0 {
		t.note("", Totals, fmt.Sprintf("total rows without a label are left out: %d", t.totals), "")
	}
	last := t.Rows - 1
	if last < fewRows || t.schema.Others == Drop || len(t.opts.Each) > 0 {
		return
	}
	var sums, words []string
	for _, c := range t.columns {
		switch {
		case c.addsUp(last):
			sums = append(sums, c.name)
		case c.isLastLevel(last) && ofTotals.MatchString(c.level[len(c.level)-1]):
			words = append(words, fmt.Sprintf("%q", c.level[len(c.level)-1]))
		}
	}
	why := "it adds up the rows above: " + names.Line(strings.Join(sums, ", "))
	switch {
	case words != nil && sums == nil:
		why = "a total row, by its name " + strings.Join(words, ", ")
	case words != nil:
		why += ", and is called " + strings.Join(words, ", ")
	case sums == nil:
		return
	}
	t.note("", Totals, "the last row is left out: "+why, "")
	for _, c := range t.columns {
		c.dropLast(last)
	}
	t.Rows = last
	if t.Identities != nil {
		t.Identities = t.Identities[:last]
	}
}

// isTotal reports whether a row is called a total.
func (t *tableReader) isTotal(r *rows, row int32) bool {
	for k := range r.columns {
		if ofTotals.MatchString(r.value(row, k)) {
			return true
		}
	}
	return false
}

// hasTotalLevels reports whether other rows than the last one are called a total, too: then average,
// say, is a level of some column.
func (t *tableReader) hasTotalLevels() bool {
	return slices.ContainsFunc(t.columns, func(c *collector) bool {
		levels := c.level
		if c.isLastLevel(t.Rows - 1) {
			levels = levels[:len(levels)-1]
		}
		return slices.ContainsFunc(levels, ofTotals.MatchString)
	})
}

// isLastLevel reports whether the last row alone has its level.
func (c *collector) isLastLevel(last int) bool {
	if c.state != anything && c.state != categories || int(c.codes[last]) != len(c.level) || len(c.level) == 0 {
		return false
	}
	return c.count()[len(c.level)] == 1
}

// addsUp reports whether the last number of the column is the sum of the others, and larger than any
// of them.
func (c *collector) addsUp(last int) bool {
	const fewest, digits = 10, 1e-6 // numbers that are not 0, and how exact the sum is
	sum, largest, n := 0.0, 0.0, 0
	add := func(v float64, rows int) {
		if v != 0 && rows > 0 {
			sum, largest, n = sum+v*float64(rows), max(largest, math.Abs(v)), n+rows
		}
	}
	total := math.NaN()
	switch c.state {
	case numbers:
		total = c.values[last]
		for _, v := range c.values[:last] {
			if !math.IsNaN(v) {
				add(v, 1)
			}
		}
	case anything, categories:
		if !c.isLastLevel(last) {
			return false
		}
		for k, rows := range c.count()[1:] {
			v, _, ok := numparse.Parse(c.level[k], numparse.Point)
			switch {
			case k == len(c.level)-1 && ok:
				total = v
			case ok:
				add(v, rows)
			}
		}
	}
	return n >= fewest && math.Abs(total) > largest && math.Abs(total-sum) <= digits*math.Abs(total)
}

// dropLast drops the last value.
func (c *collector) dropLast(last int) {
	switch c.state {
	case numbers:
		c.values = c.values[:last]
		if n := len(c.decimals.Doubts); n > 0 && c.decimals.Doubts[n-1].At == last {
			c.decimals.Doubts = c.decimals.Doubts[:n-1]
		}
	case hashes:
		c.hashed = c.hashed[:last]
	case anything, categories:
		if n := len(c.level) - 1; c.isLastLevel(last) {
			delete(c.index, c.level[n])
			c.level, c.seen = c.level[:n], c.seen[:n]
		}
		c.codes = c.codes[:last]
	}
}
