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
	err := p.readAll(r, func(fault *textfile.ParseError) error {
		report.Bad++
		if len(report.Problems) < limit {
			report.Problems = append(report.Problems, fault)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	report.Rows = p.rows.Rows()
	return report, nil
}
