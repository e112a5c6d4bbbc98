package textfile

import (
	"bytes"
	"io"
	"slices"
	"sync"

	"github.com/fairtrain/fairtrain/internal/memory"
)

const (
	maxLine = 1 << 28 // a file with a longer line surely has no rows
	perByte = 10      // memory for a byte of a line and for what is made of it
	spares  = 16      // number of buffers to be used again
)

// Chunk is a part of a text. It begins where a record begins, and ends where a record ends,
// unless Err says what ended the text.
type Chunk struct {
	Text []byte
	Line int   // number of its first line, from 1
	Err  error // io.EOF or another error that ended the text; nil if another chunk follows
}

// Whole returns the text without a last line that an error cut short.
func (c Chunk) Whole() []byte {
	if c.Err != nil && c.Err != io.EOF {
		return c.Text[:bytes.LastIndexByte(c.Text, '\n')+1]
	}
	return c.Text
}

// Chunks cuts a stream into chunks that can be parsed independently. Where it cuts depends on
// the content alone.
type Chunks struct {
	Line int // number of the first line that is in no chunk yet

	r      io.Reader
	name   string // of the file, for errors
	size   int
	quotes bool
	buf    []byte      // what was read and is in no chunk yet; begins with a record
	spare  chan []byte // memory of chunks that are not in use
	err    error
}

// NewChunks cuts the named file into chunks of the given size. A chunk is larger if a record
// is. Records are lines. With quotes, a line feed after an odd number of double quotes does
// not end a record. This is true in any CSV file up to its first fault, and nothing behind the
// fault counts.
func NewChunks(r io.Reader, name string, size int, quotes bool) *Chunks {
	return &Chunks{r: r, name: name, size: size, quotes: quotes, Line: 1, spare: make(chan []byte, spares)}
}

// Next returns the next chunk. It must not be called after a chunk with an Err. Err is a
// *ParseError if a record takes more memory than there is.
func (c *Chunks) Next() Chunk {
	c.fill(c.size)
	end := c.recordsEnd()
	for end == 0 && c.err == nil {
		if n := len(c.buf); n > maxLine || n > BufferSize && !memory.Fits(perByte*float64(n)) {
			c.err = Errorf(c.name, c.Line, 1, "line longer than %d MiB or a tenth of the memory budget, expected rows ended by line feeds", maxLine>>20)
			break
		}
		c.fill(min(2*len(c.buf), maxLine+1))
		end = c.recordsEnd()
	}
	if c.err != nil {
		end = len(c.buf)
	}
	chunk := Chunk{Text: c.buf[:end], Line: c.Line, Err: c.err}
	c.Line += bytes.Count(chunk.Text, []byte{'\n'})
	if c.err == nil {
		c.buf = append(c.empty(), c.buf[end:]...)
	}
	return chunk
}

// empty returns a buffer for another chunk.
func (c *Chunks) empty() []byte {
	select {
	case buf := <-c.spare:
		return buf
	default:
		return make([]byte, 0, c.size)
	}
}

// free takes a chunk back whose text is not in use any more.
func (c *Chunks) free(chunk Chunk) {
	if cap(chunk.Text) > 2*c.size {
		return // it had a long record
	}
	select {
	case c.spare <- chunk.Text[:0]:
	default:
	}
}

// fill reads until buf has size bytes, or the stream ends. The buffer grows with the text,
// which may be short.
func (c *Chunks) fill(size int) {
	for len(c.buf) < size && c.err == nil {
		if len(c.buf) == cap(c.buf) {
			c.buf = slices.Grow(c.buf, min(size-len(c.buf), max(len(c.buf), bytes.MinRead)))
		}
		var n int
		n, c.err = c.r.Read(c.buf[len(c.buf):min(size, cap(c.buf))])
		c.buf = c.buf[:len(c.buf)+n]
	}
}

// recordsEnd returns where the last complete record ends, 0 if there is none.
func (c *Chunks) recordsEnd() int {
	quote := []byte{'"'}
	inside := c.quotes && bytes.Count(c.buf, quote)%2 == 1
	for end := len(c.buf); ; {
		line := bytes.LastIndexByte(c.buf[:end], '\n') + 1
		if c.quotes && bytes.Count(c.buf[line:end], quote)%2 == 1 {
			inside = !inside
		}
		if line == 0 || !inside {
			return line
		}
		end = line - 1
	}
}

// ParseChunks parses the first chunk and the rest, with the given number of workers. It passes
// the results to take, in the order of the text, up to an error of take. After that, the text of
// the chunk is overwritten. It holds a few chunks for each worker. When it returns, nothing reads
// the stream any more. So it waits for a Read that does not return.
func ParseChunks[T any](first Chunk, rest *Chunks, workers int, parse func(Chunk) T, take func(T) error) error {
	if first.Err != nil {
		return take(parse(first)) // a short text is parsed sooner than it is shared out
	}
	type job struct {
		chunk  Chunk
		parsed chan T
	}
	jobs := make(chan job)
	inOrder := make(chan job, 2*workers)
	stop := make(chan struct{})
	rest.r = &stoppable{rest.r, stop}

	var running sync.WaitGroup
	running.Go(func() {
		defer close(jobs)
		defer close(inOrder)
		for chunk := first; ; chunk = rest.Next() {
			j := job{chunk, make(chan T, 1)}
			select {
			case inOrder <- j:
			case <-stop:
				return
			}
			jobs <- j
			if chunk.Err != nil {
				return
			}
		}
	})
	for range workers {
		running.Go(func() {
			for j := range jobs {
				j.parsed <- parse(j.chunk)
			}
		})
	}
	defer running.Wait()
	defer close(stop)
	for j := range inOrder {
		if err := take(<-j.parsed); err != nil {
			return err
		}
		rest.free(j.chunk)
	}
	return nil
}

// stoppable is a stream that ends when stop is closed.
type stoppable struct {
	r    io.Reader
	stop <-chan struct{}
}

func (s *stoppable) Read(p []byte) (int, error) {
	select {
	case <-s.stop:
		return 0, io.EOF
	default:
		return s.r.Read(p)
	}
}
