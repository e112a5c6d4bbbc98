package catalogue

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"os"
	"sync/atomic"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// textFiles are the text files that a name stands for, of which one is open at a time.
type textFiles struct {
	stdin  io.Reader
	paths  []string       // that are still to be opened
	opened []tabular.File // beforehand
	bytes  float64        // of all files
	read   atomic.Int64   // bytes of these so far
	last   *source        // that was opened
}

// openFiles opens the first of some files, and looks at the beginning of the first one that says
// something: programs that write data as many files leave some empty.
func openFiles(paths []string, stdin io.Reader) (fs *textFiles, start []byte, err error) {
	fs = &textFiles{stdin: stdin, paths: paths}
	for _, path := range paths {
		fs.bytes += size(path)
	}
	for {
		f, err := fs.open()
		if err == io.EOF {
			return fs, start, nil
		}
		var whole bool
		if err == nil {
			f.Reader, start, whole, err = textfile.Sample(f.Reader)
		}
		if err != nil {
			fs.Close()
			return nil, nil, err // names the path
		}
		fs.opened = append(fs.opened, f)
		if !whole || saysSomething(start) {
			return fs, start, nil
		}
	}
}

// saysSomething reports whether a text has more than blanks and comments.
func saysSomething(text []byte) bool {
	for _, order := range []string{textfile.Mark, "\xff\xfe", "\xfe\xff"} {
		text = bytes.TrimPrefix(text, []byte(order))
	}
	for line := range bytes.Lines(text) {
		if line = bytes.Trim(line, " \t\r\n\x00"); len(line) > 0 && line[0] != '#' {
			return true
		}
	}
	return false
}

// size returns the size of a plain file, 0 of others.
func size(path string) float64 {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return float64(info.Size())
}

// next returns the next file. It implements tabular.Files.
func (fs *textFiles) next() (tabular.File, error) {
	if len(fs.opened) > 0 {
		f := fs.opened[0]
		fs.opened = fs.opened[1:]
		return f, nil
	}
	return fs.open()
}

// open opens the next file, and closes the last one.
func (fs *textFiles) open() (tabular.File, error) {
	if len(fs.paths) == 0 {
		return tabular.File{}, io.EOF
	}
	path := fs.paths[0]
	source, err := openFile(path, fs.stdin, &fs.read)
	if err != nil {
		return tabular.File{}, err
	}
	if fs.last != nil {
		fs.last.Close()
	}
	fs.paths, fs.last = fs.paths[1:], source
	return tabular.File{Reader: source, Name: path}, nil
}

// share returns the part of the files that was read, 0 if nobody knows.
func (fs *textFiles) share() float64 {
	if fs.bytes == 0 {
		return 0
	}
	return float64(fs.read.Load()) / fs.bytes
}

func (fs *textFiles) Close() error {
	if fs.last == nil {
		return nil
	}
	return fs.last.Close()
}

// joined is files whose rows are lines, as one text. A byte-order mark counts in the first one
// only.
type joined struct {
	next   tabular.Files
	name   string    // of all files
	text   io.Reader // of the file that is being read; nil before the first
	inLine bool      // the text so far does not end with a line
	lines  int       // so far
	files  []textfile.Part
	hashes []contentHash // of the files
}

// contentHash is that of a file.
type contentHash struct {
	hash.Hash
	hasAny bool // the file is not blank
}

func (j *joined) Read(p []byte) (int, error) {
	if j.text != nil {
		n, err := j.text.Read(p)
		if n > 0 {
			j.inLine = p[n-1] != '\n'
			j.lines += bytes.Count(p[:n], []byte{'\n'})
			last := &j.hashes[len(j.hashes)-1]
			last.hasAny = last.hasAny || len(bytes.TrimSpace(p[:n])) > 0
			return n, nil
		}
		if err != io.EOF || len(p) == 0 {
			return 0, err
		}
	}
	f, err := j.next()
	if err != nil {
		return 0, err
	}
	content := sha256.New()
	in := bufio.NewReaderSize(io.TeeReader(f.Reader, content), textfile.BufferSize)
	if start, _ := in.Peek(len(textfile.Mark)); len(j.files) > 0 && string(start) == textfile.Mark {
		_, _ = in.Discard(len(textfile.Mark))
	}
	n := 0
	if j.inLine { // it ends with its file
		n = copy(p, "\n")
		j.inLine = false
		j.lines++
	}
	j.text, j.files = in, append(j.files, textfile.Part{File: f.Name, First: j.lines + 1})
	j.hashes = append(j.hashes, contentHash{Hash: content})
	return n, nil
}

// content returns the hash of all files, and those of the files that are not blank.
func (j *joined) content() (all string, files []string) {
	var hashes []string
	for _, f := range j.hashes {
		hash := hex.EncodeToString(f.Sum(nil))
		if hashes = append(hashes, hash); f.hasAny {
			files = append(files, hash)
		}
	}
	return dataset.HashOfFiles(hashes), files
}

// located corrects an error that is a fault, when nothing is read any more.
func (j *joined) located(err error) error {
	if fault, ok := errors.AsType[*textfile.ParseError](err); ok && j != nil && fault.File == j.name {
		textfile.Locate(fault, j.files)
	}
	return err
}
