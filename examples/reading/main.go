// Reading measures how fast fairtrain reads files, beside pandas, DuckDB and scikit-learn where
// these are installed, and prints the table of docs/speed.md:
//
//	go run ./examples/reading
//	go run ./examples/reading people.csv     # on files of one's own
//
// It makes two tables of 10⁶ rows as CSV, plain and compressed, the first one as Parquet, too, and rows of LIBSVM.
// What is measured of fairtrain is data describe, which reads a file, finds out the types and
// levels of its columns, and computes its SHA-256; and, of tables, to read them, to learn their
// encoding and to encode them, as training does first.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/table"
	"github.com/fairtrain/fairtrain/examples/peers"
)

func main() {
	rows := flag.Int("rows", 1_000_000, "`rows` of the files that are made")
	rounds := flag.Int("rounds", 3, "`times` that every program reads a file, one program after the other")
	python := flag.String("python", "python3", "the `program` that has pandas, duckdb and sklearn")
	only := flag.String("encode", "", "read and encode `FILE`, print the seconds, and nothing else: what is measured")
	flag.Parse()
	if *only != "" {
		if err := encode(*only); err != nil {
			log.Fatal(err)
		}
		return
	}
	err := peers.InFolder(func(folder, fairtrain string) error {
		return measure(flag.Args(), folder, fairtrain, *rows, max(1, *rounds), *python)
	})
	if err != nil {
		log.Fatal(err)
	}
}

// encode reads a table and encodes it. It prints the seconds, without those of the start and the end of the process.
func encode(file string) error {
	begin := time.Now()
	t, err := catalogue.LoadTable(file, nil, nil, table.Options{})
	if err != nil {
		return err
	}
	e, err := encoding.Learn(t, nil)
	if err != nil {
		return err
	}
	if _, err = e.Apply(t, nil); err != nil {
		return err
	}
	fmt.Println(time.Since(begin).Seconds())
	return nil
}

// measure prints the table for some files, or for those that it makes in the folder.
func measure(files []string, folder, fairtrain string, rows, rounds int, python string) error {
	encoder, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Println("| file | read by | wall s | processor s | of which start | MB/s | fairtrain's wall time by its | processor time |\n" +
		"|---|---|---:|---:|---:|---:|---:|---:|")
	for _, file := range files {
		list := append([]reader{describe(file, fairtrain)}, others(file, python)...)
		if err := compare(file, list, rounds); err != nil {
			return err
		}
	}
	for _, m := range made {
		if len(files) > 0 {
			break
		}
		file := filepath.Join(folder, m.name)
		if err := peers.WriteFile(file, func(w io.Writer, r *rand.Rand) error { return m.write(w, rows, r) }); err != nil {
			return err
		}
		list := []reader{describe(file, fairtrain)}
		if m.isTable {
			list = append(list, reader{"fairtrain, and encoded", list[0].start, peers.Command{encoder, "-encode", file}, false})
		}
		if err := compare(file, append(list, others(file, python)...), rounds); err != nil {
			return err
		}
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	fmt.Printf("\nMedians; rounds: %d. Brackets: without the start, which for Python is to import modules. Inside: of the time\n"+
		"that fairtrain itself took, without the start and the end of its process.\n", rounds)
	return nil
}

// made are the files that are made, in the order of the table.
var made = []struct {
	name    string
	write   writer
	isTable bool
}{
	{"mixed.csv", csv(mixed()), true},
	{"mixed.csv.zst", compressed(mixed()), true},
	{"short.csv", csv(short()), true},
	{"short.csv.zst", compressed(short()), true},
	{"mixed.parquet", writeParquet, true},
	{"indicators.libsvm", writeIndicators, false},
	{"numbers.libsvm", writeNumbers, false},
}

// reader is a program that reads a file, and one that only starts as it does.
type reader struct {
	name        string
	start, read peers.Command
	isPeer      bool
}

func describe(file, fairtrain string) reader {
	return reader{"fairtrain", peers.Command{fairtrain, "--version"}, peers.Command{fairtrain, "data", "describe", "--quiet", file}, false}
}

// others returns the peers of fairtrain for a file.
func others(file, python string) (list []reader) {
	add := func(name, modules, read string) {
		start := "import sys, " + modules
		list = append(list, reader{name, peers.Command{python, "-c", start}, peers.Command{python, "-c", start + "; " + read, file}, true})
	}
	duckdb := `duckdb.sql("create table t as from '" + sys.argv[1] + "'")`
	switch name := filepath.Base(file); {
	case strings.HasSuffix(name, ".parquet"):
		add("pandas", "pandas, pyarrow.parquet", "pandas.read_parquet(sys.argv[1])")
		add("DuckDB", "duckdb", duckdb)
	case strings.HasSuffix(name, ".csv.zst"):
		add("pandas", "pandas, zstandard", "pandas.read_csv(sys.argv[1])")
		add("DuckDB", "duckdb", duckdb)
	case strings.Contains(name, ".csv"):
		add("pandas", "pandas", "pandas.read_csv(sys.argv[1])")
		add("DuckDB", "duckdb", duckdb)
	default:
		add("scikit-learn", "sklearn.datasets", "sklearn.datasets.load_svmlight_file(sys.argv[1])")
	}
	return list
}

// compare prints a line for each of the readers, of which the first is fairtrain.
func compare(file string, readers []reader, rounds int) error {
	bytes, err := size(file)
	if err != nil {
		return err
	}
	var commands []peers.Command
	var missing []string
	installed := readers[:0]
	for _, r := range readers {
		if !r.start.Works() {
			missing = append(missing, r.name)
			continue
		}
		installed = append(installed, r)
		commands = append(commands, r.start, r.read)
	}
	costs, err := peers.Rounds(rounds, commands)
	if err != nil {
		return err
	}
	title := fmt.Sprintf("%s, %.0f MB", filepath.Base(file), bytes/1e6)
	if isCompressed(file) {
		title += " of text"
	}
	for k, r := range installed {
		start, read := costs[2*k], costs[2*k+1]
		wall := peers.Median(rounds, func(i int) float64 { return read[i].Wall })
		fmt.Printf("| %s | %s | %.2f | %.2f | %.2f | %.0f", title, r.name, wall,
			peers.Median(rounds, func(i int) float64 { return read[i].Processor }),
			peers.Median(rounds, func(i int) float64 { return start[i].Processor }), bytes/1e6/wall)
		if inside := peers.Median(rounds, func(i int) float64 { return read[i].Inside }); inside > 0 {
			fmt.Printf(" (inside %.0f)", bytes/1e6/inside)
		}
		fmt.Print(" |")
		for _, of := range []func(peers.Cost) float64{
			func(c peers.Cost) float64 { return c.Wall },
			func(c peers.Cost) float64 { return c.Processor },
		} {
			if !r.isPeer {
				fmt.Print(" |")
				continue
			}
			fmt.Printf(" %.2f (%.2f) |",
				peers.Median(rounds, func(i int) float64 { return of(costs[1][i]) / of(read[i]) }),
				peers.Median(rounds, func(i int) float64 { return (of(costs[1][i]) - of(costs[0][i])) / (of(read[i]) - of(start[i])) }))
		}
		fmt.Println()
		title = ""
	}
	for _, name := range missing {
		fmt.Printf("| | %s | not installed | | | | | |\n", name)
	}
	return nil
}

func isCompressed(file string) bool { return strings.HasSuffix(file, ".zst") }

// size returns the number of bytes of a file, of its text if it is compressed by zstd.
func size(file string) (float64, error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if !isCompressed(file) {
		info, err := f.Stat()
		return float64(info.Size()), err
	}
	z, err := zstd.NewReader(f)
	if err != nil {
		return 0, err
	}
	defer z.Close()
	n, err := io.Copy(io.Discard, z)
	return float64(n), err
}
