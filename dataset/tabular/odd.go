package tabular

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// mostOdd is the largest number of distinct values that are no numbers in a column of numbers that
// is not declared. What programs write in place of a number does not count.
const mostOdd = 3

// oddValues are the values that are no numbers in a column of numbers: they count as missing.
type oddValues struct {
	rows     int
	examples []string // the first distinct ones, at most one more than mostOdd of each kind
	more     bool     // than the examples
	unknown  int      // of the examples, those that no program writes in place of a number
}

func (o *oddValues) add(value string, rows int) {
	o.rows += rows
	if slices.Contains(o.examples, value) {
		return
	}
	undefined := numparse.IsUndefined(value)
	if n := len(o.examples) - o.unknown; undefined && n > mostOdd || !undefined && o.unknown > mostOdd {
		o.more = true
		return
	}
	o.examples = append(o.examples, strings.Clone(value)) // which is part of a row's text
	if !undefined {
		o.unknown++
	}
}

// note lists the values, which are in a column of so many rows.
func (o *oddValues) note(rows int) string {
	others := ""
	if o.more {
		others = " and others"
	}
	return fmt.Sprintf("%s%s in %d of %d rows taken as missing", textfile.QuoteAll(o.examples), others, o.rows, rows)
}

// mixed is the reason why a column is neither numbers nor a category. It names no value, as models
// hold it.
const mixed = "many numbers, and other values, too many for a category"

// addOdd takes a value that is no number as a missing one. With too many of them, the column turns
// out to be neither numbers nor, as it has many numbers, a category.
func (c *collector) addOdd(value string) (fault string) {
	if c.odd.add(value, 1); !c.decided && c.odd.unknown > mostOdd {
		c.forget()
		c.reason, c.inTheWay = mixed, c.odd
		return ""
	}
	return c.addMissing()
}

// tryNumbers makes a column numeric if its levels are numbers, perhaps but for a few, and none is a
// code. A few numbers may be codes themselves: among them only what programs write in place of a
// number counts as missing.
func (c *collector) tryNumbers() {
	const least, most = 0.1, 0.9 // share of the rows that are numbers
	var odd oddValues
	var others []int
	numeric, distinct, count := 0, 0, c.count()
	for k, level := range c.level {
		switch rows := count[1+k]; {
		case numparse.IsCode(level):
			return
		case numparse.Is(level):
			numeric, distinct = numeric+rows, distinct+1
		default:
			odd.add(level, rows)
			others = append(others, k)
		}
	}
	if odd.unknown > mostOdd {
		if float64(numeric) >= most*float64(numeric+odd.rows) {
			c.inTheWay = odd
		}
		return
	}
	isFew := distinct <= fewDistinct || float64(numeric) < least*float64(numeric+odd.rows)
	if odd.unknown > 0 && isFew || distinct <= 2 {
		return
	}
	numbers := slices.Clone(c.level)
	for _, k := range others {
		numbers[k] = "0" // which has no unit, and decimals of neither mark
	}
	values, unit, d, ok := numparse.ReadAll(numbers, c.decimals.Mark)
	if !ok {
		if distinct > fewDistinct {
			c.units = numparse.SeveralUnits(numbers)
		}
		return
	}
	for _, k := range others {
		values[1+k] = math.NaN()
	}
	c.toNumbers(values, unit, d)
	c.odd = odd
}
