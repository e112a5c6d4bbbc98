package passes

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"

	"github.com/fairtrain/fairtrain/beam/files"
	"github.com/fairtrain/fairtrain/beam/internal/buckets"
	"github.com/fairtrain/fairtrain/beam/shards"
	"github.com/fairtrain/fairtrain/model"
)

// TestBucket has the shards, the sums of workers and the answers in file systems of Beam's: one in
// memory, and one of a server that is too busy now and then.
func TestBucket(t *testing.T) {
	t.Run("memory", func(t *testing.T) { inBucket(t, "memfs://bucket") })
	t.Run("server", func(t *testing.T) {
		b, requests := buckets.Serve(t), 0
		b.Refuse(func(*http.Request) int {
			requests++
			if requests%10 == 0 {
				return http.StatusServiceUnavailable
			}
			return 0
		})
		inBucket(t, "gs://rows")
	})
}

func inBucket(t *testing.T, bucket string) {
	list, _, state := written(t, 3)
	fair := state()
	n, _ := fair.Dims()
	x := make([]float64, n)
	want := fair.Objective(x, nil)

	for _, s := range list {
		content, err := os.ReadFile(s.Path)
		if err != nil {
			t.Fatal(err)
		}
		if err := files.Write(files.Join(bucket, filepath.Base(s.Path)), content); err != nil {
			t.Fatal(err)
		}
	}
	there, in, err := shards.Open(bucket + "/part-*")
	if err != nil {
		t.Fatal(err)
	}
	for _, jobs := range []int{1, 0} { // then the answer is there
		p := New(there, bucket+"/sums", bucket+"/answers")
		o := model.DefaultOptions()
		o.Remote = p
		fair, err := model.New(in.Rows, in.Rows, []model.Constraint{model.DemographicParity.For("71", 0.01)}, o)
		if err != nil {
			t.Fatal(err)
		}
		if f := fair.Objective(x, nil); f != want || fair.Err() != nil || p.Jobs() != jobs {
			t.Errorf("f is %v after %d jobs, want %v after %d: %v", f, p.Jobs(), want, jobs, fair.Err())
		}
	}
	if left, err := files.Glob(bucket + "/sums/*"); err != nil || len(left) > 0 {
		t.Errorf("%q are left: %v", left, err)
	}

	if err := files.Write(there[1].Path, []byte("damaged")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := shards.Open(bucket + "/part-*"); err == nil || !strings.HasPrefix(err.Error(), there[1].Path) {
		t.Errorf("error %v, want one of %s", err, there[1].Path)
	}
	if _, _, err := shards.Open("none://bucket/*"); err == nil {
		t.Error("shards in a file system that nobody knows")
	}
}
