// Pass measures what a pass over packed rows costs: to read the file once, as cat does; to open it,
// which checks all of it; and to evaluate objective, constraint and their gradients at all
// rows. It prints the table of docs/scale.md:
//
//	fairtrain data pack --rows 1e7 --out c1e7.fpk synthetic
//	go run ./examples/pass c1e7.fpk
//
// What a pass would cost if memory were no slower than arithmetic is measured by rows so few that the
// caches of the processor hold them.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"time"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/packed"
	"github.com/fairtrain/fairtrain/examples/peers"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/problem"
)

func main() {
	constraint := flag.String("constraint", "demographic-parity:group=72,bound=0.02", "the `constraint`")
	rounds := flag.Int("rounds", 3, "`times` that everything is measured; medians are printed")
	few := flag.Int("few", 4096, "`rows` that fit into the caches of a processor")
	flag.Parse()
	c, err := model.ParseConstraint(*constraint)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("| rows | file | bytes a row | reading, warm | opening | a pass, one core | a row | a row in the cache | ratio " +
		"| a pass, all cores |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
	for _, path := range flag.Args() {
		found, err := measure(path, c, max(1, *rounds), *few)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(found)
	}
}

// cost is what was measured of a file, in seconds: medians.
type cost struct {
	rows                   int
	bytes                  int64
	reading, opening       float64
	all, one, cachedPerRow float64 // a pass by all cores, by one, a row in the cache
}

func (c cost) String() string {
	rows := float64(c.rows)
	return fmt.Sprintf("| %.0e | %.3g GB | %.1f | %.3g s | %.3g s | %.3g s | %.1f ns | %.1f ns | %.2f | %.3g s |",
		rows, float64(c.bytes)/1e9, float64(c.bytes)/rows, c.reading, c.opening,
		c.one, c.one/rows*1e9, c.cachedPerRow*1e9, c.one/rows/c.cachedPerRow, c.all)
}

// measure measures a file, and a few of its first rows.
func measure(path string, c model.Constraint, rounds, few int) (cost, error) {
	result := cost{}
	list := make([]cost, rounds)
	for k := range list {
		var err error
		of := &list[k]
		of.reading = seconds(func() { result.bytes, err = read(path) })
		if err != nil {
			return result, err
		}
		var f *packed.File
		of.opening = seconds(func() { f, err = packed.Open(path, 0) })
		if err != nil {
			return result, err
		}
		result.rows = f.Data.Rows()
		pass, err := passes(f.Data, c)
		if err != nil {
			return result, err
		}
		some := first(f.Data, few)
		cached, err := passes(some, c)
		if err != nil {
			return result, err
		}
		of.all = seconds(pass)
		procs := runtime.GOMAXPROCS(1)
		of.one = seconds(pass)
		const times = 1000
		of.cachedPerRow = seconds(func() {
			for range times {
				cached()
			}
		}) / times / float64(some.Rows())
		runtime.GOMAXPROCS(procs)
	}
	median := func(value func(cost) float64) float64 {
		return peers.Median(rounds, func(k int) float64 { return value(list[k]) })
	}
	result.reading = median(func(c cost) float64 { return c.reading })
	result.opening = median(func(c cost) float64 { return c.opening })
	result.all = median(func(c cost) float64 { return c.all })
	result.one = median(func(c cost) float64 { return c.one })
	result.cachedPerRow = median(func(c cost) float64 { return c.cachedPerRow })
	return result, nil
}

func seconds(f func()) float64 {
	begin := time.Now()
	f()
	return time.Since(begin).Seconds()
}

// read reads a file from its beginning to its end, and returns how many bytes it has.
func read(path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	// Nothing but the two methods, so that the bytes do go through the buffer.
	return io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{f}, make([]byte, 1<<17))
}

// first returns the first rows of d, in the memory of the program.
func first(d *dataset.Dataset, rows int) *dataset.Dataset {
	list := make([]int, min(rows, d.Rows()))
	for i := range list {
		list[i] = i
	}
	return d.Pick(list, d.Name)
}

// passes states the problem, and returns what evaluates it exactly, each time at another point.
func passes(d *dataset.Dataset, c model.Constraint) (pass func(), err error) {
	p, err := model.New(d, d, []model.Constraint{c}, model.DefaultOptions())
	if err != nil {
		return nil, err
	}
	n, m := p.Dims()
	x, v := make([]float64, n), problem.NewValues(n, m)
	for j := range x {
		x[j] = float64(j%5-2) / 8
	}
	return func() {
		x[0] = -x[0] // values of the same point are known
		p.Exact(v, x)
	}, nil
}
