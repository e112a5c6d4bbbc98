package benchmark

import (
	"encoding/csv"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fairtrain/fairtrain/problem"
)

func TestRule(t *testing.T) {
	for _, test := range []struct {
		name, text string
		rule       Rule
		want       string
	}{
		{"enters", circle, Rule(4), ""},
		{"fixed variables count", circle, Rule(3), "n + m = 4 is above 3"},
		{"inequality", replaced(t, circle, " E  CON\n", " L  CON\n"), Rule(4), "1 of 1 constraints are inequalities"},
		{"no constraint", replaced(t, plane, " XE CON ", " XN CON "), Rule(5), "no constraints"},
		{"no objective", replaced(t, plane, " N  OBJ       X1        1.0\n", ""), Rule(5), "no objective"},
		{"constant", replaced(t, plane, "X1        1.0", "X1        0.0"), Rule(5), "the objective is constant"},
		{"not finite", replaced(t, circle, "V * V", "LOG(-V)"), Rule(4), "values at the start are not finite"},
		{"all fixed", replaced(t, plane, "ENDATA", "BOUNDS\n DO I         1                        N\n XX BND       X(I)      1.0\n ND\nENDATA"), Rule(5), "all variables are fixed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.rule.Reason(load(t, test.text)[0]); got != test.want {
				t.Errorf("left out because %q, want %q", got, test.want)
			}
		})
	}
}

func TestInstance(t *testing.T) {
	i := load(t, circle)[0]
	want := &Instance{Name: "CIRCLE", N: 2, M: 1, Fixed: 1, Bounded: 1, Source: i.Source}
	if diff := cmp.Diff(want, i, cmpopts.IgnoreUnexported(Instance{})); diff != "" {
		t.Errorf("instance (-want +got):\n%s", diff)
	}
	p, err := i.Open()
	if err != nil {
		t.Fatal(err)
	}
	if f := problem.Objective(p, []float64{1, 5}, nil); f != 1+5-3 {
		t.Errorf("f(1, 5) = %v with x₃ = 3, want 3", f)
	}
}

// TestNewInstance describes problems that are not in files.
func TestNewInstance(t *testing.T) {
	for _, test := range []struct{ text, leftOut string }{
		{circle, ""},
		{replaced(t, circle, " N  OBJ1      X1        1.0\n N  OBJ2      X2        1.0            X3        -1.0\n", " N  OBJ1      X3        1.0\n"), "the objective is constant"},
	} {
		got, err := NewInstance("MINE", "built in", load(t, test.text)[0].Open)
		if err != nil {
			t.Fatal(err)
		}
		want := &Instance{Name: "MINE", N: 2, M: 1, Source: "built in", LeftOut: test.leftOut}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Instance{})); diff != "" {
			t.Errorf("instance (-want +got):\n%s", diff)
		}
		if _, err := got.Open(); err != nil {
			t.Error(err)
		}
	}
	broken := errors.New("broken")
	if _, err := NewInstance("MINE", "built in", func() (problem.Problem,
		error,
	) {
		return nil, broken
	}); !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the problem", err)
	}
}

// TestOfficialSize takes a file's size from the list of the collection's sizes if the
// file has the parameters that the list names.
func TestOfficialSize(t *testing.T) {
	known := strings.NewReplacer("PLANE ", "CVXQP1", "PLANE", "CVXQP1").Replace(plane)
	i := load(t, known)[0]
	if i.N != 100 || i.Params != "N=100" {
		t.Errorf("n = %d with parameters %q, want 100 and N=100", i.N, i.Params)
	}
	i = load(t, replaced(t, known, "$-PARAMETER", "$"))[0]
	if i.N != 4 || i.Params != "" {
		t.Errorf("without a parameter n = %d with %q, want 4", i.N, i.Params)
	}
}

func TestLoadRefuses(t *testing.T) {
	empty, double := t.TempDir(), writeSIF(t, circle, circle)
	for name, test := range map[string]struct {
		paths []string
		want  string
	}{
		"missing":   {[]string{filepath.Join(empty, "none.SIF")}, "no such file"},
		"empty":     {[]string{empty}, "no file ends in .SIF"},
		"twice":     {[]string{filepath.Join(double, "p0.SIF"), filepath.Join(double, "p1.SIF")}, "problem CIRCLE is also in"},
		"malformed": {[]string{filepath.Join(writeSIF(t, replaced(t, circle, " E  CON\n", " Q  CON\n")), "p0.SIF")}, "p0.SIF:9"},
	} {
		if _, err := LoadSIF(t.Context(), test.paths...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		}
	}
}

// TestFaultInFolder has a malformed file among others.
func TestFaultInFolder(t *testing.T) {
	in, out := Rule(1000).Select(load(t, circle, replaced(t, plane, "X1        1.0", "X1        1.x")))
	if len(in) != 1 || in[0].Name != "CIRCLE" {
		t.Errorf("%d problems enter, want CIRCLE", len(in))
	}
	if len(out) != 1 || out[0].Name != "p1.SIF" || !strings.Contains(out[0].LeftOut, "p1.SIF:9: ") {
		t.Errorf("left out: %+v, want p1.SIF for its line 9", out)
	}
}

// TestDoubleInFolder has a problem in two files of a folder: the first enters.
func TestDoubleInFolder(t *testing.T) {
	instances, err := LoadSIF(t.Context(), writeSIF(t, circle, circle, plane))
	if err != nil {
		t.Fatal(err)
	}
	in, out := Rule(1000).Select(instances)
	if len(in) != 2 || len(out) != 1 || out[0].Name != "p1.SIF" ||
		!strings.Contains(out[0].LeftOut, "problem CIRCLE is also in ") {
		t.Errorf("%d enter, left out %+v", len(in), out)
	}
}

var long = flag.Bool("long", false, "run the tests that take minutes, too")

// manyVariables are files with 4 000 variables and more, far beyond the paper's limit. They take
// nine tenths of the time of all files; without -long BLOWEYA and DTOC6 stand for them.
var manyVariables = []string{
	"DTOC1L", "DTOC1NB", "DTOC1NC", "LUKVLE1", "LUKVLE10", "LUKVLE3", "LUKVLE4C", "LUKVLE7", "NCVXQP1",
	"NCVXQP3", "NCVXQP4", "NCVXQP9", "ORTHREGA", "ORTHREGD", "ORTHREGE", "ORTHRGDM", "READING1", "SOSQP2",
	"SREADIN3", "STNQP1", "UBH5",
}

// TestPaperSet selects from real files, at their official sizes, exactly the files of the
// list that the paper's rule gave.
func TestPaperSet(t *testing.T) {
	dir := filepath.Join(os.Getenv("FAIRTRAIN_DATA"), "sif")
	f, err := os.Open(filepath.Join(dir, "paper-set.tsv"))
	if err != nil {
		t.Skipf("$FAIRTRAIN_DATA has no SIF files: %v", err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = '\t'
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	type dims struct{ N, M, Fixed int }
	want, got := make(map[string]dims), make(map[string]dims)
	for _, line := range lines[1:] {
		if file := line[5]; file != "-" {
			var d [3]int
			for k := range d {
				if d[k], err = strconv.Atoi(line[1+k]); err != nil {
					t.Fatal(err)
				}
			}
			want[file] = dims{d[0], d[1], d[2]}
		}
	}
	chosen := t.TempDir()
	files, err := filepath.Glob(filepath.Join(dir, "*.SIF"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		if !*long && slices.Contains(manyVariables, strings.TrimSuffix(name, ".SIF")) {
			continue
		}
		if err := os.Symlink(file, filepath.Join(chosen, name)); err != nil {
			t.Fatal(err)
		}
	}
	instances, err := LoadSIF(t.Context(), chosen)
	if err != nil {
		t.Fatal(err)
	}
	in, _ := Rule(1000).Select(instances)
	for _, i := range in {
		got[filepath.Base(i.Source)] = dims{i.N + i.Fixed, i.M, i.Fixed}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("selection (-want +got):\n%s", diff)
	}
}
