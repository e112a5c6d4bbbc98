package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
)

// Checked says what a fetched file was recognised by.
type Checked string

const (
	ByHash    Checked = "SHA-256" // it is the known file, byte for byte
	ByContent Checked = "content" // its bytes differ, but the rows have the known Fingerprint
)

// Fetch downloads f into the directory dir, which it creates if need be, and returns the
// path and what the file was recognised by. The file appears only when it is complete
// and recognised; after an error there is nothing of it in dir, and a file of that name
// that was there before is untouched.
//
// The environment variable FAIRTRAIN_MIRROR, if set, is the URL of a directory to
// download from instead. progress, unless nil, is told the bytes received and the bytes
// expected. A deadline or a cancellation comes through ctx.
func Fetch(ctx context.Context, client *http.Client, f File, dir string, progress func(done, total int64)) (path string, by Checked, err error) {
	path = filepath.Join(dir, f.Name)
	by, err = fetch(ctx, client, f, path, progress)
	if err != nil {
		return "", "", fmt.Errorf("fetch %s: %w", f.Name, err)
	}
	return path, by, nil
}

func fetch(ctx context.Context, client *http.Client, f File, path string, progress func(done, total int64)) (Checked, error) {
	resp, err := get(ctx, client, f)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	tmp, err := atomicfile.Create(path)
	if err != nil {
		return "", err
	}
	defer tmp.Discard()

	in := &meter{r: resp.Body, total: resp.ContentLength, progress: progress}
	if in.total < 0 {
		in.total = f.Bytes
	}
	sum, err := download(tmp, in)
	if err != nil {
		return "", err
	}
	by, err := recognise(f, sum, tmp)
	if err != nil {
		return "", err
	}
	return by, tmp.Commit()
}

// IsAt reports whether the file at path is f, byte for byte.
func (f File) IsAt(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	sum, err := download(io.Discard, &meter{r: file})
	return err == nil && sum == f.SHA256
}

// get asks for f and returns the answer if it is 200 OK.
func get(ctx context.Context, client *http.Client, f File) (*http.Response, error) {
	from := f.URL
	if mirror := os.Getenv("FAIRTRAIN_MIRROR"); mirror != "" {
		var err error
		if from, err = url.JoinPath(mirror, f.Name); err != nil {
			return nil, fmt.Errorf("FAIRTRAIN_MIRROR: %w", err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, err
	}
	// Compression under way would hide the length, and with it a truncation.
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := client.Do(req)
	if err != nil {
		return nil, err // says the URL
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("%s: the server answers %s", from, resp.Status)
	}
	return resp, nil
}

// download copies in to dst and returns the SHA-256 of what it copied.
func download(dst io.Writer, in *meter) (sum string, err error) {
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(dst, hash), in); err != nil {
		if in.err != nil {
			return "", fmt.Errorf("download broke off after %d of %d bytes: %w", in.done, in.total, in.err)
		}
		return "", fmt.Errorf("download cannot be stored: %w", err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// recognise checks that file, whose SHA-256 is sum, is f or at least holds the same rows.
func recognise(f File, sum string, file io.ReadSeeker) (Checked, error) {
	if sum == f.SHA256 {
		return ByHash, nil
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	d, err := ReadLIBSVM(file, ReadOptions{Name: f.Name})
	if err != nil {
		return "", fmt.Errorf("not the file expected: SHA-256 is %s, not %s, and the content does not parse: %w", sum, f.SHA256, err)
	}
	if got := FingerprintOf(d); got != f.Content {
		return "", fmt.Errorf("not the file expected: SHA-256 is %s, not %s, and the content has %+v, not %+v", sum, f.SHA256, got, f.Content)
	}
	return ByContent, nil
}

// meter reports how much has been read, and remembers why reading failed.
type meter struct {
	r           io.Reader
	done, total int64
	progress    func(done, total int64)
	err         error
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.done += int64(n)
	if err != nil && err != io.EOF {
		m.err = err
	}
	if m.progress != nil {
		m.progress(m.done, m.total)
	}
	return n, err
}
