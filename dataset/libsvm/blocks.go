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
	for chunks := textfile.NewChunks(io.TeeReader(r, hash), opts.Name, textfile.BufferSize, false); ; {
		chunk := chunks.Next()
		for rest := chunk.Whole(); len(rest) > 0; {
			var fault *textfile.ParseError
			if rest, fault = p.parseLine(rest); fault != nil {
				return nil, fault
			}
			if p.rows.Rows() >= rows || p.rows.Entries() >= blockEntries {
				if err := hand(); err != nil {
					return nil, err
				}
			}
		}
		if chunk.Err == io.EOF {
			break
		}
		if chunk.Err != nil {
			return nil, chunk.Err
		}
	}
	if p.rows.Rows() > 0 {
		if err := hand(); err != nil {
			return nil, err
		}
	}
	if fault := p.checkWhole(handed); fault != nil {
		return nil, fault
	}
	w := &Whole{Features: width, Hash: hex.EncodeToString(hash.Sum(nil))}
	w.Label, w.Rule = p.labels()
	return w, nil
}
