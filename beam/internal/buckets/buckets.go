// Package buckets has a bucket for tests: a server that speaks as much of Google's protocol as Beam's
// file system for gs:// does.
package buckets

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Bucket is the objects of a bucket.
type Bucket struct {
	mu      sync.Mutex
	objects map[string][]byte
	refuse  func(*http.Request) int
}

// Serve makes gs://rows a bucket of this test, the only one that there is.
func Serve(t *testing.T) *Bucket {
	t.Helper()
	b := &Bucket{objects: map[string][]byte{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /storage/v1/b/rows/o", b.list)
	mux.HandleFunc("POST /upload/storage/v1/b/rows/o", b.put)
	mux.HandleFunc("GET /rows/{name...}", b.get)
	mux.HandleFunc("DELETE /storage/v1/b/rows/o/{name...}", b.remove)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.refuse != nil {
			if status := b.refuse(r); status != 0 {
				http.Error(w, "refused by the test", status)
				return
			}
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	t.Setenv("STORAGE_EMULATOR_HOST", strings.TrimPrefix(server.URL, "http://"))
	return b
}

// Refuse has the bucket answer with the status that f returns, unless it is 0.
func (b *Bucket) Refuse(f func(*http.Request) (status int)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refuse = f
}

type object struct {
	Bucket string `json:"bucket"`
	Name   string `json:"name"`
}

func (b *Bucket) list(w http.ResponseWriter, r *http.Request) {
	var found struct {
		Items []object `json:"items"`
	}
	for name := range b.objects {
		if strings.HasPrefix(name, r.FormValue("prefix")) {
			found.Items = append(found.Items, object{"rows", name})
		}
	}
	slices.SortFunc(found.Items, func(a, b object) int { return strings.Compare(a.Name, b.Name) })
	reply(w, found)
}

// put takes a name and a content, the two parts of what is sent.
func (b *Bucket) put(w http.ResponseWriter, r *http.Request) {
	_, kind, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	parts := multipart.NewReader(r.Body, kind["boundary"])
	var texts [2][]byte
	for k := range texts {
		var part *multipart.Part
		if err == nil {
			part, err = parts.NextPart()
		}
		if err == nil {
			texts[k], err = io.ReadAll(part)
		}
	}
	var o object
	if err == nil {
		err = json.Unmarshal(texts[0], &o)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	b.objects[o.Name] = texts[1]
	reply(w, o)
}

func (b *Bucket) get(w http.ResponseWriter, r *http.Request) {
	content, there := b.objects[r.PathValue("name")]
	if !there {
		http.NotFound(w, r)
		return
	}
	_, _ = io.Copy(w, bytes.NewReader(content))
}

func (b *Bucket) remove(w http.ResponseWriter, r *http.Request) {
	delete(b.objects, r.PathValue("name"))
	w.WriteHeader(http.StatusNoContent)
}

func reply(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}
