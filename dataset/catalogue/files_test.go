package catalogue

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// TestFiles: a name stands for a file, those of a folder, those that a pattern matches, or for a
// list of such names.
func TestFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	if err := parquet.Write(&out, []struct{ X int }{{1}, {2}}); err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string][]byte{
		"rows": out.Bytes(), "more[1]/b.parquet": out.Bytes(), "more[1]/a.parquet": out.Bytes(), "more[1]/c.csv": []byte("x\n1\n"),
		"text/b.csv": nil, "text/a": nil, "text/_SUCCESS": nil, "text/.a.crc": nil, "text/.b.csv": nil, "known/x": nil, "elsewhere/known": nil, "one,two.csv": nil, "hidden/_x": nil, "hid/.x": nil,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("nowhere", "text/link"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FAIRTRAIN_DATA", "elsewhere") // whose files are known by their names, whatever folders there are
	both := []string{"more[1]/a.parquet", "more[1]/b.parquet"}
	for name, want := range map[string][]string{
		"rows": {"rows"}, "more[1]": {"more[1]/a.parquet", "more[1]/b.parquet", "more[1]/c.csv"}, "more[[]1]/?.parquet": both, "more[1]/a.parquet": both[:1], "more[1]/c.csv": {"more[1]/c.csv"},
		"text": {"text/a", "text/b.csv", "text/link"}, "text/*.csv": {"text/b.csv"}, "text/.*.csv": {"text/.b.csv"}, "text/b.csv,rows": {"text/b.csv", "rows"},
		"text,rows": {"text/a", "text/b.csv", "text/link", "rows"}, "known": {"elsewhere/known"}, "./known": {"known/x"},
		"one,two.csv": {"one,two.csv"}, "one,rows": nil, "rows,-": nil, "rows,": nil, "rows,hid/*": nil, ",": nil, "": nil,
		"hidden": nil, "none": nil, "more[1]/none": nil, "-": {"-"}, "synthetic": nil, "[": nil, "*.parquet": nil,
	} {
		got, err := filesOf(name)
		if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (want != nil) {
			t.Errorf("%q: %v (-want +got)\n%s", name, err, diff)
		}
		if want != nil && cmp.Diff(want, Sources(name)) != "" {
			t.Errorf("%q: sources %q", name, Sources(name))
		}
	}
	if name, err := List([]string{"rows", "text/*"}); name != "rows,text/*" || err != nil {
		t.Errorf("a list is %q, error %v", name, err)
	}
	for _, names := range [][]string{{"rows", "none"}, {"rows", "-"}, {"rows", "one,two.csv"}, {"synthetic", "rows"}, {"more[1]/none", "rows"}, {"hidden", "rows"}} {
		if name, err := List(names); err == nil {
			t.Errorf("%q are %q", names, name)
		}
	}
}

// TestFolderInFolder: a folder stands for its files, and is refused if it has others deeper down,
// but for hidden ones.
func TestFolderInFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(path string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x,y\n1,0\n2,1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("rows/a.csv")
	write("rows/_temporary/b.csv")
	if _, err := LoadTable("rows", nil, nil, tabular.Options{}); err != nil {
		t.Error(err)
	}
	write("rows/2024/c.csv")
	for _, name := range []string{"rows", "rows/", "rows,rows/2024", "rows/2024,rows"} {
		if _, err := LoadTable(name, nil, nil, tabular.Options{}); err == nil ||
			!strings.Contains(err.Error(), filepath.Join("rows", "2024")+": is a folder in the folder rows") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for _, name := range []string{"rows/2024", "rows/*/*.csv"} {
		if got, err := LoadTable(name, nil, nil, tabular.Options{}); err != nil || got.Rows == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
