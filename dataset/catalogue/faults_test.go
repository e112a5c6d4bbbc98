package catalogue

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
)

// TestFetchFaults breaks the connection after every number of bytes, and makes every step of
// writing fail. Then there is the whole old file or the whole new file. A further download
// succeeds.
func TestFetchFaults(t *testing.T) {
	body := twoRows
	most := len(body) // bytes that the server sends before it goes
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Write([]byte(body[:most])) // a short answer breaks the connection
	})
	dir := t.TempDir()
	path := filepath.Join(dir, "two")
	download := func() error {
		_, err := Fetch(t.Context(), knownFile(server.URL), dir, nil)
		return err
	}
	expect := func(contents ...string) {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil || !slices.Contains(contents, string(text)) {
			t.Errorf("the file is %q (%v)", text, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, atomicfile.Prefix+"*")); len(left) > 0 {
			t.Errorf("left are %q", left)
		}
	}
	begin := func() {
		if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for most = range body {
		begin()
		if err := download(); err == nil || !strings.Contains(err.Error(), "two") {
			t.Errorf("%d bytes of %d: %v", most, len(body), err)
		}
		expect("old")
	}
	most = len(body)
	faults := 0
	for {
		begin()
		count, failed := 0, false
		atomicfile.Fault = func(string) error {
			if count++; count > faults {
				failed = true
				return syscall.ENOSPC
			}
			return nil
		}
		err := download()
		atomicfile.Fault = nil
		if !failed {
			break
		}
		faults++
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("step %d: %v", faults, err)
		}
		expect("old", body)
		if err := download(); err != nil {
			t.Errorf("after a fault in step %d: %v", faults, err)
		}
		expect(body)
	}
	if faults < 5 {
		t.Errorf("%d steps: some are not asked about", faults)
	}
	t.Logf("%d broken connections, %d calls failed", len(body), faults)
}
