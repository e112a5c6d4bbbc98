package textfile

import (
	"bufio"
	"bytes"
	"io"
	"regexp"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Reader turns text in UTF-16 or Latin-1 into UTF-8. It refuses everything else. So a file in
// several encodings, or a file that is no text, is not misread. A byte-order mark at the
// beginning is left out. Faults are *ParseErrors.
//
// UTF-16 is known by its byte-order mark. Text is
// Latin-1 if its first character beyond ASCII is not valid UTF-8: everything before is the
// same in both encodings. Like browsers, a Reader takes Latin-1 for Windows-1252, which
// differs in characters that Latin-1 does not have.
type Reader struct {
	From string // the encoding of the file, known at the end; "" for UTF-8

	in      *bufio.Reader // the text, in UTF-8 once that is decided
	name    string        // of the file
	decided bool          // a character beyond ASCII, or a mark, has told the encoding
	checked int           // bytes of in that are checked and not yet read
	offset  int64         // of the end of the checked bytes, in the stream
	line    int           // of this end, from 1
	begins  int64         // of this line, in the stream
}

// NewReader returns the text of the named file.
func NewReader(r io.Reader, name string) (*Reader, error) {
	in, start, _, err := Sample(r)
	if err != nil {
		return nil, err
	}
	for _, other := range otherFormats {
		if other.begin.Match(start) {
			return nil, Errorf(name, 1, 1, "this %s, expected a table as text, such as CSV, with a row in each line%s", other.what, other.advice)
		}
	}
	if isVowpalWabbit(start) {
		return nil, Errorf(name, 1, 1, "these look like rows of Vowpal Wabbit, expected CSV, or LIBSVM's format: a label, and index:value for each feature")
	}
	order, ok := utf16Order(start)
	if !ok {
		return newReader(in, name), nil
	}
	decoded := transform.NewReader(in, unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder())
	t := newReader(bufio.NewReaderSize(decoded, in.Size()), name)
	t.From, t.decided = "UTF-16", true
	return t, nil
}

// otherFormats are what people take for tables, and how such files begin. No table does: in JSON, a quote
// is not in the middle of a value.
var otherFormats = []struct {
	begin        *regexp.Regexp
	what, advice string
}{
	{regexp.MustCompile(`\APK\x03\x04`), "is a ZIP archive, perhaps an Excel workbook", " (a workbook can be saved as CSV)"},
	{regexp.MustCompile(`\A(\x{FEFF})?\s*(\{\s*"|\[\s*\{)`), "looks like JSON", ""},
	{regexp.MustCompile(`(?i)\A\s*(<!doctype|<html|<\?xml|<stata_dta)`), "looks like HTML or XML", " (perhaps a page in place of the file)"},
	{regexp.MustCompile(`(?i)\A(\s|%.*\n)*@relation\s`), "is an ARFF file", " (the names of @attribute in one line, above the lines below @data, make it CSV)"},
	{regexp.MustCompile(`\A(SQLite format|ARROW1|RDX[23]\n|\$FL[23]|%PDF)`), "is a database, or data of another program", " (which can save them as CSV)"},
}

// vowpalWabbit is a row of Vowpal Wabbit: numbers, such as a label, perhaps a tag, and a bar with features
// behind it.
var vowpalWabbit = regexp.MustCompile(
	`^\s*(?:[-+]?[\d.]+\s+){0,3}(?:'\S*\s*)?\|(?:[^\s|]+\s+[^\s|]|\s+[^\s|]+:[-+.\d])`)

// isVowpalWabbit reports whether the first rows of a text are of Vowpal Wabbit.
func isVowpalWabbit(start []byte) bool {
	const few = 10
	rows := 0
	for line := range bytes.Lines(start) {
		switch {
		case len(bytes.TrimSpace(line)) == 0 || rows == few:
		case !vowpalWabbit.Match(line):
			return false
		default:
			rows++
		}
	}
	return rows > 0
}

// newReader returns the text of in, which is not UTF-16.
func newReader(in *bufio.Reader, name string) *Reader {
	t := &Reader{in: in, name: name, line: 1}
	if start, _ := in.Peek(len(Mark)); string(start) == Mark {
		n, _ := in.Discard(len(Mark))
		t.offset, t.begins, t.decided = int64(n), int64(n), true
	}
	return t
}

func (t *Reader) Read(p []byte) (int, error) {
	if t.checked == 0 {
		if err := t.check(); err != nil {
			return 0, err
		}
	}
	n, err := t.in.Read(p[:min(len(p), t.checked)])
	t.checked -= n
	return n, err
}

// decodeLatin1 makes UTF-8 of the rest of the text.
func (t *Reader) decodeLatin1() {
	decoded := transform.NewReader(t.in, charmap.Windows1252.NewDecoder())
	t.in = bufio.NewReaderSize(decoded, t.in.Size())
	t.From, t.decided = "Latin-1", true
}

// utf16Order returns the order of bytes of UTF-16, if the text has its byte-order mark.
func utf16Order(start []byte) (order unicode.Endianness, ok bool) {
	switch {
	case bytes.HasPrefix(start, []byte("\xff\xfe")):
		return unicode.LittleEndian, true
	case bytes.HasPrefix(start, []byte("\xfe\xff")):
		return unicode.BigEndian, true
	}
	return order, false
}
