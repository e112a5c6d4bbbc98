// Coverage measures how often the intervals of package fairness contain the truth, for 2, 5
// and 10 groups of 12 to 10 000 rows and rates of 0, 0.05, 0.5 and 0.9: the coverage of one
// and of two shares by adding up the probabilities of all outcomes, all others by
// simulation. It prints the table of docs/intervals.md, the worst case of every cell:
//
//	go run ./examples/coverage
//
// which takes an hour or two; -trials 200 gives an idea in minutes.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"

	"golang.org/x/sync/errgroup"
)

const level = 0.95

var (
	numbers = []int{2, 5, 10} // of groups
	rates   = []float64{0, 0.05, 0.5, 0.9}
	sizes   = []int{12, 30, 100, 1000, 10000} // rows of a group
)

// apart is the true gap between the first group and all others, which have one of the
// rates: downwards where there is room.
const apart = 0.2

// gapped returns the rate of a group that is apart.
func gapped(rate float64) float64 {
	if rate > apart {
		return rate - apart
	}
	return rate + apart
}

// cell is a line of the table: the coverage of some intervals, by name.
type cell struct {
	groups, rows int
	rate         float64
	coverage     map[string]float64 // the lowest of several cases
}

// note lowers the coverage of a name to the coverage of one more case, if that is lower;
// NaN says that the case has no such interval.
func (c *cell) note(name string, coverage float64) {
	if worst, seen := c.coverage[name]; !math.IsNaN(coverage) && (!seen || coverage < worst) {
		c.coverage[name] = coverage
	}
}

func main() {
	log.SetFlags(0)
	trials := flag.Int("trials", 2000, "simulations of a cell")
	onlyRows := flag.Int("rows", 0, "only groups of so many rows")
	onlyGroups := flag.Int("groups", 0, "only so many groups")
	flag.Parse()
	if *onlyRows > 0 {
		sizes = []int{*onlyRows}
	}
	if *onlyGroups > 0 {
		numbers = []int{*onlyGroups}
	}
	shares, others, err := measure(*trials, 1000, sizes)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("Shares, by enumeration for one and two groups, else %d simulations:\n\n", 10**trials)
	print(os.Stdout, shares, []string{"share", "difference", "ratio", "difference, one apart", "ratio, one apart"})
	fmt.Printf("\nApproximate intervals, %d simulations:\n\n", *trials)
	print(os.Stdout, others, scoreColumns())
}

// measure returns the two tables.
func measure(trials, resamples int, sizes []int) (shares, others []*cell, err error) {
	populations := map[float64]*population{}
	for _, rate := range rates {
		for _, r := range []float64{rate, gapped(rate)} {
			if populations[r] == nil {
				populations[r] = newPopulation(r)
			}
		}
	}
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for _, groups := range numbers {
		for _, rows := range sizes {
			for _, rate := range rates {
				s := &cell{groups, rows, rate, map[string]float64{}}
				o := &cell{groups, rows, rate, map[string]float64{}}
				shares, others = append(shares, s), append(others, o)
				work.Go(func() error {
					s.measureShares(10 * trials)
					return o.measureScores(populations, trials, resamples)
				})
			}
		}
	}
	return shares, others, work.Wait()
}

func print(w io.Writer, cells []*cell, columns []string) {
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprintf(t, "| groups\t| rows\t| rate\t| %s\t|\n", strings.Join(columns, "\t| "))
	fmt.Fprintf(t, "|---:\t|---:\t|---:\t|%s\n", strings.Repeat("---:\t|", len(columns)))
	for _, c := range cells {
		fmt.Fprintf(t, "| %d\t| %d\t| %v", c.groups, c.rows, c.rate)
		for _, name := range columns {
			text := "–"
			if coverage, ok := c.coverage[name]; ok {
				text = fmt.Sprintf("%.3f", coverage)
			}
			fmt.Fprintf(t, "\t| %s", text)
		}
		fmt.Fprint(t, "\t|\n")
	}
	t.Flush()
}
