// Package benchmark is the paper's first experiment (§5.1): stochastic methods on the
// equality-constrained problems of the CUTEst collection, with Gaussian noise added to
// ∇f, c and every entry of ∇c.
//
//	Instance    a deterministic problem, and why it may be left out          instance.go, rule.go
//	constants   estimates that all methods get of a problem                       constants.go
//	judge       the best iterate of a run, and of all runs of a method        judge.go
//	Runner      the cells of an experiment: methods on problems              runner.go
//	Order       a cell made again in another process                         order.go
//	Table       wins and medians next to the paper's                          table.go, paper.go
//
// Package experiment has the presets and runs the cells, package results stores them. Every
// candidate of a method runs on every problem until its samples are used up. The best
// iterate of all its runs, by exact values that no method sees, is the method's result on
// the problem; the candidate that found it is run once more for its trajectory.
package benchmark
