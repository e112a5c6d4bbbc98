// Package memory is the budget of memory of the program. Code whose memory depends on the
// size of its input asks before it allocates. So too large an input ends with an error
// that names it, and not with the system killing the process.
package memory

import (
	"cmp"
	"fmt"
	"math"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
)

// budget in bytes; 0 is none.
var budget atomic.Int64

// SetBudget sets the memory that the program may use, in bytes; 0 is any. The garbage
// collector works harder as it comes near.
func SetBudget(bytes int64) {
	budget.Store(bytes)
	debug.SetMemoryLimit(cmp.Or(bytes, math.MaxInt64))
}

// Budget is the budget in bytes, 0 for none.
func Budget() int64 { return budget.Load() }

// Default is half of the memory that the system gives the program, or GOMEMLIMIT if that is less; 0
// if neither is known.
func Default() int64 {
	half := available() / 2
	switch {
	case environment <= 0 || environment == math.MaxInt64:
		return half
	case half == 0:
		return environment
	}
	return min(half, environment)
}

// environment is the limit that GOMEMLIMIT sets, by default the largest number; 0 says nothing.
var environment = debug.SetMemoryLimit(-1)

// Fits reports whether something may take so many bytes.
func Fits(bytes float64) bool {
	most := budget.Load()
	return most == 0 || bytes <= float64(most)
}

// Check returns an error unless what may take so many bytes.
func Check(what string, bytes float64) error {
	if Fits(bytes) {
		return nil
	}
	return &Error{What: what, Bytes: bytes, Budget: budget.Load()}
}

// Error says what does not fit into the budget.
type Error struct {
	What   string
	Bytes  float64 // that it takes
	Budget int64
}

func (e *Error) Error() string {
	budget := float64(e.Budget)
	digits := usualDigits
	for digits < mostDigits && format(e.Bytes, digits) == format(budget, digits) {
		digits++
	}
	return fmt.Sprintf("%s would take about %s of memory, the budget is %s", e.What,
		format(e.Bytes, digits), format(budget, digits))
}

const (
	usualDigits = 3
	mostDigits  = 17 // tell any two numbers apart
)

var units = []struct {
	name  string
	bytes float64
}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}}

// format writes a number of bytes with a unit.
func format(bytes float64, digits int) string {
	for _, u := range units {
		if bytes >= u.bytes {
			return fmt.Sprintf("%.*g %s", digits, bytes/u.bytes, u.name)
		}
	}
	return "0 B"
}

// Parse reads a number of bytes, such as 4GB or 500 MB.
func Parse(text string) (int64, error) {
	number, unit := strings.ToUpper(strings.TrimSpace(text)), 1.0
	for _, u := range units {
		if rest, ok := strings.CutSuffix(number, strings.ToUpper(u.name)); ok {
			number, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !(v*unit >= 1 && v*unit < 1e18) {
		return 0, fmt.Errorf("%q is not an amount of memory, expected a number with a unit such as 500MB or 4GB", text)
	}
	return int64(v * unit), nil
}
