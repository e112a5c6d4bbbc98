package cutest

import (
	"errors"
	"fmt"
	"io"

	"github.com/fairtrain/fairtrain/cutest/sif"
)

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
