package textfile

import "fmt"

// ParseError is a fault in a data file. Line and Column count from 1, columns in bytes. In a
// Parquet file, Part says where the fault is. There Line is the number of the row, plus 1 as if
// there were a header, and Column the number of the column; both are 1 if Part says all.
type ParseError struct {
	File   string `json:"file"`
	Part   string `json:"-"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Msg    string `json:"message"`
}

func (e *ParseError) Error() string {
	if e.Part != "" {
		return fmt.Sprintf("%s: %s: %s", e.File, e.Part, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// Errorf returns the fault at a place of a file.
func Errorf(file string, line, column int, format string, args ...any) *ParseError {
	return &ParseError{File: file, Line: line, Column: column, Msg: fmt.Sprintf(format, args...)}
}

// CheckReport lists the faults of a data file.
type CheckReport struct {
	Rows     int           `json:"rows"`              // good rows; 0 if Stopped
	Bad      int           `json:"bad"`               // faults in all
	Problems []*ParseError `json:"problems"`          // the first of them
	Stopped  bool          `json:"stopped,omitempty"` // at the first fault: what follows was not read
}
