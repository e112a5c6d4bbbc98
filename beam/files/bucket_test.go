package files

import (
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/fairtrain/fairtrain/beam/internal/buckets"
	"github.com/fairtrain/fairtrain/internal/once"
)

// TestBucket does all that is done with files in a bucket that is too busy for every other change.
func TestBucket(t *testing.T) {
	b, dir := served(t), "gs://rows/folder"
	changes := 0
	b.Refuse(func(r *http.Request) int {
		if r.Method == http.MethodGet {
			return 0
		}
		changes++
		return changes % 2 * http.StatusServiceUnavailable
	})
	if err := Folder(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b", "a", "ab"} {
		if err := Write(Join(dir, name), []byte("text of "+name)); err != nil {
			t.Fatal(err)
		}
	}
	Remove(Join(dir, "b"))
	if paths, err := Glob(dir + "/*"); err != nil || strings.Join(paths, " ") != dir+"/a "+dir+"/ab" {
		t.Errorf("%q match: %v", paths, err)
	}
	for name, want := range map[string]string{"a": "text of a", "b": ""} {
		if content, err := Read(Join(dir, name)); err != nil || string(content) != want {
			t.Errorf("%s is %q, want %q: %v", name, content, want, err)
		}
	}
	copied := ""
	err := Mapped(Join(dir, "ab"), func(path string) error {
		copied = path
		content, err := os.ReadFile(path)
		if string(content) != "text of ab" {
			t.Errorf("the copy is %q", content)
		}
		return err
	})
	if _, left := os.Stat(copied); err != nil || left == nil {
		t.Errorf("a copy: %v, left: %v", err, left == nil)
	}
}

// TestFailures uses buckets that refuse, that are not there, and that are silent.
func TestFailures(t *testing.T) {
	b, path := served(t), "gs://rows/file"
	refuse := func(status int) func() {
		return func() { b.Refuse(func(*http.Request) int { return status }) }
	}
	everything := map[string]func(path string) error{
		"glob":   func(path string) error { _, err := Glob(path); return err },
		"read":   func(path string) error { _, err := Read(path); return err },
		"write":  func(path string) error { return Write(path, nil) },
		"folder": Folder,
		"mapped": func(path string) error { return Mapped(path, func(string) error { return nil }) },
	}
	defer func(before time.Duration) { patience = before }(patience)
	for _, test := range []struct {
		path, says string
		prepare    func()
	}{
		{path, "403", refuse(http.StatusForbidden)},
		{"gs://none/file", "", refuse(0)},
		{path, "nothing was heard for 50ms", func() {
			patience = 50 * time.Millisecond
			refuse(http.StatusServiceUnavailable)()
		}},
	} {
		test.prepare()
		for name, do := range everything {
			err := do(test.path)
			if err == nil || !strings.HasPrefix(err.Error(), test.path) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s: error %v, want one of %s that has %q", name, err, test.path, test.says)
			}
			if _, again := errors.AsType[Failure](err); !again {
				t.Errorf("%s: error %v is for good", name, err)
			}
		}
	}
}

// TestConfiguration has a profile that is not there.
func TestConfiguration(t *testing.T) {
	systems = once.Values[string, filesystem.Interface]{}
	t.Setenv("AWS_PROFILE", "none")
	if _, err := Glob("s3://rows/*"); err == nil || !strings.HasPrefix(err.Error(), "s3://rows/*: ") {
		t.Errorf("error %v", err)
	}
}

// served is the bucket of this test. The client is a new one.
func served(t *testing.T) *buckets.Bucket {
	t.Helper()
	systems = once.Values[string, filesystem.Interface]{}
	return buckets.Serve(t)
}
