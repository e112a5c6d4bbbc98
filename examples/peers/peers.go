// Package peers measures what programs take beside each other, for the examples that compare
// fairtrain with others.
package peers

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Command is a program and its arguments.
type Command []string

// Cost is what a run of a command takes, in seconds.
type Cost struct {
	Wall, Processor float64
	Inside          float64 // what the program itself says it took; 0 if it prints no number
}

// Works reports whether a command can be run and ends well. What it says is not shown.
func (c Command) Works() bool { return exec.Command(c[0], c[1:]...).Run() == nil }

// Run runs a command.
func (c Command) Run() (Cost, error) {
	run := exec.Command(c[0], c[1:]...)
	var said bytes.Buffer
	run.Stdout, run.Stderr = &said, os.Stderr
	begin := time.Now()
	if err := run.Run(); err != nil {
		return Cost{}, fmt.Errorf("%s: %w", c[0], err)
	}
	wall := time.Since(begin)
	inside, _ := strconv.ParseFloat(strings.TrimSpace(said.String()), 64) // 0 if that is no number
	return Cost{wall.Seconds(), (run.ProcessState.UserTime() + run.ProcessState.SystemTime()).Seconds(), inside}, nil
}

// Rounds runs the commands one after the other, so many times, so that whatever else the machine
// does slows all of them down. It returns the costs of every command, by rounds.
func Rounds(rounds int, commands []Command) ([][]Cost, error) {
	costs := make([][]Cost, len(commands))
	for range rounds {
		for k, c := range commands {
			cost, err := c.Run()
			if err != nil {
				return nil, err
			}
			costs[k] = append(costs[k], cost)
		}
	}
	return costs, nil
}

// Median returns the median of what value is of every round.
func Median(rounds int, value func(round int) float64) float64 {
	var list []float64
	for k := range rounds {
		list = append(list, value(k))
	}
	slices.Sort(list)
	return (list[(rounds-1)/2] + list[rounds/2]) / 2
}

// InFolder builds fairtrain in a folder of its own, and removes the folder when measure is done.
func InFolder(measure func(folder, fairtrain string) error) error {
	folder, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	fairtrain := filepath.Join(folder, "fairtrain")
	if _, err := (Command{"go", "build", "-o", fairtrain, "github.com/fairtrain/fairtrain/cmd/fairtrain"}).Run(); err != nil {
		return err
	}
	return measure(folder, fairtrain)
}

// WriteFile writes a file of random rows, the same ones every time.
func WriteFile(path string, write func(w io.Writer, r *rand.Rand) error) error {
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
