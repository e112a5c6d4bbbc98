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

import (
	"errors"
	"fmt"
	"io"

	"github.com/fairtrain/fairtrain/cutest/sif"
)

// Problem is a decoded problem:
//
//	minimise f(x) subject to cl ≤ c(x) ≤ cu, l ≤ x ≤ u.
//
// It is immutable and may be shared; NewEvaluator gives each goroutine its means to
// evaluate it.
type Problem struct {
	Name           string
	Classification string // as the file states it, "" if it does not
	Variables      []Variable
	Constraints    []Constraint
	HasObjective   bool       // false: the objective is zero
	ObjectiveBound [2]float64 // bounds the file states for f, ±Infinity if none
	Parameters     []string   // names of values that the file lets its user choose

	// Pattern of the Jacobian, row by row (one row per constraint), columns ascending: row
	// i has the columns Columns[RowStart[i]:RowStart[i+1]].
	RowStart []int
	Columns  []int

	core *core
}

// N returns the number of variables.
func (p *Problem) N() int { return len(p.Variables) }

// M returns the number of constraints.
func (p *Problem) M() int { return len(p.Constraints) }

// Kind is the kind of a constraint.
type Kind int

// The kinds of constraints.
const (
	Equality  Kind = iota // c = 0
	LessEq                // c ≤ 0, or −range ≤ c ≤ 0
	GreaterEq             // c ≥ 0, or 0 ≤ c ≤ range
)

// Constraint is a constraint Lower ≤ c_i(x) ≤ Upper; an infinite bound is ±Infinity.
type Constraint struct {
	Name         string
	Kind         Kind
	Lower, Upper float64
	Linear       bool
}

// Start returns a copy of the starting point.
func (p *Problem) Start() []float64 {
	x := make([]float64, p.N())
	for j := range p.Variables {
		x[j] = p.Variables[j].Start
	}
	return x
}

// Names of package sif that callers of Decode need, so that they need no other package.
type (
	// Options are the user's choices when a file is decoded.
	Options = sif.Options
	// Error is a fault in a SIF file.
	Error = sif.Error
	// Variable is a variable of a problem.
	Variable = sif.Variable
)

// Infinity is the absolute value from which a bound does not bind.
const Infinity = sif.Infinity

// Decode reads a SIF file; file is its name in error messages. Every fault of the file
// is an *Error.
func Decode(r io.Reader, file string, opt Options) (*Problem, error) {
	m, err := sif.Decode(r, opt)
	var p *Problem
	if err == nil {
		p, err = assemble(m)
	}
	if fault, ok := errors.AsType[*Error](err); ok {
		fault.File = file
	} else if err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return p, err
}
