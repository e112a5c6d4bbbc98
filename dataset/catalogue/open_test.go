package catalogue

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const plain = "+1 1:1 3:1\n-1 2:1\n"

// bzipped is the text plain, compressed by bzip2; the standard library can't compress by it.
const bzipped = "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x74\x77\x24\xf2\x00\x00\x02\xd8\x00\x00" +
	"\x10\x40\x0a\x38\x10\x20\x00\x31\x0c\x08\x19\x18\x9a\x32\x30\x50\xe6\xc3\xd6\xf8" +
	"\xbb\x92\x29\xc2\x84\x83\xa3\xb9\x27\x90"

func gzipped(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(plain)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zstandard(t *testing.T) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return z.EncodeAll([]byte(plain), nil)
}

func readAll(path string, stdin io.Reader) (string, error) {
	fs := &textFiles{paths: []string{path}, stdin: stdin, last: io.NopCloser(nil)}
	f, err := fs.open()
	if err != nil {
		return "", err
	}
	defer fs.last.Close()
	content, err := io.ReadAll(f)
	return string(content), err
}

// TestCompressionIsFoundByContent: the names of the files do not tell the compression.
func TestCompressionIsFoundByContent(t *testing.T) {
	for name, content := range map[string][]byte{
		"plain": []byte(plain),
		"gzip":  gzipped(t),
		"bzip2": []byte(bzipped),
		"zstd":  zstandard(t),
		"short": []byte("x"),
		"empty": nil,
	} {
		want := plain
		if len(content) < 2 {
			want = string(content)
		}
		path := filepath.Join(t.TempDir(), "data")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := readAll(path, nil); err != nil || got != want {
			t.Errorf("%s: read %q, %v", name, got, err)
		}
		if got, err := readAll("-", bytes.NewReader(content)); err != nil || got != want {
			t.Errorf("%s from stdin: read %q, %v", name, got, err)
		}
	}
}

func TestOpenErrorsNameTheFile(t *testing.T) {
	damaged := func(content []byte, at int) []byte {
		content = bytes.Clone(content)
		content[at] ^= 0xff
		return content
	}
	zip, zst := gzipped(t), zstandard(t)
	for name, content := range map[string][]byte{
		"gzip header":     damaged(zip, 2),
		"gzip checksum":   damaged(zip, len(zip)-6),
		"gzip truncated":  zip[:len(zip)-9],
		"bzip2 truncated": []byte(bzipped)[:len(bzipped)-5],
		"zstd checksum":   damaged(zst, len(zst)-1),
		"zstd truncated":  zst[:len(zst)-3],
	} {
		path := filepath.Join(t.TempDir(), "damaged")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := readAll(path, nil); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: read %q, error %v; want one that names the file", name, got, err)
		}
	}

	dir := t.TempDir()
	missing := filepath.Join(dir, "missing")
	if _, err := readAll(missing, nil); !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), missing) {
		t.Errorf("missing file: error %v", err)
	}
}

// TestGzipMembers: a file may have several members, as cat makes it. Other bytes behind them are an
// error, which does not say that the file is cut off.
func TestGzipMembers(t *testing.T) {
	zip := string(gzipped(t))
	for behind, want := range map[string]string{
		zip: "", "x": "is cut off", "xy": "is cut off", "\x1f": "is cut off",
		strings.Repeat("x", 100): "invalid header", zip[:15]: "is cut off",
	} {
		got, err := readAll("-", strings.NewReader(zip+behind))
		said := ""
		if err != nil {
			said = err.Error()
		}
		if !strings.HasPrefix(got, plain) || want == "" && (err != nil || got != plain+plain) ||
			!strings.Contains(said, want) {
			t.Errorf("%q behind: read %q, error %v, want %q", behind, got, err, want)
		}
	}
}
