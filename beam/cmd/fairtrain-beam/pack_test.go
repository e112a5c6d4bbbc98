package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/beam/files"
	"github.com/fairtrain/fairtrain/beam/shards"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/table"
)

// applicants invents rows of a CSV file with header. The last ones have a job that the first have not.
func applicants(count int) (rows []string) {
	r := rand.New(rand.NewPCG(1, 2))
	for k := range count {
		job := []string{"cook", "smith", "", "nurse"}[r.IntN(3+2*k/count)]
		rows = append(rows, fmt.Sprintf("%d,%.2f,%s,%s,%s\n", 18+r.IntN(60), 1e3*r.ExpFloat64(), job, []string{"f", "m", ""}[r.IntN(3-2*k/count)], []string{"no", "yes"}[r.IntN(2)]))
	}
	return rows
}

const applicantsHeader = "age,income,job,sex,hired\n"

// pack runs data pack and returns what it says.
func pack(t *testing.T, wantCode int, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), slices.Concat([]string{"fairtrain-beam", "data", "pack"}, args), nil, &stdout, &stderr)
	if code != wantCode {
		t.Fatalf("code %d, want %d: %s", code, wantCode, &stderr)
	}
	return stderr.String()
}

// TestPack packs CSV files in a bucket by workers, the first of which has no row. Rows and encoding are
// those of all rows in one file.
func TestPack(t *testing.T) {
	const bucket = "memfs://raw"
	rows := applicants(500)
	for k, part := range [][]string{nil, rows[:100], rows[100:130], rows[130:]} {
		if err := files.Write(fmt.Sprintf("%s/part-%d.csv", bucket, k), []byte(applicantsHeader+strings.Join(part, ""))); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := table.Read(strings.NewReader(applicantsHeader+strings.Join(rows, "")), nil, table.Options{Identify: true})
	if err != nil {
		t.Fatal(err)
	}
	aside := dataset.Aside(0.3)
	for _, about := range []struct {
		flags []string
		out   string
		keep  func(row int) bool
	}{
		{nil, "all", func(int) bool { return true }},
		{[]string{"--aside", "0.3"}, "train", func(row int) bool { return !aside(row) }},
		{[]string{"--aside", "0.3", "--only-aside", "--like", bucket + "/train-00001-of-00004.fpk"}, "fresh", aside},
	} {
		pack(t, 0, slices.Concat(about.flags, []string{"--out", bucket + "/" + about.out, bucket + "/part-*.csv"})...)
		_, got, err := shards.Open(bucket + "/" + about.out + "-*.fpk")
		if err != nil {
			t.Fatal(err)
		}
		var kept []int
		for i := range rows {
			if about.keep(i) {
				kept = append(kept, i)
			}
		}
		learned := kept
		if about.out == "fresh" {
			learned = slices.DeleteFunc(allRows(len(rows)), aside)
		}
		e, err := encoding.Learn(whole, learned)
		if err != nil {
			t.Fatal(err)
		}
		if !e.Equal(got.Encoding) {
			t.Errorf("%s: encoding (-of one file +of three)\n%s", about.out, cmp.Diff(e, got.Encoding))
		}
		want, err := e.Apply(whole, kept)
		if err != nil {
			t.Fatal(err)
		}
		if got.Rows.Rows() != want.Rows() {
			t.Fatalf("%s: %d rows, want %d", about.out, got.Rows.Rows(), want.Rows())
		}
		for i, row := range kept {
			if diff := cmp.Diff(values(want, i), values(got.Rows, i)); diff != "" || got.Identities[i] != whole.Identities[row] {
				t.Fatalf("%s: row %d (-want +got)\n%s", about.out, row, diff)
			}
		}
	}
}

func allRows(n int) (rows []int) {
	for i := range n {
		rows = append(rows, i)
	}
	return rows
}

// values lists the label and the non-zeros of a row.
func values(d *dataset.Dataset, row int) []string {
	list := []string{fmt.Sprint(d.Y[row])}
	for j, v := range d.X.Row(row) {
		list = append(list, fmt.Sprintf("%d:%v", j, v))
	}
	return list
}

// TestPackGroups: all files have the levels of all of them, and the plain program packs one alike.
func TestPackGroups(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, rows []string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(applicantsHeader+strings.Join(rows, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rows := applicants(500)
	write("part-0.csv", rows[:250])
	write("part-1.csv", rows[250:])
	out := filepath.Join(dir, "packed", "people")
	pack(t, 0, "--group", "sex", "--out", out, filepath.Join(dir, "part-*.csv"))
	_, in, err := shards.Open(out + "-*.fpk")
	if err != nil {
		t.Fatal(err)
	}
	if sex := in.Rows.Attribute("sex"); !slices.Equal(sex.Levels, []string{"f", "m", dataset.MissingLevel}) {
		t.Errorf("levels %q", sex.Levels)
	}
	for _, about := range []struct {
		args []string
		want string
	}{
		{[]string{"--out", out}, "is there, the first of 2 such files (--force"},
		{[]string{"--out", out, "--aside", "2"}, "must be a share"},
		{[]string{"--out", out, "--force", "--like", out + "-00000-of-00002.fpk", "--label", "age"}, "--like says"},
	} {
		if said := pack(t, 2, append(about.args, filepath.Join(dir, "part-*.csv"))...); !strings.Contains(said, about.want) {
			t.Errorf("%q: %s, want %q", about.args, said, about.want)
		}
	}
	pack(t, 0, "--out", out, "--force", filepath.Join(dir, "part-1.csv"))
	if left, err := files.Glob(out + "*"); err != nil || len(left) != 1 {
		t.Errorf("%q are left: %v", left, err)
	}

	wider := "wide,age,income,job,sex,hired\n7," + strings.Join(rows[:250], "7,")
	if err := os.WriteFile(filepath.Join(dir, "part-2.csv"), []byte(wider), 0o644); err != nil {
		t.Fatal(err)
	}
	first := filepath.Join(dir, "part-0.csv")
	if said := pack(t, 0, "--out", out, "--force", filepath.Join(dir, "part-*.csv")); !strings.Contains(said, "part-2.csv has columns that "+first+" has not, and that are not used: wide") {
		t.Error(said)
	}

	write("part-2.csv", []string{"20,1,cook,f,yes\n", "many,1,cook,f,no\n"})
	fresh := filepath.Join(dir, "fresh")
	if said := pack(t, 1, "--out", fresh, filepath.Join(dir, "part-*.csv")); !strings.Contains(said, `part-2.csv:3:1: column age: value "many", expected a number`) {
		t.Error(said)
	}
	if left, err := files.Glob(fresh + "*"); err != nil || len(left) != 0 {
		t.Errorf("%q are left: %v", left, err)
	}
}

// TestPackRows packs rows that are features.
func TestPackRows(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.libsvm": "+1 1:1 3:2\n-1 2:1\n", "b.libsvm": "-1 7:0.5\n+1 1:1\n+1 2:1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "rows")
	pack(t, 0, "--out", out, filepath.Join(dir, "*.libsvm"))
	_, in, err := shards.Open(out + "-*.fpk")
	if err != nil {
		t.Fatal(err)
	}
	if in.Rows.Rows() != 5 || in.Rows.Features() != 7 || !slices.Equal(in.Rows.Y, []int8{1, -1, -1, 1, 1}) {
		t.Errorf("%d rows of %d features, labels %v", in.Rows.Rows(), in.Rows.Features(), in.Rows.Y)
	}
	if err := os.WriteFile(filepath.Join(dir, "b.libsvm"), []byte("0 7:0.5\n1 1:1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if said := pack(t, 1, "--force", "--out", out, filepath.Join(dir, "*.libsvm")); !strings.Contains(said, "b.libsvm: its labels mean") {
		t.Error(said)
	}
	if said := pack(t, 1, "--out", out+"2", filepath.Join(dir, "*.fpk")); !strings.Contains(said, "is packed already") {
		t.Error(said)
	}
	if left, err := files.Glob(out + "2*"); err != nil || len(left) != 0 {
		t.Errorf("%q are left: %v", left, err)
	}
}
