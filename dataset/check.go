package dataset

import "io"

// CheckReport lists the faults of a data file.
type CheckReport struct {
	Rows     int           // good rows
	Bad      int           // faults in all
	Problems []*ParseError // the first of them
}

// checkLIBSVM reads a LIBSVM file to its end, going on after bad lines, and keeps the first
// limit faults. It returns an error only if the file cannot be read.
func checkLIBSVM(r io.Reader, opts ReadOptions, limit int) (*CheckReport, error) {
	p := newParser(opts)
	lines := newLineReader(r)
	report := &CheckReport{}
	note := func(fault *ParseError) {
		if fault == nil {
			return
		}
		report.Bad++
		if len(report.Problems) < limit {
			report.Problems = append(report.Problems, fault)
		}
	}
	for {
		line, err := lines.next()
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
