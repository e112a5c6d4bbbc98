package naming_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fairtrain/fairtrain/internal/naming"
)

// TestData: no folder is in a name, also not one with a comma.
func TestData(t *testing.T) {
	odd := filepath.Join(t.TempDir(), "a,b")
	if err := os.Mkdir(odd, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(odd, "rows.csv")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"rows": "rows", "x/rows": "rows", "x/a,/y/b,c": "a,b,c", "x/*.csv": "*.csv", path: "rows.csv",
	} {
		if got := naming.Data(name); got != want {
			t.Errorf("%s becomes %s, want %s", name, got, want)
		}
	}
}
