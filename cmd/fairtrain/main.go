// Command fairtrain trains classifiers under fairness constraints and says, in exact
// numbers, whether the result is fair and optimal.
//
//	fairtrain train      train one fair classifier, write the model, print a report
//	fairtrain predict    score rows with a model
//	fairtrain evaluate   group metrics of a model on data, or of predictions
//	fairtrain frontier   accuracy against the level of fairness
//	fairtrain compare    methods on one problem from several seeds
//	fairtrain plot       figures of stored results
//	fairtrain preset     list and show experiments
//	fairtrain cutest     the CUTEst experiment: list, run, table, plot, eval
//	fairtrain data       list, get, check, describe, convert
//	fairtrain version    what this program was built from
//
// Standard output carries results, standard error everything else. Exit codes: 0 done,
// 1 failure, 2 usage, 3 finished but tolerance or constraint not reached, 4 diverged,
// 130 interrupted.
//
// Read app.go first: it has the rules that all commands share.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	os.Exit(run(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// run runs the program and returns its exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{stdin: stdin, stdout: stdout, stderr: stderr}
	err := p.run(ctx, args)
	p.complain(err)
	return exitCode(err)
}
