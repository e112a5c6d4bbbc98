package encoding

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/internal/rng"
)

// crossed returns a table of a number with missing values and a category, and an encoding with their
// pair, learned on some of the rows.
func crossed(t *testing.T, rows []int) (*tabular.Table, *Encoding) {
	t.Helper()
	r, text := rng.New(1, "pairs"), strings.Builder{}
	text.WriteString("age,job,y\n")
	for i := range 600 {
		age := fmt.Sprint(20 + r.IntN(40))
		if i%5 == 0 {
			age = ""
		}
		fmt.Fprintf(&text, "%s,%s,%d\n", age, []string{"cook", "nurse", "smith"}[min(r.IntN(40)/19, 2)], i%2)
	}
	people := readTable(t, text.String(), nil)
	e, err := LearnShapes(people, rows, 32)
	if err != nil {
		t.Fatal(err)
	}
	columns := e.Coarse(people, rows, nil)
	return people, e.Cross(people, rows, columns[0], columns[1])
}

// TestCross: a cell of a pair has a feature if enough training rows have it, which is 1 in its rows.
func TestCross(t *testing.T) {
	people, e := crossed(t, nil)
	d, err := e.Apply(people, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, blocks := &e.Crosses[0], e.Blocks()
	pair := blocks[len(blocks)-1]
	if c.Name() != "age × job" || !slices.Equal(d.Blocks, e.Blocks()) || pair.Name != c.Name() || pair.End-pair.First != len(c.At) || len(e.Names()) != e.Width() {
		t.Errorf("%s has %d cells, and the rows %v", c.Name(), len(c.At), pair)
	}
	if first := e.Names()[pair.First]; !strings.HasPrefix(first, "age < ") || !strings.HasSuffix(first, " × job=cook") {
		t.Errorf("the first cell is %q", first)
	}
	ages, jobs := people.Column("age").Numbers, people.Column("job")
	edges := c.Columns[0].Edges
	bin := func(i int) int {
		if math.IsNaN(ages[i]) {
			return len(edges) + 1
		}
		k := 0
		for k < len(edges) && edges[k] <= ages[i] {
			k++
		}
		return k
	}
	rows, cells := map[[2]int][]int{}, map[int][]int{}
	for i := range people.Rows {
		at := [2]int{bin(i), int(jobs.Codes.At(i))}
		rows[at] = append(rows[at], i)
		for j := range d.X.Row(i) {
			if j >= pair.First {
				cells[j] = append(cells[j], i)
			}
		}
	}
	named := 0
	for at, of := range rows {
		found := slices.ContainsFunc(slices.Collect(maps.Values(cells)), func(cell []int) bool { return slices.Equal(cell, of) })
		if found != (len(of) >= e.Schema.LeastRows()) {
			t.Errorf("cell %v of %d rows: is a feature: %t", at, len(of), found)
		}
		if found {
			named++
		}
	}
	if named != len(c.At) || named == len(rows) {
		t.Errorf("%d cells of %d have a feature, want %d", len(c.At), len(rows), named)
	}
}

// TestCrossFile: a pair is the same after a model file, and one that fits nothing is refused.
func TestCrossFile(t *testing.T) {
	var some []int
	for i := range 200 {
		some = append(some, 3*i)
	}
	people, e := crossed(t, some)
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	read := new(Encoding)
	if err := json.Unmarshal(text, read); err != nil {
		t.Fatal(err)
	}
	if err := read.Validate(); err != nil || !read.Equal(e) {
		t.Fatalf("the encoding changed in a file: %v", err)
	}
	before, err := e.Apply(people, nil)
	if err != nil {
		t.Fatal(err)
	}
	after, err := read.Apply(people, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(dense(before), dense(after)); diff != "" {
		t.Error(diff)
	}
	for want, spoil := range map[string]func(c *Cross){
		`has 1 columns, must be 2`:              func(c *Cross) { c.Columns = c.Columns[:1] },
		`"town" is not a feature`:               func(c *Cross) { c.Columns[1].Column = "town" },
		`"job" is "shape" in it, but a feature`: func(c *Cross) { c.Columns[1].As = tabular.Shape },
		`at is [[0 9] `:                         func(c *Cross) { c.At[0][1] = 9 },
		`"job" has 100001 features in it`:       func(c *Cross) { c.Columns[1].Levels = make([]string, 100_000) },
		`must be numbers of features`:           func(c *Cross) { c.At[1] = c.At[0] },
	} {
		spoiled := new(Encoding)
		if err := json.Unmarshal(text, spoiled); err != nil {
			t.Fatal(err)
		}
		spoil(&spoiled.Crosses[0])
		if err := spoiled.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
