package sif

import "fmt"

// Error is a fault in a SIF file, at a line and, where it makes sense, a column, both
// counted from 1 (0: unknown).
type Error struct {
	File         string
	Line, Column int
	Msg          string
}

// Error formats the fault as file:line:column: message.
func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}
