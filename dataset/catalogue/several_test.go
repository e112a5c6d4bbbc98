package catalogue

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
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

// hashOf returns the hash of files of the given texts.
func hashOf(texts []string) string {
	var hashes []string
	for _, text := range texts {
		hashes = append(hashes, fmt.Sprintf("%x", sha256.Sum256([]byte(text))))
	}
	return dataset.HashOfFiles(hashes)
}

// TestSeveralTables: files are read as one, however their lines end, whatever their encoding, with
// and without rows.
func TestSeveralTables(t *testing.T) {
	rows := []string{"ann,1,yes\n", "\"b\nob\",2,no\n", "ché,3,yes\n", "dora,4,no\n"}
	const header = "name,age,label\n"
	load := func(name string, schema *tabular.Schema) *tabular.Table {
		t.Helper()
		tb, err := LoadTable(name, nil, schema, tabular.Options{Identify: true})
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
	bare := &tabular.Schema{Names: []string{"name", "age", "label"}}
	all, yes := strings.Join(rows, ""), true
	for what, f := range map[string]struct {
		schema *tabular.Schema
		whole  string
		parts  []string
	}{
		"with headers":        {nil, header + all, []string{header + rows[0] + rows[1], header + rows[2] + rows[3]}},
		"without":             {bare, all, []string{rows[0], strings.TrimSuffix(rows[1], "\n"), rows[2] + rows[3]}},
		"no last line":        {nil, header + all, []string{header + rows[0] + strings.TrimSpace(rows[1]), header + rows[2] + rows[3]}},
		"other line ends":     {nil, header + all, []string{"\n" + header + rows[0] + rows[1], "name,\"age\",label\r\n" + rows[2] + rows[3]}},
		"empty files":         {nil, header + all, []string{"", "\n", header, header + rows[0] + rows[1], "", header, "name,age,label", header + rows[2] + rows[3], ""}},
		"nothing but a mark":  {nil, header + all, []string{"\xef\xbb\xbf", header + rows[0] + rows[1], header + rows[2] + rows[3]}},
		"nothing in UTF-16":   {nil, header + all, []string{utf16("\n"), utf16(""), utf16(header + rows[0]), header + rows[1] + rows[2] + rows[3]}},
		"comments":            {nil, "# none\n" + header + all, []string{"# none\n", "# some\n" + header + rows[0], "# some\n" + header + rows[1] + rows[2] + rows[3]}},
		"headers of lines":    {nil, "\"na\nme\",age,label\n" + all, []string{"\"na\nme\",age,label\n" + rows[0], "\"na\nme\",age,label\n" + rows[1] + rows[2] + rows[3]}},
		"of texts":            {&tabular.Schema{Format: delimited.Format{Header: &yes}}, "name,label\nann,yes\nbob,no\n", []string{"name,label\n", "name,label\n", "name,label\nann,yes\nbob,no\n"}},
		"texts, one by one":   {nil, "name,label\nann,yes\nbob,no\n", []string{"name,label\nann,yes\n", "name,label\nbob,no\n"}},
		"encodings":           {nil, header + all, []string{"\xef\xbb\xbf" + header + rows[0], utf16(header + rows[1]), latin1.Replace(header + rows[2]), header + rows[3]}},
		"a header of 100 KB":  {nil, strings.Repeat("a", 1e5) + ",label\n1,yes\n2,no\n", []string{strings.Repeat("a", 1e5) + ",label\n1,yes\n", strings.Repeat("a", 1e5) + ",label\n2,no\n"}},
		"a header in quotes":  {nil, header + all, []string{"\"name\", age,label\n", header + all}},
		"other orders":        {nil, header + all, []string{header + rows[0] + rows[1], "label,name,age\nyes,ché,3\n", "age,label,name\n4,no,dora\n"}},
		"titles":              {nil, "sep=,\nPeople\n\n" + header + strings.Repeat(all, 4), []string{"sep=,\n" + header + all + all, "People of 2025\n\n" + header + all + all}},
		"a header, no header": {&tabular.Schema{Format: delimited.Format{Header: new(bool)}, Names: bare.Names}, all + all, []string{all, all}},
	} {
		t.Run(what, func(t *testing.T) {
			want := load(writeParts(t, f.whole), f.schema)
			got := load(writeParts(t, f.parts...), f.schema)
			same := cmp.Options{cmpopts.EquateNaNs(), cmpopts.IgnoreFields(tabular.Table{}, "Text", "Hash", "Files"), cmpopts.IgnoreUnexported(tabular.Table{}, tabular.Column{}), cmp.AllowUnexported(dataset.Codes{})}
			if diff := cmp.Diff(want, got, same); diff != "" {
				t.Errorf("(-one file +several)\n%s", diff)
			}
			if hash := hashOf(f.parts); got.Hash != hash {
				t.Errorf("hash %s, expected %s of all files", got.Hash, hash)
			}
			for _, hash := range got.Files {
				if !slices.ContainsFunc(f.parts, func(part string) bool { return hashOf([]string{part}) == hash }) {
					t.Errorf("the hash %s is that of no file", hash)
				}
			}
		})
	}
}

// TestSeveralFaults: a fault names the file and the line there. Nothing is taken for what it may
// not be.
func TestSeveralFaults(t *testing.T) {
	const good = "age,label\n1,yes\n2,no\n"
	for want, texts := range map[string][]string{
		"part-1:4:1: column age: value ": {good, good[:16] + "\nold,no\n"},
		"part-2:2:1: column age: value ": {good, "age,label\n", "age,label\nold,no\n"},
		"part-1:3:3: ":                   {good, "age,label\n3,yes\n4,perhaps\n"},
		"part-1:2:5: column 2 is called `name`, expected `label` as in part-0":  {good, "\nage,name\n1,yes\n"},
		"part-1:2:5: column age: value `old`":                                   {good, "label,Age\nyes,old\n"},
		"part-1:1:1: the header is not that of part-0: a name occurs twice":     {good, "age,age\nyes,1\n"},
		"part-1:2:5: column age: value ":                                        {good, "label,age\nyes,old\n"},
		"part-1:3:1: label ":                                                    {good, "\nlabel,age\nperhaps,3\n"},
		"part-1:1:1: column 1 is called `3`, expected `age` as in part-0":       {good, "3,yes\n"},
		"part-1:1:1: a header of 1 columns, expected the 2 of part-0, with ":    {good, "age;label\n3;yes\n"},
		"part-1:3:6: text after a closing quote, or no closing quote":           {good, "age,label\n1,yes\n2,\"no\"x\n"},
		"part-0:4:8: text after a closing quote, or no closing quote":           {good + "5,\"yes\n", "age,label\n7\",no\n8,yes\n"},
		"part-1:2:3: byte 0x01 at offset 12 is a control character (is this a ": {good, "age,label\n1,\x01\n"},
		"part-0:1:1: no rows under the header":                                  {"age,label\n", "age,label\n"},
		"part-1:1:1: no rows under the header":                                  {"", "age,label\n"},
		"part-0:1:1: no rows":                                                   {"", "\n"},
	} {
		schema := &tabular.Schema{Label: tabular.LabelSpec{Column: "label", Positive: []string{"yes"}, Negative: []string{"no"}}}
		opts := tabular.Options{Numeric: []string{"age"}}
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

// TestSeveralUnnamed: columns without a name have no other place.
func TestSeveralUnnamed(t *testing.T) {
	const rows = "1,3,0\n2,4,1\n"
	if tb, err := LoadTable(writeParts(t, ",a,b\n"+rows, "b,,a\n0,1,3\n"), nil, nil, tabular.Options{}); err != nil || tb.Rows != 3 || tb.Schema.Label.Column != "b" {
		t.Errorf("one unnamed column: %+v (%v)", tb, err)
	}
	_, err := LoadTable(writeParts(t, ",,b\n"+rows, ",b,\n"+rows), nil, nil, tabular.Options{})
	if want := "part-1:1:1: the header is not that of part-0: a name occurs twice"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("two unnamed columns: %v, want %s", err, want)
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
	parts := []string{"", "# none\n", "+1 1:1\n-1 2:1", "", "\xef\xbb\xbf+1 3:0.5"}
	if got := rows(writeParts(t, parts...)); got.Hash != hashOf(parts) || len(got.Files) != 3 || got.Rows() != 3 || got.Features() != 3 {
		t.Errorf("%d rows of %d features, hash %s, files %q", got.Rows(), got.Features(), got.Hash, got.Files)
	}
	shares := []float64{}
	_, _, err := LoadBlocks("part-*", nil, InputOptions{}, func(_ *dataset.Dataset, share float64) error {
		shares = append(shares, share)
		return nil
	})
	if err != nil || len(shares) != 5 || shares[4] != 1 {
		t.Errorf("shares %v, error %v", shares, err)
	}

	const fault = "part-1:2:4: "
	name := writeParts(t, "+1 1:1\n-1 2:1\n", "+1 1:1\n-1 x\n")
	if _, err := Load(name, nil, libsvm.Options{}); err == nil || !strings.HasPrefix(err.Error(), fault) {
		t.Errorf("error %v", err)
	}
}
