package libsvm

import (
	"io"
	"strings"

	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// Check reads a LIBSVM file to its end, going on after bad lines, and keeps the first
// limit faults. It returns an error only if the file cannot be read.
func Check(r io.Reader, opts Options, limit int) (*textfile.CheckReport, error) {
	p := newParser(opts)
	chunks := textfile.NewChunks(r, textfile.BufferSize, false)
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
		chunk := chunks.Next()
		broken := chunk.Err != nil && chunk.Err != io.EOF
		for line := range strings.Lines(chunk.Text) {
			if broken && line[len(line)-1] != '\n' {
				break
			}
			note(p.parseLine(line))
			if err := p.checkMemory(); err != nil {
				return nil, err
			}
		}
		if broken {
			return nil, p.readError(chunk.Err)
		}
		if chunk.Err == io.EOF {
			break
		}
	}
	note(p.checkWhole(p.rows.Rows()))
	report.Rows = p.rows.Rows()
	return report, nil
}
