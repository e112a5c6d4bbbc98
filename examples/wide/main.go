// Wide measures training on data with as many features as rows or more, beside
// liblinear-train where that is installed (Debian's liblinear-tools), and prints the
// processor time of both and the ratio, the table of docs/speed.md:
//
//	go run ./examples/wide
//
// fairtrain solves two problems, without the constraint and with it, to a certified 3e-4;
// liblinear one, without.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// data is a file to measure on.
type data struct {
	name  string
	write func(w io.Writer, r *rand.Rand) error
}

func main() {
	rows := flag.Int("rows", 100_000, "`rows` of sparse data; dense ones have a twentieth")
	features := flag.Int("features", 1_000_000, "`features` of sparse data")
	entries := flag.Int("entries", 60, "`entries` of a row of sparse data")
	dense := flag.Int("dense", 3000, "`features` of dense data")
	liblinear := flag.String("liblinear", "liblinear-train", "the `program` to compare with")
	flag.Parse()
	all := []data{
		{"sparse, rare features", func(w io.Writer, r *rand.Rand) error {
			return writeSparse(w, *rows, *features, *entries, frequent, r)
		}},
		{"sparse, equally frequent features", func(w io.Writer, r *rand.Rand) error {
			return writeSparse(w, *rows, *features, *entries, uniform, r)
		}},
		{"dense", func(w io.Writer, r *rand.Rand) error { return writeDense(w, *rows/20, *dense, r) }},
	}
	if err := measure(all, *liblinear); err != nil {
		log.Fatal(err)
	}
}

// measure prints a line for each of the files, which it makes in a folder of its own.
func measure(all []data, liblinear string) error {
	folder, err := os.MkdirTemp("", "wide")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	fairtrain := filepath.Join(folder, "fairtrain")
	if _, err := processorTime("go", "build", "-o", fairtrain, "github.com/fairtrain/fairtrain/cmd/fairtrain"); err != nil {
		return err
	}
	fmt.Println("| data | fairtrain, processor s | liblinear | ratio |\n|---|---:|---:|---:|")
	for _, d := range all {
		rows, model := filepath.Join(folder, "rows"), filepath.Join(folder, "model")
		if err := writeFile(rows, d.write); err != nil {
			return err
		}
		ours, err := processorTime(fairtrain, "train", "--data", rows, "--test", "none", "--on", "scores",
			"--constraint", "demographic-parity:group=1,bound=0.02", "--model", model, "--force", "--quiet")
		if err != nil {
			return err
		}
		theirs, err := processorTime(liblinear, "-s", "0", "-q", rows, model+".liblinear")
		switch {
		case errors.Is(err, exec.ErrNotFound):
			fmt.Printf("| %s | %.1f | not installed | |\n", d.name, ours.Seconds())
		case err != nil:
			return err
		default:
			fmt.Printf("| %s | %.1f | %.1f | %.2f |\n", d.name, ours.Seconds(), theirs.Seconds(), ours.Seconds()/theirs.Seconds())
		}
	}
	return nil
}

// processorTime runs a program and returns what it took.
func processorTime(program string, args ...string) (time.Duration, error) {
	c := exec.Command(program, args...)
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return 0, fmt.Errorf("%s: %w", program, err)
	}
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime(), nil
}

func writeFile(path string, write func(w io.Writer, r *rand.Rand) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	if err := write(w, rand.New(rand.NewPCG(1, 1))); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
