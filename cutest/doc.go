// Package cutest evaluates the problems of the CUTEst collection, from SIF files and
// without Fortran: f, ∇f, c and the Jacobian, and a problem.Problem like any other.
//
// Three packages share the work. Package sif decodes a file into a plain description.
// Package compile turns the expressions of each element and group type into a program.
// This package assembles both into a Problem and evaluates it.
//
// Numbers are double precision throughout: the original tools round data to eleven digits
// and evaluate literals without a D exponent in single precision, so their values can
// differ in the seventh digit or later.
//
// Sources: N. I. M. Gould, D. Orban and Ph. L. Toint, CUTEst: a constrained and
// unconstrained testing environment with safe threads, Computational Optimization and
// Applications 60 (2015), the conventions for constraints and bounds.
//
// Not supported: second derivatives, and external functions in Fortran, which expressions
// may call.
//
// Read next: problem.go (what decoding gives),
// assemble.go (from a file to it), evaluate.go (from it to values), oracle.go (a problem as the
// methods of package solver see it).
package cutest
