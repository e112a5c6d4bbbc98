package catalogue

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

// TestParquetFiles: a name stands for a Parquet file, those of a folder, or those that a
// pattern matches.
func TestParquetFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	if err := parquet.Write(&out, []struct{ X int }{{1}, {2}}); err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string][]byte{
		"rows": out.Bytes(), "more[1]/b.parquet": out.Bytes(), "more[1]/a.parquet": out.Bytes(), "more[1]/c.csv": []byte("x\n1\n"), "empty/d.csv": nil,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	both := []string{"more[1]/a.parquet", "more[1]/b.parquet"}
	for name, want := range map[string][]string{
		"rows": {"rows"}, "more[1]": both, "more[[]1]/?.parquet": both, "more[1]/a.parquet": both[:1],
		"more[1]/c.csv": nil, "empty": nil, "none": nil, "-": nil, "synthetic": nil, "[": nil, "*.parquet": nil,
	} {
		got, err := parquetFiles(name)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got)\n%s", name, err, diff)
		}
		if want != nil && cmp.Diff(want, Sources(name)) != "" {
			t.Errorf("%s: sources %q", name, Sources(name))
		}
	}
	if got, err := parquetFiles("more[[]1]/*"); err == nil {
		t.Errorf("files of other formats: %q", got)
	}
}
