package catalogue

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/datatest"
)

const twoRows = "+1 1:1 3:1\n-1 2:1\n"

// emptyWorld makes the working directory, $FAIRTRAIN_DATA and the cache empty, and
// returns the directories in which names are looked up, in order.
func emptyWorld(t *testing.T) []string {
	t.Helper()
	t.Chdir(t.TempDir())
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	t.Setenv("FAIRTRAIN_DATA", t.TempDir())
	cache, err := CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return []string{".", os.Getenv("FAIRTRAIN_DATA"), "data", cache}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestResolveOrder puts a file in the last place first, so that each new file wins.
func TestResolveOrder(t *testing.T) {
	places := emptyWorld(t)
	for k := len(places) - 1; k >= 0; k-- {
		want := filepath.Join(places[k], "a9a")
		write(t, want, twoRows)
		got, err := Resolve("a9a")
		if err != nil || got != want {
			t.Errorf("with a file in %s: path %q, error %v", places[k], got, err)
		}
	}
}

func TestSources(t *testing.T) {
	places := emptyWorld(t)
	cached := filepath.Join(places[3], "a9a")
	write(t, cached, twoRows)
	write(t, "loan", twoRows)
	for name, want := range map[string][]string{
		"-": {"-"}, "a9a": {cached}, "no/such": {"no/such"}, "synthetic": nil, "loan": {"loan"},
	} {
		if diff := cmp.Diff(want, Sources(name)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

func TestResolvePassesPathsOn(t *testing.T) {
	emptyWorld(t)
	for _, path := range []string{"-", "./a9a", "no/such/file", filepath.Join(t.TempDir(), "a9a")} {
		if got, err := Resolve(path); err != nil || got != path {
			t.Errorf("%s: path %q, error %v", path, got, err)
		}
	}
}

func TestResolveSkipsDirectories(t *testing.T) {
	places := emptyWorld(t)
	if err := os.Mkdir("a9a", 0o755); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(places[3], "a9a")
	write(t, want, twoRows)
	if got, err := Resolve("a9a"); err != nil || got != want {
		t.Errorf("beside a directory of the name: path %q, error %v", got, err)
	}
}

func TestResolveMiss(t *testing.T) {
	places := emptyWorld(t)
	for name, remedy := range map[string]string{
		"a9a":      "fairtrain data get a9a)",
		"a9a.t":    "fairtrain data get a9a)",
		"a9a.csv":  "synthetic, synthetic.t, a9a, a9a.t",
		"no-such ": "synthetic, synthetic.t, a9a, a9a.t",
	} {
		_, err := Resolve(name)
		if err == nil {
			t.Errorf("%q was found", name)
			continue
		}
		for _, part := range append([]string{remedy, strings.Join(places, ", ")}, name) {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q: error %q does not mention %q", name, err, part)
			}
		}
	}
}

func TestLoad(t *testing.T) {
	places := emptyWorld(t)
	write(t, filepath.Join(places[2], "mine"), twoRows)
	want := dataset.Fingerprint{Rows: 2, Features: 3, NonZeros: 3, Positives: 1, Negatives: 1}
	for _, name := range []string{"mine", "data/mine", "-"} {
		d, err := Load(name, strings.NewReader(twoRows), libsvm.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, d.Fingerprint()); diff != "" || d.Name != name {
			t.Errorf("loaded %q as %q (-want +got)\n%s", name, d.Name, diff)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	emptyWorld(t)
	write(t, "bad", "+1 1:1\n-1 0:1\n")
	_, err := Load("bad", nil, libsvm.Options{})
	if fault, ok := errors.AsType[*textfile.ParseError](err); !ok || fault.File != "bad" || fault.Line != 2 {
		t.Errorf("bad file: %v", err)
	}
	if _, err := Load("./absent", nil, libsvm.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent path: %v", err)
	}
	if _, err := Load("absent", nil, libsvm.Options{}); err == nil {
		t.Error("an absent name was loaded")
	}
}

// TestLoadSynthetic: a file of that name does not hide the built-in data.
func TestLoadSynthetic(t *testing.T) {
	emptyWorld(t)
	write(t, "synthetic", twoRows)
	train, test := census.Train(), census.Test()
	for _, want := range []*dataset.Dataset{train, test} {
		got, err := Load(want.Name, nil, libsvm.Options{})
		if err != nil || got.Hash != want.Hash || got.Name != want.Name {
			t.Errorf("%s: loaded %+v, error %v", want.Name, got, err)
		}
	}
}

// TestLoadLoanFromAnyPlace reads a file with the columns of the LendingClub file from every
// place. One half of the file has a loan without an income.
func TestLoadLoanFromAnyPlace(t *testing.T) {
	places := emptyWorld(t)
	if _, err := Load("loan", nil, libsvm.Options{}); err == nil ||
		!strings.Contains(err.Error(), "no lendingclub.csv.gz, from which loan and loan.t are made, in ., ") {
		t.Errorf("without the file: error %v", err)
	}
	const header = "term,purpose,home_ownership,grade,emp_length,delinq_2yrs_zero,pub_rec_zero,loan_amnt,annual_inc,dti,payment_inc_ratio,revol_bal,revol_util,open_acc,outcome\n"
	rows := "36,car,RENT,1,1,0,0,1,60000,1,1,1,1,1,paid off\n" +
		"60,car,OWN,1,1,0,0,2,60001,1,1,1,1,1,default\n" +
		"36,car,RENT,1,1,0,0,3,,1,1,1,1,1,default\n"
	write(t, filepath.Join(places[1], "loan", "lendingclub.csv.gz"), header+rows)
	if got := Sources("loan.t"); len(got) != 1 || filepath.Base(got[0]) != "lendingclub.csv.gz" {
		t.Errorf("sources of loan.t: %q", got)
	}
	for name, want := range map[string]struct {
		labels []int8
		income []int
	}{"loan": {[]int8{1, -1}, []int{0, 2}}, "loan.t": {[]int8{-1}, []int{1}}} {
		d, err := Load(name, nil, libsvm.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want.labels, d.Y); diff != "" || d.Name != name {
			t.Errorf("loaded %s as %s, labels (-want +got)\n%s", name, d.Name, diff)
		}
		if diff := cmp.Diff(want.income, slices.Collect(d.Attributes[0].Codes.All())); diff != "" {
			t.Errorf("%s: incomes low, high or missing (-want +got)\n%s", name, diff)
		}
	}
}

// TestCatalogueIsTrue compares the catalogue with the real files.
func TestCatalogueIsTrue(t *testing.T) {
	for _, entry := range Entries() {
		for _, f := range entry.Files {
			t.Run(f.Name, func(t *testing.T) {
				path := datatest.Path(t, f.Name)
				info, err := os.Stat(path)
				if err != nil {
					t.Fatal(err)
				}
				d, err := Load(path, nil, libsvm.Options{})
				if err != nil {
					t.Fatal(err)
				}
				got := File{f.Name, f.URL, d.Hash, info.Size()}
				if diff := cmp.Diff(f, got); diff != "" {
					t.Errorf("catalogue and file differ (-catalogue +file)\n%s", diff)
				}
			})
		}
	}
}
