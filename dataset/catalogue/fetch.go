package catalogue

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
	"time"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
)

// patience is how long a server may send nothing.
var patience = 30 * time.Second

// Fetch downloads f into the directory dir, which it creates if need be, and returns the path. The
// file appears only when it is complete and has the known checksum. After an error, dir is as it
// was before: an older file of that name is still there. Fetch reads little more than the size of
// the known file.
//
// The environment variable FAIRTRAIN_MIRROR, if set, is the URL of a directory to download from
// instead. A deadline or a cancellation comes through ctx. Progress, unless nil, is told the bytes
// received and the bytes expected.
func Fetch(ctx context.Context, f File, dir string, progress func(done, total int64)) (path string, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(patience, func() { cancel(fmt.Errorf("the server has sent nothing for %v", patience)) })
	defer timer.Stop()
	path = filepath.Join(dir, f.Name)
	err = fetch(ctx, f, path, &meter{most: f.Bytes, alive: func() { timer.Reset(patience) }, progress: progress})
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	if err != nil {
		return "", fmt.Errorf("fetch %s: %w", f.Name, err)
	}
	return path, nil
}

func fetch(ctx context.Context, f File, path string, in *meter) error {
	from, err := f.source()
	if err != nil {
		return err
	}
	resp, err := get(ctx, from)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	tmp, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer tmp.Discard()
	in.r, in.total = resp.Body, resp.ContentLength
	if in.total < 0 {
		in.total = f.Bytes
	}
	if in.total > in.most {
		return fmt.Errorf("%s has %d bytes, the known file %d", from, in.total, f.Bytes)
	}
	sum, err := download(tmp, in)
	if err != nil {
		return err
	}
	if sum != f.SHA256 {
		return fmt.Errorf("not the file expected: SHA-256 is %s, not %s", sum, f.SHA256)
	}
	return tmp.Commit()
}

// IsAt reports whether the file at path is f, byte for byte.
func (f File) IsAt(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return false
	}
	return hex.EncodeToString(hash.Sum(nil)) == f.SHA256
}

// source is the URL to download f from.
func (f File) source() (string, error) {
	mirror := os.Getenv("FAIRTRAIN_MIRROR")
	if mirror == "" {
		return f.URL, nil
	}
	from, err := url.JoinPath(mirror, f.Name)
	if err != nil {
		return "", fmt.Errorf("FAIRTRAIN_MIRROR: %w", err)
	}
	return from, nil
}

// get asks for a file and returns the answer if it is 200 OK.
func get(ctx context.Context, from string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, err
	}
	// Compressed, the answer would have no length, and nobody would notice that it was cut
	// short.
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := http.DefaultClient.Do(req)
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

// meter reports how much has been read, and remembers why reading failed.
type meter struct {
	r                 io.Reader
	done, total, most int64  // bytes; reading fails beyond most
	alive             func() // called whenever something comes
	progress          func(done, total int64)
	err               error
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.done += int64(n)
	if n > 0 {
		m.alive()
	}
	if m.done > m.most {
		err = fmt.Errorf("there are more bytes than the %d at most expected", m.most)
	}
	if err != nil && err != io.EOF {
		m.err = err
	}
	if m.progress != nil {
		m.progress(m.done, m.total)
	}
	return n, err
}
