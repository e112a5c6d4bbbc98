// Wide measures training on data with as many features as rows or more, beside
// liblinear-train where that is installed (Debian's liblinear-tools), and prints the
// processor time of both and the ratio, medians of a few rounds, the table of docs/speed.md:
//
//	go run ./examples/wide
//
// fairtrain solves two problems, without the constraint and with it, to a certified 3e-4;
// liblinear one, without. With a penalty both solve the problem that liblinear is for, the logistic loss without a
// constraint and with the penalty:
//
//	go run ./examples/wide -l2 1e-4
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os/exec"
	"path/filepath"

	"github.com/fairtrain/fairtrain/examples/peers"
)

// data is a file to measure on.
type data struct {
	name  string
	rows  int
	write func(w io.Writer, r *rand.Rand) error
}

func main() {
	rows := flag.Int("rows", 100_000, "`rows` of sparse data; dense ones have a twentieth")
	features := flag.Int("features", 1_000_000, "`features` of sparse data")
	entries := flag.Int("entries", 60, "`entries` of a row of sparse data")
	dense := flag.Int("dense", 3000, "`features` of dense data")
	l2 := flag.Float64("l2", 0, "the penalty (`L`/2)‖weights‖², in place of a constraint; liblinear's without it is that of -c 1, for any number of rows")
	liblinear := flag.String("liblinear", "liblinear-train", "the `program` to compare with")
	rounds := flag.Int("rounds", 3, "`times` that both programs train, one after the other")
	flag.Parse()
	all := []data{
		{"sparse, rare features", *rows, func(w io.Writer, r *rand.Rand) error {
			return writeSparse(w, *rows, *features, *entries, frequent, r)
		}},
		{"sparse, equally frequent features", *rows, func(w io.Writer, r *rand.Rand) error {
			return writeSparse(w, *rows, *features, *entries, uniform, r)
		}},
		{"dense", *rows / 20, func(w io.Writer, r *rand.Rand) error { return writeDense(w, *rows/20, *dense, r) }},
	}
	err := peers.InFolder(func(folder, fairtrain string) error {
		return measure(all, folder, fairtrain, *liblinear, *l2, max(1, *rounds))
	})
	if err != nil {
		log.Fatal(err)
	}
}

// measure prints a line for each of the files, which it makes in the folder.
func measure(all []data, folder, fairtrain, liblinear string, l2 float64, rounds int) error {
	file, model := filepath.Join(folder, "rows"), filepath.Join(folder, "model")
	_, err := exec.LookPath(liblinear)
	installed := err == nil
	fmt.Println("| data | fairtrain, processor s | liblinear | ratio |\n|---|---:|---:|---:|")
	for _, d := range all {
		train := peers.Command{fairtrain, "train", "--data", file, "--test", "none", "--on", "scores", "--model", model, "--force", "--quiet"}
		peer := peers.Command{liblinear, "-s", "0", "-q"}
		if l2 > 0 {
			train = append(train, "--constraint", "none", "--loss", "logistic", "--l2", fmt.Sprint(l2))
			peer = append(peer, "-c", fmt.Sprint(1/(l2*float64(d.rows))))
		} else {
			train = append(train, "--constraint", "demographic-parity:group=1,bound=0.02")
		}
		programs := []peers.Command{train}
		if installed {
			programs = append(programs, append(peer, file, model+".liblinear"))
		}
		if err := peers.WriteFile(file, d.write); err != nil {
			return err
		}
		costs, err := peers.Rounds(rounds, programs)
		if err != nil {
			return err
		}
		median := func(value func(round int) float64) float64 { return peers.Median(rounds, value) }
		fmt.Printf("| %s | %.1f |", d.name, median(func(k int) float64 { return costs[0][k].Processor }))
		if !installed {
			fmt.Println(" not installed | |")
			continue
		}
		fmt.Printf(" %.1f | %.2f |\n", median(func(k int) float64 { return costs[1][k].Processor }),
			median(func(k int) float64 { return costs[0][k].Processor / costs[1][k].Processor }))
	}
	return nil
}
