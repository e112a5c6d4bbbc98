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

func TestTitle(t *testing.T) {
	for name, want := range map[string]string{
		"x/rows.csv": "rows.csv", "/a/1.csv,/a/2.csv,/a/3.csv": "1.csv, 2.csv, 3.csv", "a/1.csv,2.csv,3.csv,4.csv": "1.csv and 3 other files",
	} {
		if got := naming.Title(name); got != want {
			t.Errorf("%s becomes %s, want %s", name, got, want)
		}
	}
}
