package catalogue

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/table"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// writeParts writes files of the given texts, and returns the pattern that matches them.
func writeParts(t *testing.T, texts ...string) string {
	t.Helper()
	t.Chdir(t.TempDir())
	for k, text := range texts {
		if err := os.WriteFile(fmt.Sprintf("part-%d", k), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return "part-*"
}

// TestSeveralTables: files are read as one, however their lines end, whatever their encoding, with and
// without rows.
func TestSeveralTables(t *testing.T) {
	rows := []string{"ann,1,yes\n", "\"b\nob\",2,no\n", "ché,3,yes\n", "dora,4,no\n"}
	const header = "name,age,label\n"
	load := func(name string, schema *table.Schema) *table.Table {
		t.Helper()
		tb, err := LoadTable(name, nil, schema, table.Options{Identify: true})
		if err != nil {
			t.Fatal(err)
		}
		return tb
	}
	utf16 := func(text string) string {
		b := []byte("\xff\xfe")
		for _, r := range text {
			b = append(b, byte(r), byte(r>>8))
		}
		return string(b)
	}
	latin1 := strings.NewReplacer("é", "\xe9")
	bare := &table.Schema{Names: []string{"name", "age", "label"}}
	for what, f := range map[string]struct {
		schema *table.Schema
		whole  string
		parts  []string
	}{
		"with headers":    {nil, header + strings.Join(rows, ""), []string{header + rows[0] + rows[1], header + rows[2] + rows[3]}},
		"without":         {bare, strings.Join(rows, ""), []string{rows[0], strings.TrimSuffix(rows[1], "\n"), rows[2] + rows[3]}},
		"no last line":    {nil, header + strings.Join(rows, ""), []string{header + rows[0] + strings.TrimSpace(rows[1]), header + rows[2] + rows[3]}},
		"other line ends": {nil, header + strings.Join(rows, ""), []string{"\n" + header + rows[0] + rows[1], "name,\"age\",label\r\n" + rows[2] + rows[3]}},
		"empty files":     {nil, header + strings.Join(rows, ""), []string{"", "\n", header, header + rows[0] + rows[1], "", header, "name,age,label", header + rows[2] + rows[3], ""}},
		"of texts":        {nil, "name,label\nann,yes\nbob,no\n", []string{"name,label\n", "name,label\n", "name,label\nann,yes\nbob,no\n"}},
		"encodings":       {nil, header + strings.Join(rows, ""), []string{"\xef\xbb\xbf" + header + rows[0], utf16(header + rows[1]), latin1.Replace(header + rows[2]), header + rows[3]}},
	} {
		t.Run(what, func(t *testing.T) {
			want := load(writeParts(t, f.whole), f.schema)
			got := load(writeParts(t, f.parts...), f.schema)
			same := cmp.Options{cmpopts.EquateNaNs(), cmpopts.IgnoreFields(table.Table{}, "Text"), cmpopts.IgnoreUnexported(table.Table{}, table.Column{}), cmp.AllowUnexported(dataset.Codes{})}
			if what == "no last line" || what == "other line ends" {
				same = append(same, cmpopts.IgnoreFields(table.Table{}, "Hash")) // of a text with other bytes
			}
			if diff := cmp.Diff(want, got, same); diff != "" {
				t.Errorf("(-one file +several)\n%s", diff)
			}
		})
	}
}

// TestSeveralFaults: a fault names the file and the line there.
func TestSeveralFaults(t *testing.T) {
	const good = "age,label\n1,yes\n2,no\n"
	for want, texts := range map[string][]string{
		"part-1:4:1: column age: value ": {good, good[:16] + "\nold,no\n"},
		"part-2:2:1: column age: value ": {good, "age,label\n", "age,label\nold,no\n"},
		"part-1:3:3: ":                   {good, "age,label\n3,yes\n4,perhaps\n"},
		"part-1:2:1: column 2 is called `name`, expected `label` as in part-0":  {good, "\nage,name\n1,yes\n"},
		"part-1:1:1: column 1 is called `label`, expected `age` as in part-0":   {good, "label,age\nyes,1\n"},
		"part-1:1:1: column 1 is called `3`, expected `age` as in part-0":       {good, "3,yes\n"},
		"part-1:1:1: the header has 1 columns, expected the 2 of part-0":        {good, "age\n3\n"},
		"part-1:3:6: text after a closing quote, or no closing quote":           {good, "age,label\n1,yes\n2,\"no\"x\n"},
		"part-1:2:3: byte 0x01 at offset 12 is a control character (is this a ": {good, "age,label\n1,\x01\n"},
		"part-0:1:1: no rows under the header":                                  {"age,label\n", "age,label\n"},
		"part-1:1:1: header longer than ":                                       {good, strings.Repeat("age", 1<<23) + "\n"},
	} {
		schema := &table.Schema{Label: table.LabelSpec{Column: "label", Positive: []string{"yes"}, Negative: []string{"no"}}}
		opts := table.Options{Numeric: []string{"age"}}
		name := writeParts(t, texts...)
		tb, err := LoadTable(name, nil, schema, opts)
		if err == nil {
			_, _, err = tb.Labels(tb.Schema.Label, []int{0, 1, 2, 3})
		}
		if _, ok := errors.AsType[*textfile.ParseError](err); !ok || !strings.HasPrefix(err.Error(), strings.ReplaceAll(want, "`", `"`)) {
			t.Errorf("error %v, expected %s", err, want)
		}
	}
}

// TestSeveralRows: files in the format of LIBSVM are read as one, and faults placed.
func TestSeveralRows(t *testing.T) {
	rows := func(name string) *dataset.Dataset {
		t.Helper()
		in, err := LoadInput(name, nil, InputOptions{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := Load(name, nil, libsvm.Options{})
		if err != nil || d.Hash != in.Rows.Hash {
			t.Errorf("Load: error %v, other rows than by LoadInput", err)
		}
		return d
	}
	want := rows(writeParts(t, "+1 1:1\n-1 2:1\n+1 3:0.5"))
	got := rows(writeParts(t, "", "+1 1:1\n-1 2:1", "", "+1 3:0.5"))
	if got.Hash != want.Hash || got.Rows() != 3 || got.Features() != 3 {
		t.Errorf("%d rows of %d features, hash %s", got.Rows(), got.Features(), got.Hash)
	}
	shares := []float64{}
	_, _, err := LoadBlocks("part-*", nil, InputOptions{}, 1, func(_ *dataset.Dataset, share float64) error {
		shares = append(shares, share)
		return nil
	})
	if err != nil || len(shares) != 3 || shares[2] != 1 {
		t.Errorf("shares %v, error %v", shares, err)
	}

	const fault = "part-1:2:4: "
	name := writeParts(t, "+1 1:1\n-1 2:1\n", "+1 1:1\n-1 x\n")
	if _, err := Load(name, nil, libsvm.Options{}); err == nil || !strings.HasPrefix(err.Error(), fault) {
		t.Errorf("error %v", err)
	}
	report, err := CheckFile(name, nil, InputOptions{}, 10)
	if err != nil || report.Rows != 3 || report.Bad != 1 || !strings.HasPrefix(report.Problems[0].Error(), fault) {
		t.Errorf("report %+v, error %v", report, err)
	}
	if _, err := Load(writeParts(t, "+1 1:1\n", "\x89FTPACK\n"), nil, libsvm.Options{}); err == nil || !strings.Contains(err.Error(), "part-1: is a packed file") {
		t.Errorf("error %v", err)
	}
}
