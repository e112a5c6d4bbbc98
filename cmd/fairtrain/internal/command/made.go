package command

import (
	"errors"
	"io"
	"os"
	"regexp"
)

// The results of the program, which a new result of the same kind replaces without --force. Files that
// people are to edit, schemas and presets, are none.
var (
	Report = made(`fairtrain-report`)
	Figure = made(`fairtrain-figure`)
	Packed = made(`^\x{FFFD}FTPACK\n`) // a byte that is no text
	Scores = made(`^(?:[^\r\n]*,)?score,decision(?:,points)?(?:,reason_\d+,contribution_\d+)*\r?\n|` +
		`^\{"rows":\d+,"positives":\d+,"threshold":`)
)

// made reports whether the begin or the end of a file has what only the program writes.
func made(mark string) func(path string) bool {
	pattern := regexp.MustCompile(mark)
	return func(path string) bool {
		const begin, end = 1 << 16, 1 << 10
		f, err := os.Open(path)
		if err != nil {
			return false
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return false
		}
		text := make([]byte, begin)
		n, err := io.ReadFull(f, text)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return false
		}
		tail := make([]byte, min(end, info.Size()))
		if _, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil {
			return false
		}
		return pattern.Match(text[:n]) || pattern.Match(tail)
	}
}
