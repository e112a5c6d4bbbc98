package libsvm

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// Whole is what only the end of a file tells about its rows.
type Whole struct {
	Features int
	Rule     string          // how the labels are mapped, in words
	Hash     string          // SHA-256 of the content as read, hexadecimal
	Files    []string        // see dataset.Dataset; Blocks does not know of them
	Label    func(int8) int8 // maps a label of the file
}

// blockEntries is the number of non-zeros from which on a block has enough rows.
const blockEntries = 1 << 18

// Blocks reads rows as Read does, but hands them over in blocks of the given number, or of fewer if
// they have many non-zeros. Memory holds only one block. The labels are as in the file, not mapped.
func Blocks(r io.Reader, opts Options, rows int, each func(*dataset.Dataset) error) (*Whole, error) {
	hash := sha256.New()
	p := newParser(opts)
	handed, width := 0, opts.Features // rows handed over, and their features
	hand := func() error {
		handed, width = handed+p.rows.Rows(), max(width, p.rows.Width())
		d := &dataset.Dataset{Name: opts.Name}
		d.X, d.Y = p.rows.Finish(width)
		return each(d)
	}
	err := p.readLines(io.TeeReader(r, hash), func(fault *textfile.ParseError) error {
		switch {
		case fault != nil:
			return fault
		case p.rows.Rows() < rows && p.rows.Entries() < blockEntries:
			return nil
		}
		return hand()
	})
	if err == nil && p.rows.Rows() > 0 {
		err = hand()
	}
	if err != nil {
		return nil, err
	}
	if fault := p.checkWhole(handed); fault != nil {
		return nil, fault
	}
	w := &Whole{Features: width, Hash: hex.EncodeToString(hash.Sum(nil))}
	w.Label, w.Rule = p.labels()
	return w, nil
}

// Check reads a LIBSVM file to its end, going on after bad lines, and keeps the first
// limit faults. It returns an error only if the file cannot be read.
func Check(r io.Reader, opts Options, limit int) (*textfile.CheckReport, error) {
	p := newParser(opts)
	report := &textfile.CheckReport{}
	good := 0
	note := func(fault *textfile.ParseError) {
		if fault == nil {
			return
		}
		report.Bad++
		if len(report.Problems) < limit {
			report.Problems = append(report.Problems, fault)
		}
	}
	err := p.readLines(r, func(fault *textfile.ParseError) error {
		good += p.rows.Rows()
		p.rows.Clear()
		note(fault)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if report.Bad == 0 { // else the good rows are not the whole
		note(p.checkWhole(good))
	}
	report.Rows = good
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
