package catalogue

import (
	"cmp"
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
// instead. A deadline or a cancellation comes through ctx. Progress, unless nil, gets the bytes
// received and the bytes expected.
func Fetch(ctx context.Context, f File, dir string, progress func(done, total int64)) (path string, err error) {
	path = filepath.Join(dir, f.Name)
	if err := fetch(ctx, f, path, progress); err != nil {
		return "", fmt.Errorf("fetch %s: %w", f.Name, err)
	}
	return path, nil
}

func fetch(ctx context.Context, f File, path string, progress func(done, total int64)) error {
	from, err := f.source()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(patience, func() { cancel(fmt.Errorf("the server has sent nothing for %v", patience)) })
	defer timer.Stop()
	body, err := get(ctx, from)
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	defer body.Close()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	tmp, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer tmp.Discard()
	hash := sha256.New()
	in := &meter{io.LimitReader(body, f.Bytes+1), 0, func(done int64) {
		timer.Reset(patience)
		if progress != nil {
			progress(done, f.Bytes)
		}
	}}
	if _, err := io.Copy(io.MultiWriter(tmp, hash), in); err != nil {
		return fmt.Errorf("after %d of %d bytes: %w", in.done, f.Bytes, cmp.Or(context.Cause(ctx), err))
	}
	if sum := hex.EncodeToString(hash.Sum(nil)); sum != f.SHA256 {
		return fmt.Errorf("not the file expected: SHA-256 is %s, not %s", sum, f.SHA256)
	}
	return tmp.Commit()
}

// meter reports how much has been read.
type meter struct {
	io.Reader
	done   int64 // bytes
	report func(done int64)
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	if n > 0 {
		m.done += int64(n)
		m.report(m.done)
	}
	return n, err
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

// get returns the content at a URL.
func get(ctx context.Context, from string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err // says the URL
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("%s: the server answers %s", from, resp.Status)
	}
	return resp.Body, nil
}
