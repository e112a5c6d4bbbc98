package libsvm

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// Whole is what only the end of a file tells of its rows.
type Whole struct {
	Features int
	Rule     string          // how the labels are mapped, in words
	Hash     string          // SHA-256 of the content as read, hexadecimal
	Label    func(int8) int8 // maps a label of the file
}

// Blocks reads rows as Read does, but hands them over in blocks of the given number, so that
// memory holds but one. Their labels are those of the file.
func Blocks(r io.Reader, opts Options, rows int, each func(*dataset.Dataset) error) (*Whole, error) {
	hash := sha256.New()
	p := newParser(opts)
	hand := func() error {
		p.handed, p.width = p.handed+p.rows.Rows(), p.features()
		d := &dataset.Dataset{Name: p.opts.Name}
		d.X, d.Y = p.rows.Finish(p.width)
		p.rows.Bounded = true // Finish has emptied it
		return each(d)
	}
	p.handOver = func() error {
		if p.rows.Rows() < rows {
			return nil
		}
		return hand()
	}
	if err := p.readAll(io.TeeReader(r, hash), func(fault *textfile.ParseError) error { return fault }); err != nil {
		return nil, err
	}
	if p.rows.Rows() > 0 {
		if err := hand(); err != nil {
			return nil, err
		}
	}
	w := &Whole{Features: p.features(), Hash: hex.EncodeToString(hash.Sum(nil))}
	w.Label, w.Rule = p.labels()
	return w, nil
}
