// Command fairtrain trains classifiers under fairness constraints and says, in exact
// numbers, whether the result is fair and optimal.
//
//	fairtrain train      train one fair classifier, write the model, print a report
//	fairtrain adjust     fair decisions from the scores of any model
//	fairtrain predict    score rows with a model
//	fairtrain explain    what a model uses, and how strongly
//	fairtrain evaluate   verdicts on constraints, and group metrics, of a model or of predictions
//	fairtrain certify    test a model, or predictions, once, on rows that had no part in training
//	fairtrain report     a report on a model, or on predictions, that can be handed over
//	fairtrain frontier   accuracy against the level of fairness
//	fairtrain compare    methods on one problem from several seeds
//	fairtrain plot       figures of stored results
//	fairtrain preset     list and show experiments
//	fairtrain cutest     the CUTEst experiment: list, run, table, plot, eval
//	fairtrain data       list, get, describe, pack
//	fairtrain version    what this program was built from
//
// Standard output carries results, standard error everything else. Exit codes: 0 done,
// 1 failure, 2 usage, 3 constraint violated, tolerance not reached or not guaranteed,
// 4 diverged, 130 interrupted, 143 terminated, 129 hung up.
//
// Read root.go first, which names the commands, then internal/command/app.go, which has the
// rules that all of them share.
package main

import (
	"context"
	"io"
	"os"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
)

func main() {
	command.Leave(run(command.UntilSignal(), os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// run runs the program and returns its exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := command.NewProgram("fairtrain", stdin, stdout, stderr)
	return p.End(ctx, execute(ctx, p, args))
}
