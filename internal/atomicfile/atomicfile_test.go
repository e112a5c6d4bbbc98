package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/internal/childtest"
)

// waitHere makes the test binary write half a file, say so and wait to be killed.
const waitHere = "ATOMICFILE_WAIT_WITH"

func TestMain(m *testing.M) {
	if path := os.Getenv(waitHere); path != "" {
		p, err := Create(path)
		if err != nil {
			panic(err)
		}
		p.WriteString("half")
		os.Stdout.WriteString("written\n")
		time.Sleep(time.Hour) // a select would be a deadlock, which ends the program
		runtime.KeepAlive(p)
	}
	os.Exit(m.Run())
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, content := range []string{"first", "second, which is longer", ""} {
		if err := WriteFile(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got := read(t, path); got != content {
			t.Errorf("content %q, want %q", got, content)
		}
	}
	if diff := cmp.Diff([]string{"file"}, names(t, dir)); diff != "" {
		t.Errorf("folder (-want +got)\n%s", diff)
	}
}

func TestPermissionsAreKept(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has one permission")
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, []byte("secret")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v (%v), want 0600", info.Mode(), err)
	}
}

// TestLinkIsFollowed writes through links to a file, whose folder has no trace of it then,
// and to one that does not exist yet.
func TestLinkIsFollowed(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, link := range [][2]string{{"sub/there", "one"}, {"one", "two"}, {"sub/new", "three"}} {
		if err := os.Symlink(link[0], filepath.Join(dir, link[1])); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "sub", "there"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	for link, file := range map[string]string{"two": "there", "three": "new"} {
		if err := WriteFile(filepath.Join(dir, link), []byte(link)); err != nil {
			t.Fatal(err)
		}
		if got := read(t, filepath.Join(dir, "sub", file)); got != link {
			t.Errorf("%s: content %q, want %q", file, got, link)
		}
		if info, err := os.Lstat(filepath.Join(dir, link)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is no link any more (%v)", link, err)
		}
	}
	if diff := cmp.Diff([]string{"new", "there"}, names(t, filepath.Join(dir, "sub"))); diff != "" {
		t.Errorf("folder (-want +got)\n%s", diff)
	}
}

func TestDiscard(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := WriteFile(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	p, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.WriteString("new"); err != nil {
		t.Fatal(err)
	}
	p.Discard()
	if got := read(t, path); got != "old" {
		t.Errorf("content %q", got)
	}
	if diff := cmp.Diff([]string{"file"}, names(t, dir)); diff != "" {
		t.Errorf("folder (-want +got)\n%s", diff)
	}
}

func TestCreateErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := Create(filepath.Join(dir, "no", "file")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
	if _, err := Create(dir); err == nil {
		t.Error("a folder can be replaced")
	}
	if _, err := os.Stat(os.DevNull); err == nil && runtime.GOOS != "windows" {
		if _, err := Create(os.DevNull); err == nil {
			t.Error("a device can be replaced")
		}
	}
}

// TestLeftovers kills a program that is writing. What it leaves is removed, but not before
// it is dead, and nothing else is.
func TestLeftovers(t *testing.T) {
	for name, sweep := range map[string]func(path string) error{
		"next write": func(path string) error { return WriteFile(path, []byte("new")) },
		"sweep": func(path string) error {
			Sweep(filepath.Dir(path))
			return WriteFile(path, []byte("new"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "file")
			other := filepath.Join(dir, ".file123")
			if err := os.WriteFile(other, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			child := childtest.Start(t, waitHere+"="+path)
			if err := sweep(path); err != nil {
				t.Error(err)
			}
			if got := names(t, dir); len(got) != 3 {
				t.Errorf("while it lives: %q", got)
			}
			childtest.Kill(t, child)
			if err := sweep(path); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff([]string{".file123", "file"}, names(t, dir)); diff != "" {
				t.Errorf("after its death (-want +got)\n%s", diff)
			}
		})
	}
}

func TestTarget(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.MkdirAll("a/b", 0o755); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"link": "a/b", "a/new": "../fresh", "chain": "a/new", "absolute": filepath.Join(dir,
			"fresh"), "circle": "circle",
	} {
		if err := os.Symlink(target, link); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	for path, want := range map[string]string{
		"fresh":             "fresh",
		"./a/../fresh":      "fresh",
		"link/fresh":        "a/b/fresh",
		"link/../fresh":     "a/fresh", // not ./fresh
		"link/":             "a/b",
		"a/new":             "fresh",
		"chain":             "fresh",
		"absolute":          "fresh",
		"no/such/../folder": "no/folder",
		"circle":            "circle",
	} {
		if got := Target(path); got != filepath.Join(dir, want) {
			t.Errorf("%s leads to %s, want %s", path, got, filepath.Join(dir, want))
		}
	}
}
