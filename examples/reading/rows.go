package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
)

// column is a column of a table: one of some levels, a whole number, or a decimal.
type column struct {
	name      string
	prefix    string  // of a level
	below     int     // number of levels, or of whole numbers from 0
	decimals  int     // digits behind the point; 0 for levels and whole numbers
	low, high float64 // of decimals
}

// mixed are ten columns of levels, five of whole numbers, fourteen of decimals and a label.
func mixed() (list []column) {
	for k, levels := range []int{2, 3, 4, 7, 9, 16, 41, 100, 300, 1000} {
		prefix := []string{"Level-", "l", "Some-level-"}[k%3]
		list = append(list, column{name: fmt.Sprintf("c%d", k), prefix: prefix, below: levels})
	}
	for k, below := range []int{10, 70, 100, 5000, 100000} {
		list = append(list, column{name: fmt.Sprintf("i%d", k), below: below})
	}
	for k := range 14 {
		list = append(list, column{name: fmt.Sprintf("x%02d", k), low: -300, high: 700, decimals: 1 + k%4})
	}
	return append(list, column{name: "y", below: 2})
}

// short are columns of short values: ten of levels, ten of whole numbers, nine of decimals and a label. They take
// 6 bytes a value, with what is between two.
func short() (list []column) {
	for k := range 29 {
		list = append(list, []column{
			{name: fmt.Sprintf("c%d", k), prefix: "lev", below: 100},
			{name: fmt.Sprintf("i%d", k), below: 100000},
			{name: fmt.Sprintf("x%d", k), high: 100, decimals: 2},
		}[k%3])
	}
	return append(list, column{name: "y", below: 2})
}

// draw draws a value of the column. That of a decimal is in units of its last digit.
func (c column) draw(r *rand.Rand) int {
	if c.decimals > 0 {
		return int(math.Round((c.low + (c.high-c.low)*r.Float64()) * math.Pow10(c.decimals)))
	}
	return r.IntN(c.below)
}

// writer writes rows to a file.
type writer func(to io.Writer, rows int, r *rand.Rand) error

// csv writes a table as CSV.
func csv(list []column) writer {
	return func(to io.Writer, rows int, r *rand.Rand) error { return writeCSV(to, list, rows, r) }
}

func writeCSV(to io.Writer, list []column, rows int, r *rand.Rand) error {
	w := bufio.NewWriter(to)
	for k, c := range list {
		w.WriteString(c.name + separator(k, list))
	}
	var text []byte
	for range rows {
		for k, c := range list {
			v := c.draw(r)
			text = append(text[:0], c.prefix...)
			if c.decimals > 0 {
				text = strconv.AppendFloat(text, float64(v)/math.Pow10(c.decimals), 'f', c.decimals, 64)
			} else {
				text = strconv.AppendInt(text, int64(v), 10)
			}
			w.Write(append(text, separator(k, list)...))
		}
	}
	return w.Flush()
}

// separator is what follows a value of column k.
func separator(k int, list []column) string {
	if k == len(list)-1 {
		return "\n"
	}
	return ","
}

// compressed writes a table as CSV that is compressed.
func compressed(list []column) writer {
	return func(to io.Writer, rows int, r *rand.Rand) error {
		w, err := zstd.NewWriter(to)
		if err != nil {
			return err
		}
		if err := writeCSV(w, list, rows, r); err != nil {
			return err
		}
		return w.Close()
	}
}

// writeParquet writes the mixed table as a Parquet file, as other programs do by default: columns may
// be null, pages are compressed by Snappy, and levels and whole numbers are in dictionaries.
func writeParquet(to io.Writer, rows int, r *rand.Rand) error {
	const perGroup = 1 << 17
	list, group := mixed(), parquet.Group{}
	for _, c := range list {
		node := parquet.Leaf(parquet.DoubleType)
		switch {
		case c.prefix != "":
			node = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
		case c.decimals == 0:
			node = parquet.Encoded(parquet.Int(64), &parquet.RLEDictionary)
		}
		group[c.name] = parquet.Optional(node)
	}
	w := parquet.NewWriter(to, parquet.NewSchema("people", group), parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(perGroup))
	for range rows {
		var row parquet.Row
		for k, c := range list { // which are in the order of their names, as those of a group are
			row = append(row, c.value(c.draw(r)).Level(0, 1, k))
		}
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			return err
		}
	}
	return w.Close()
}

// value returns a value as Parquet files have it.
func (c column) value(v int) parquet.Value {
	switch {
	case c.prefix != "":
		return parquet.ByteArrayValue(strconv.AppendInt([]byte(c.prefix), int64(v), 10))
	case c.decimals > 0:
		return parquet.DoubleValue(float64(v) / math.Pow10(c.decimals))
	}
	return parquet.Int64Value(int64(v))
}

// writeIndicators writes LIBSVM rows as those of a9a: one feature of each of 14 groups, which
// have 123 together, is 1.
func writeIndicators(to io.Writer, rows int, r *rand.Rand) error {
	return writeLIBSVM(to, rows, r, func() string { return "1" })
}

// writeNumbers writes LIBSVM rows with the same features, but of numbers.
func writeNumbers(to io.Writer, rows int, r *rand.Rand) error {
	return writeLIBSVM(to, rows, r, func() string { return strconv.FormatFloat(r.NormFloat64(), 'g', 6, 64) })
}

func writeLIBSVM(to io.Writer, rows int, r *rand.Rand, value func() string) error {
	const groups, features = 14, 123
	w := bufio.NewWriter(to)
	for range rows {
		w.WriteString([]string{"-1", "+1"}[r.IntN(2)])
		for g := range groups {
			first, end := g*features/groups, (g+1)*features/groups
			w.WriteString(" " + strconv.Itoa(1+first+r.IntN(end-first)) + ":" + value())
		}
		w.WriteByte('\n')
	}
	return w.Flush()
}
