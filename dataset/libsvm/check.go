package libsvm

import (
	"io"

	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// Check reads a LIBSVM file to its end, going on after bad lines, and keeps the first
// limit faults. It returns an error only if the file cannot be read.
func Check(r io.Reader, opts Options, limit int) (*textfile.CheckReport, error) {
	p := newParser(opts)
	report := &textfile.CheckReport{}
	note := func(fault *textfile.ParseError) error {
		if fault != nil {
			report.Bad++
			if len(report.Problems) < limit {
				report.Problems = append(report.Problems, fault)
			}
		}
		return nil
	}
	if err := p.readLines(r, note); err != nil {
		return nil, err
	}
	if report.Bad == 0 { // else the good rows are not the whole
		note(p.checkWhole(p.rows.Rows()))
	}
	report.Rows = p.rows.Rows()
	return report, nil
}

// readLines parses one line after another. After each line it calls after with the fault of
// the line, nil for none. It stops at an error of after.
func (p *parser) readLines(r io.Reader, after func(*textfile.ParseError) error) error {
	for chunks := textfile.NewChunks(r, p.opts.Name, textfile.BufferSize, false); ; {
		chunk := chunks.Next()
		for rest := chunk.Whole(); len(rest) > 0; {
			var fault *textfile.ParseError
			rest, fault = p.parseLine(rest)
			if err := p.checkMemory(); err != nil { // the rows are incomplete
				return err
			}
			if err := after(fault); err != nil {
				return err
			}
		}
		switch chunk.Err {
		case nil:
		case io.EOF:
			return nil
		default:
			return chunk.Err
		}
	}
}
