package textfile

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/internal/memory"
)

// TestChunks: the chunks together are the text, say in which line they begin, and end where
// records end. They do not depend on the pieces in which the stream comes.
func TestChunks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab\n\n\""))).Draw(t, "text")
		size := rapid.IntRange(1, 9).Draw(t, "size")
		quotes := rapid.Bool().Draw(t, "quotes")
		end := rapid.SampledFrom([]error{io.EOF, errors.New("cable pulled")}).Draw(t, "end")
		stream := func() io.Reader { return io.MultiReader(strings.NewReader(text), iotest.ErrReader(end)) }
		chunks, again := NewChunks(stream(), "f", size,
			quotes), NewChunks(iotest.OneByteReader(stream()), "f", size, quotes)
		read := ""
		for {
			c, same := chunks.Next(), again.Next()
			if diff := cmp.Diff(same, c, cmpopts.EquateErrors()); diff != "" {
				t.Fatalf("chunk (-byte by byte +at once)\n%s", diff)
			}
			if want := 1 + strings.Count(read, "\n"); c.Line != want {
				t.Fatalf("%+v begins in line %d", c, want)
			}
			read += string(c.Text)
			if c.Err != nil {
				if c.Err != end {
					t.Fatalf("error %v, want %v", c.Err, end)
				}
				break
			}
			if !bytes.HasSuffix(c.Text, []byte{'\n'}) || quotes && strings.Count(read, `"`)%2 == 1 {
				t.Fatalf("%+v does not end with a record", c)
			}
		}
		if read != text {
			t.Fatalf("read %q, want %q", read, text)
		}
	})
}

// TestLongRecord: a long record is refused before it takes too much memory.
func TestLongRecord(t *testing.T) {
	defer memory.SetBudget(0)
	memory.SetBudget(1e7)
	chunks := NewChunks(strings.NewReader("a\n"+strings.Repeat("b", 1<<22)), "f", BufferSize, false)
	if c := chunks.Next(); string(c.Text) != "a\n" || c.Err != nil {
		t.Fatalf("the first chunk has %d bytes, error %v", len(c.Text), c.Err)
	}
	if c := chunks.Next(); len(c.Text) >= 1<<22 || !strings.HasPrefix(c.Err.Error(), "f:2:1: line longer than") {
		t.Errorf("%d bytes, error %v", len(c.Text), c.Err)
	}
}

// TestParseChunks: results come in the order of the text, and reading stops after an error.
func TestParseChunks(t *testing.T) {
	broken := errors.New("no more")
	for _, workers := range []int{1, 2, 7} {
		endless := NewChunks(lines{}, "f", 16, false)
		taken, last := 0, 0
		err := ParseChunks(endless.Next(), endless, workers, func(c Chunk) int { return c.Line }, func(line int) error {
			if line <= last {
				t.Errorf("%d workers: line %d after line %d", workers, line, last)
			}
			last = line
			if taken++; taken == 100 {
				return broken
			}
			return nil
		})
		if err != broken || taken != 100 {
			t.Errorf("%d workers: error %v after %d chunks", workers, err, taken)
		}
	}
}

// lines is a stream of lines without end.
type lines struct{}

func (lines) Read(p []byte) (int, error) {
	for k := range p {
		p[k] = "1\n"[k%2]
	}
	return len(p), nil
}
