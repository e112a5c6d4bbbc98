package files

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"cloud.google.com/go/storage"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/fairtrain/fairtrain/internal/once"
)

// Failure is an error of a bucket, or of the network before it. Another try may not have it.
type Failure struct{ error }

// Unwrap returns the error.
func (f Failure) Unwrap() error { return f.error }

// bucket is the file system of a path, for one call.
type bucket struct {
	filesystem.Interface
	ctx     context.Context
	silence *time.Timer
}

// patience is how long nothing may be heard of a bucket. The clients of buckets would try for ever.
var patience = 2 * time.Minute

// in does something with the file system of a path, and again while a bucket is too busy for it.
func in[T any](path string, do func(*bucket) (T, error)) (done T, err error) {
	system, err := systemOf(path)
	if err != nil {
		return done, err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	silence := time.AfterFunc(patience, func() { cancel(fmt.Errorf("nothing was heard for %v", patience)) })
	defer silence.Stop()
	b := &bucket{system, ctx, silence}
	for wait := shortest; ; wait = min(2*wait, longest) {
		if done, err = do(b); !storage.ShouldRetry(err) || !b.sleep(wait) {
			break
		}
	}
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = fmt.Errorf("%w: %w", cause, err)
		}
		err = Failure{fmt.Errorf("%s: %w", path, err)}
	}
	return done, err
}

// systems are file systems by the scheme of their paths. All calls share the connections and the
// credentials of one client.
var systems once.Values[string, filesystem.Interface]

func systemOf(path string) (filesystem.Interface, error) {
	scheme, _, _ := strings.Cut(path, "://")
	return systems.Get(scheme, func() (filesystem.Interface, error) { return newSystem(path) })
}

func newSystem(path string) (s filesystem.Interface, err error) {
	defer func() {
		if wrong := recover(); wrong != nil { // the one for s3:// panics when its configuration is wrong
			err = fmt.Errorf("%s: %v", path, wrong)
		}
	}()
	// Files have checksums of ours. Amazon's client would warn of each object that has none of Amazon's.
	const checksums = "AWS_RESPONSE_CHECKSUM_VALIDATION"
	if os.Getenv(checksums) == "" {
		if err := os.Setenv(checksums, "when_required"); err != nil {
			return nil, err
		}
	}
	return filesystem.New(context.Background(), path)
}

// Between two tries.
const shortest, longest = time.Second / 10, 30 * time.Second

// sleep reports whether there is time for another try.
func (b *bucket) sleep(wait time.Duration) bool {
	select {
	case <-b.ctx.Done():
		return false
	case <-time.After(wait):
		return true
	}
}

// heard reads what comes from a bucket.
type heard struct {
	io.Reader
	b *bucket
}

func (h heard) Read(to []byte) (int, error) {
	n, err := h.Reader.Read(to)
	if n > 0 {
		h.b.silence.Reset(patience)
	}
	return n, err
}
