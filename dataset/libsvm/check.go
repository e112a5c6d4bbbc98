package libsvm

import (
	"io"

	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// Check reads a LIBSVM file to its end, going on after bad lines, and keeps the first
// limit faults. It returns an error only if the file cannot be read.
func Check(r io.Reader, opts Options, limit int) (*textfile.CheckReport, error) {
	p := newParser(opts)
	lines := textfile.NewLines(r)
	report := &textfile.CheckReport{}
	note := func(fault *textfile.ParseError) {
		if fault == nil {
			return
		}
		report.Bad++
		if len(report.Problems) < limit {
			report.Problems = append(report.Problems, fault)
		}
	}
	for {
		line, err := lines.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, p.readError(err)
		}
		note(p.parseLine(line))
		if err := p.checkMemory(); err != nil {
			return nil, err
		}
	}
	note(p.checkWhole())
	report.Rows = p.rows.Rows()
	return report, nil
}
