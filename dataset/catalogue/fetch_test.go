package catalogue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// knownFile is a File with the content of twoRows.
func knownFile(url string) File {
	sum := sha256.Sum256([]byte(twoRows))
	return File{
		Name:   "two",
		URL:    url + "/two",
		SHA256: hex.EncodeToString(sum[:]),
		Bytes:  int64(len(twoRows)),
	}
}

func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Setenv("FAIRTRAIN_MIRROR", "")
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

func answer(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) }
}

// endless sends rows until nobody reads any more.
func endless(w http.ResponseWriter, _ *http.Request) {
	for {
		if _, err := io.WriteString(w, twoRows); err != nil {
			return
		}
	}
}

// expectNothingIn fails unless dir is empty.
func expectNothingIn(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Errorf("left in the directory: %v, error %v", left, err)
	}
}

func TestFetch(t *testing.T) {
	server := serve(t, answer(twoRows))
	dir := filepath.Join(t.TempDir(), "new", "cache")
	var done, total int64
	path, err := Fetch(t.Context(), knownFile(server.URL), dir, func(d, n int64) { done, total = d, n })
	if err != nil || path != filepath.Join(dir, "two") {
		t.Fatalf("path %s, error %v", path, err)
	}
	if size := int64(len(twoRows)); done != size || total != size {
		t.Errorf("last progress %d of %d bytes, want %d", done, total, size)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != twoRows {
		t.Errorf("stored %q, error %v", got, err)
	}
}

func TestFetchErrors(t *testing.T) {
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		want    []string
		is      error
	}{
		{"not found", http.NotFound, []string{"/two: the server answers 404 Not Found"}, nil},
		{"rows in another order", answer("-1 2:1\n+1 1:1 3:1\n"), []string{"not the file expected: SHA-256 is "}, nil},
		{"another length", answer(twoRows + twoRows), []string{"not the file expected"}, nil},
		{"without an end", endless, []string{"not the file expected"}, nil},
		{"wrong rows", answer("+1 1:1\n-1 2:1\n"), []string{"not the file expected", "SHA-256"}, nil},
		{"a web page", answer("<!DOCTYPE html>\n<p>Please log in."), []string{"not the file expected"}, nil},
		{"nothing", answer(""), []string{"not the file expected"}, nil},
		{"truncated", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(len(twoRows)))
			io.WriteString(w, twoRows[:10])
		}, []string{"after 10 of 18 bytes"}, io.ErrUnexpectedEOF},
		{"truncated chunks", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, twoRows[:10])
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, []string{"after 10 of 18 bytes"}, io.ErrUnexpectedEOF},
		{"truncated without a word", answer(twoRows[:11]), []string{"not the file expected"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := serve(t, c.handler)
			dir := t.TempDir()
			path, err := Fetch(t.Context(), knownFile(server.URL), dir, nil)
			if err == nil {
				t.Fatalf("fetched %s", path)
			}
			for _, part := range append(c.want, "fetch two: ") {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not say %q", err, part)
				}
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("error %q is not %v", err, c.is)
			}
			expectNothingIn(t, dir)
		})
	}
}

func TestFetchWithoutNetwork(t *testing.T) {
	server := serve(t, http.NotFound)
	server.Close()
	dir := t.TempDir()
	_, err := Fetch(t.Context(), knownFile(server.URL), dir, nil)
	if _, ok := errors.AsType[*net.OpError](err); !ok || !strings.Contains(err.Error(), server.URL) {
		t.Errorf("nobody listening: %v", err)
	}
	expectNothingIn(t, dir)
}

func TestFetchCancelled(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, twoRows[:10])
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	_, err := Fetch(ctx, knownFile(server.URL), dir, func(int64, int64) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled half-way: %v", err)
	}
	expectNothingIn(t, dir)
}

// TestFetchStalled downloads from servers that stop sending, before and after the first byte.
func TestFetchStalled(t *testing.T) {
	defer func(usual time.Duration) { patience = usual }(patience)
	patience = 50 * time.Millisecond
	for name, start := range map[string]string{"silent": "", "half-way": twoRows[:10]} {
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if start != "" {
				io.WriteString(w, start)
				http.NewResponseController(w).Flush()
			}
			<-r.Context().Done()
		})
		dir := t.TempDir()
		_, err := Fetch(t.Context(), knownFile(server.URL), dir, nil)
		if err == nil || !strings.HasSuffix(err.Error(), "the server has sent nothing for 50ms") {
			t.Errorf("%s: %v", name, err)
		}
		expectNothingIn(t, dir)
	}
}

func TestFetchKeepsAnOldFileOnError(t *testing.T) {
	server := serve(t, answer("+1 1:1\n-1 2:1\n"))
	dir := t.TempDir()
	old := filepath.Join(dir, "two")
	write(t, old, twoRows)
	if _, err := Fetch(t.Context(), knownFile(server.URL), dir, nil); err == nil {
		t.Fatal("fetched other rows")
	}
	if got, err := os.ReadFile(old); err != nil || string(got) != twoRows {
		t.Errorf("the old file holds %q, error %v", got, err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files in the directory, want 1", len(files))
	}
}

func TestFetchIntoAFile(t *testing.T) {
	server := serve(t, answer(twoRows))
	dir := t.TempDir()
	occupied := filepath.Join(dir, "occupied")
	write(t, occupied, "")
	_, err := Fetch(t.Context(), knownFile(server.URL), occupied, nil)
	if err == nil || !strings.Contains(err.Error(), occupied) {
		t.Errorf("the directory is a file: %v", err)
	}
}

func TestFetchFromAMirror(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/copies/two" {
			http.NotFound(w, r)
			return
		}
		io.WriteString(w, twoRows)
	})
	f := knownFile("http://original.invalid")
	for _, mirror := range []string{server.URL + "/copies", server.URL + "/copies/"} {
		t.Setenv("FAIRTRAIN_MIRROR", mirror)
		if _, err := Fetch(t.Context(), f, t.TempDir(), nil); err != nil {
			t.Errorf("%s: %v", mirror, err)
		}
	}
	t.Setenv("FAIRTRAIN_MIRROR", "http://[broken")
	dir := t.TempDir()
	if _, err := Fetch(t.Context(), f, dir, nil); err == nil || !strings.Contains(err.Error(), "FAIRTRAIN_MIRROR") {
		t.Errorf("broken mirror: %v", err)
	}
	expectNothingIn(t, dir)
}
