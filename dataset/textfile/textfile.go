// Package textfile reads text files as people have them, in bounded memory: UTF-8, Latin-1 or
// UTF-16, in chunks that are parsed side by side. It says where a fault is, and what may have
// been meant.
package textfile

import (
	"bufio"
	"bytes"
	"io"
)

const (
	sampleSize = 1 << 16 // bytes of a file that tell what it is
	BufferSize = 1 << 18 // fits the second-level cache, so that hash and parser share it
)

// Sample reads the beginning of a stream, to find out what it is. The reader that it returns
// begins there again. If whole, the sample is the whole stream.
func Sample(r io.Reader) (again *bufio.Reader, sample []byte, whole bool, err error) {
	sample, err = io.ReadAll(io.LimitReader(r, sampleSize))
	if err != nil {
		return nil, nil, false, err
	}
	if len(sample) < sampleSize {
		return bufio.NewReaderSize(bytes.NewReader(sample), len(sample)), sample, true, nil
	}
	return bufio.NewReaderSize(io.MultiReader(bytes.NewReader(sample), r), sampleSize), sample, false, nil
}
