package packed

import (
	"bufio"
	"encoding/binary"
	"io"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
)

// bufferSize is the number of bytes that are written at once.
const bufferSize = 1 << 20

// column is a section that grows. The buffer keeps an error of writing until it is flushed.
type column struct {
	section
	file *atomicfile.Pending
	to   *bufio.Writer
}

func newColumn(file *atomicfile.Pending, s section) *column {
	return &column{s, file, bufio.NewWriterSize(file, bufferSize)}
}

// put appends an entry.
func (c *column) put(v uint64) {
	c.Entries++
	switch b := c.to.AvailableBuffer(); c.Width {
	case 1:
		_ = c.to.WriteByte(byte(v))
	case 2:
		_, _ = c.to.Write(binary.LittleEndian.AppendUint16(b, uint16(v)))
	case 4:
		_, _ = c.to.Write(binary.LittleEndian.AppendUint32(b, uint32(v)))
	default:
		_, _ = c.to.Write(binary.LittleEndian.AppendUint64(b, v))
	}
}

// widen gives the entries more bytes, in place. It begins with the last entry, so that no
// entry is overwritten before it is read.
func (c *column) widen(width int) error {
	if err := c.to.Flush(); err != nil {
		return err
	}
	const most = bufferSize / 4 // entries at once
	from, to := make([]byte, most*c.Width), make([]byte, 0, most*width)
	for end := c.Entries; end > 0; {
		start := max(end-most, 0)
		part := from[:(end-start)*c.Width]
		if _, err := c.file.ReadAt(part, c.Offset+int64(start*c.Width)); err != nil {
			return err
		}
		to = to[:0]
		for k := 0; k < len(part); k += c.Width {
			v := uint32(part[k])
			if c.Width == 2 {
				v = uint32(binary.LittleEndian.Uint16(part[k:]))
			}
			if width == 2 {
				to = binary.LittleEndian.AppendUint16(to, uint16(v))
			} else {
				to = binary.LittleEndian.AppendUint32(to, v)
			}
		}
		if _, err := c.file.WriteAt(to, c.Offset+int64(start*width)); err != nil {
			return err
		}
		end = start
	}
	c.Width = width
	_, err := c.file.Seek(c.end(), io.SeekStart)
	return err
}
