package tabular

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/internal/datatest"
)

func TestBuiltInSchemas(t *testing.T) {
	want := []string{"adult", "compas", "credit-default", "german", "lendingclub", "lendingclub-original", "people"}
	if diff := cmp.Diff(want, SchemaNames()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, name := range SchemaNames() {
		s, err := LoadSchema(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if s.Name != name || s.About == "" || len(s.Label.Positive) == 0 || len(s.Groups) == 0 {
			t.Errorf("%s: name %q, about %q, label %+v, groups %+v", name, s.Name, s.About, s.Label, s.Groups)
		}
		for _, c := range s.Columns {
			if c.As == Drop && c.Reason == "" {
				t.Errorf("%s: column %s is dropped without a reason", name, c.Name)
			}
		}
		if s.Names != nil && len(s.Names) != len(s.Columns)+1 {
			t.Errorf("%s: %d columns and the label are declared of %d", name, len(s.Columns), len(s.Names))
		}
	}
}

func TestLoadSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.toml")
	if err := os.WriteFile(path, []byte("name = \"mine\"\ndelimiter = \";\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := LoadSchema(path); err != nil || s.Name != "mine" || s.Delimiter != ";" {
		t.Errorf("schema %+v, error %v", s, err)
	}
	_, err := LoadSchema("adlut")
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), `(did you mean "adult"?)`) {
		t.Errorf("error %v", err)
	}
	if _, err := LoadSchema(t.TempDir()); err == nil {
		t.Error("a directory was read")
	}
}

func TestReadSchemaErrors(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"syntax":           {"a = \n", "s.toml:1:5: "},
		"unknown key":      {"delimeter = \",\"\n", `s.toml:1:1: unknown key "delimeter"`},
		"unknown in table": {"[[column]]\nname = \"a\"\nas = \"bins\"\n  bin = 3\n", `s.toml:4:3: unknown key "column.bin"`},
		"unknown table":    {"[labels]\ncolumn = \"a\"\n", `s.toml:1:2: unknown key "labels`},
		"unknown, far off": {"colour = 1\n", `s.toml:1:1: unknown key "colour"`},
		"wrong type":       {"names = 3\n", "s.toml:1:9: "},
		"twice":            {"name = \"a\"\nname = \"b\"\n", "s.toml:2:1: "},
		"delimiter":        {`delimiter = ":"`, `s.toml: delimiter is ":", must be one of`},
		"comments":         {`comments = [""]`, `comments contains ""`},
		"other columns":    {`other_columns = "keep"`, `other_columns is "keep", must be "drop" or absent`},
		"names":            {`names = ["a", "a"]`, `names "a" is given twice`},
		"label, negative":  {"[label]\ncolumn = \"y\"\nnegative = [\"1\"]", "label.negative needs label.positive"},
		"label, both":      {"[label]\ncolumn = \"y\"\npositive = [\"1.\"]\nskip = [\"1\"]", `label.skip contains "1", as label.positive does already`},
		"label, feature":   {"[label]\ncolumn = \"y\"\n[[column]]\nname = \"y\"\nas = \"raw\"", `column "y": is the label or the weight already`},
		"weight":           {"weight = \"y\"\n[label]\ncolumn = \"y\"", `weight: column "y" is the label`},
		"column twice":     {"[[column]]\nname = \"a\"\nas = \"raw\"\n[[column]]\nname = \"a\"\nas = \"raw\"", `column "a" is given twice`},
		"column unnamed":   {"[[column]]\nas = \"raw\"", "column 1 has no name"},
		"as":               {"[[column]]\nname = \"a\"\nas = \"standardize\"", `column "a": as is "standardize", must be one of ["standardise" "bins" "shape" "raw" "log-odds" "one-hot" "drop"] (did you mean "standardise"?)`},
		"bins":             {"[[column]]\nname = \"a\"\nas = \"bins\"", `column "a": bins is 0, must be at least 2`},
		"bins of raw":      {"[[column]]\nname = \"a\"\nas = \"raw\"\nbins = 3", `column "a": bins is 3, but as is "raw"`},
		"min_count":        {"[[column]]\nname = \"a\"\nas = \"one-hot\"\nmin_count = -1", `column "a": min_count is -1, must be ≥ 0`},
		"monotone":         {"[[column]]\nname = \"a\"\nas = \"one-hot\"\nmonotone = \"+\"", `column "a": monotone is "+" and as is "one-hot", must be "+" or "-" and of a number`},
		"direction":        {"[[column]]\nname = \"a\"\nas = \"raw\"\nmonotone = \"up\"", `column "a": monotone is "up" and as is "raw"`},
		"unit":             {"[[column]]\nname = \"a\"\nas = \"one-hot\"\nunit = \"%\"", `column "a": has a unit, but as is "one-hot"`},
		"reason":           {"[[column]]\nname = \"a\"\nas = \"raw\"\nreason = \"x\"", `column "a": has a reason to be dropped, but as is "raw"`},
		"group":            {"[[group]]\nname = \"a\"", `group "a": column is missing`},
		"group twice":      {"[[group]]\ncolumn = \"a\"\n[[group]]\ncolumn = \"b\"\nname = \"a\"", `group "a" is given twice`},
		"group of label":   {"[label]\ncolumn = \"a\"\n[[group]]\ncolumn = \"a\"", `group "a": column "a" is the label or the weight`},
		"levels":           {"[[group]]\ncolumn = \"a\"\ncuts = [1]\nlevels = [\"x\"]", `group "a": 1 levels for 1 cuts`},
		"levels, no cuts":  {"[[group]]\ncolumn = \"a\"\nlevels = [\"x\"]", `group "a": 1 levels for 0 cuts`},
		"equal levels":     {"[[group]]\ncolumn = \"a\"\ncuts = [1]\nlevels = [\"x\", \"x\"]", `group "a": level "x" is given twice`},
		"cuts":             {"[[group]]\ncolumn = \"a\"\ncuts = [2, 1]\nlevels = [\"x\", \"y\", \"z\"]", `group "a": cuts are [2 1], must be finite and ascend`},
		"cuts and merge":   {"[[group]]\ncolumn = \"a\"\ncuts = [1]\nlevels = [\"x\", \"y\"]\nmerge = {b = [\"c\"]}", `group "a": has both cuts and merge`},
		"merged twice":     {"[[group]]\ncolumn = \"a\"\nmerge = {b = [\"c\"], d = [\"c\"]}", `group "a": merge has "c" twice`},
		"missing twice":    {"[[group]]\ncolumn = \"a\"\nmerge = {b = [\"\"], d = [\"(missing)\"]}", `group "a": merge has "(missing)" twice`},
		"number, no cuts":  {"[[group]]\ncolumn = \"a\"\n[[column]]\nname = \"a\"\nas = \"raw\"", `group "a": column "a" is a number (as = "raw"), so that cuts are needed`},
		"category, cuts":   {"[[group]]\ncolumn = \"a\"\ncuts = [1]\nlevels = [\"x\", \"y\"]\n[[column]]\nname = \"a\"\nas = \"one-hot\"", `group "a": cuts of a column that is a category`},
		"cuts, no cuts":    {"[[group]]\ncolumn = \"a\"\n[[group]]\nname = \"b\"\ncolumn = \"a\"\ncuts = [1]\nlevels = [\"x\", \"y\"]", `group "a": the group "b" cuts column "a" as a number, and can be named in its place`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readSchema(strings.NewReader(test.text), "s.toml")
			if err == nil || !strings.HasPrefix(err.Error(), "s.toml:") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

func TestCutsMustBeFinite(t *testing.T) {
	s := &Schema{Groups: []GroupSpec{{Column: "a", Cuts: []float64{math.NaN()}, Levels: []string{"x", "y"}}}}
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "must be finite") {
		t.Errorf("error %v", err)
	}
}

// TestSchemaReadsBack: what Write writes, readSchema reads.
func TestSchemaReadsBack(t *testing.T) {
	schemas := rapid.Custom(func(t *rapid.T) *Schema {
		s := drawTable(t).schema
		text := rapid.StringN(1, 10, -1).Filter(func(s string) bool { return !strings.Contains(s, "\x00") })
		s.About = rapid.String().Draw(t, "about")
		s.Label.Column = text.Draw(t, "label") + "_label"
		s.Delimiter = rapid.SampledFrom([]string{",", ";", "\t", "|", "blank", ""}).Draw(t, "delimiter")
		s.Header = rapid.SampledFrom([]*bool{nil, new(true), new(false)}).Draw(t, "header")
		s.Missing = rapid.SampledFrom([][]string{nil, {}, {"?", ""}}).Draw(t, "missing")
		s.Groups = []GroupSpec{
			{Column: "c0", Merge: map[string][]string{text.Draw(t, "level"): {text.Draw(t, "merged")}}},
			{Column: "n0", Name: "cut", Cuts: []float64{rapid.Float64().Draw(t, "cut")}, Levels: []string{"low", "high"}},
		}
		return s
	})
	rapid.Check(t, func(t *rapid.T) {
		want := schemas.Draw(t, "schema")
		if want.Validate() != nil {
			t.Skip("an invalid schema")
		}
		var file bytes.Buffer
		if err := want.Write(&file); err != nil {
			t.Fatal(err)
		}
		got, err := readSchema(&file, "f")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-written +read)\n%s", diff)
		}
	})
}

// TestFullSchema: a file is read as the same table with the schema that was found out from it.
func TestFullSchema(t *testing.T) {
	const text = "age;job;rate;id;same;rich\n31;cook;1%;1;x;yes\n42;?;2%;2;x;no\n53;nurse;3.5%;3;x;no\n"
	first := readTable(t, text, &Schema{})
	var file bytes.Buffer
	if err := first.FullSchema().Write(&file); err != nil {
		t.Fatal(err)
	}
	const want = `delimiter = ';'
header = true
titles = 0
missing = ['', '?', 'NA', 'N/A', 'n/a', '#N/A', '<NA>', 'NaN', 'nan', 'NaT', 'null', 'NULL']
other_columns = 'drop'

[label]
column = 'rich'
positive = ['yes']
negative = ['no']

[[column]]
name = 'age'
as = 'standardise'

[[column]]
name = 'job'
as = 'one-hot'
min_count = 10

[[column]]
name = 'rate'
as = 'standardise'
unit = '%'

[[column]]
name = 'id'
as = 'standardise'

[[column]]
name = 'same'
as = 'drop'
reason = 'all its values are equal'
`
	if diff := cmp.Diff(want, file.String()); diff != "" {
		t.Errorf("the schema (-want +got)\n%s", diff)
	}
	s, err := readSchema(&file, "f.toml")
	if err != nil {
		t.Fatal(err)
	}
	second := readTable(t, text, s)
	if diff := cmp.Diff(cells(first), cells(second)); diff != "" {
		t.Errorf("(-first +second)\n%s", diff)
	}
}

var schemaSeeds = []string{
	"name = 'a'\ncomments = ['|']\nheader = false\nnames = ['a', 'b']\nmissing = []",
	"[label]\ncolumn = 'y'\npositive = ['>50K']\n[[group]]\ncolumn = 'a'\nmerge = { f = ['1'] }",
	"[[group]]\ncolumn = 'a'\ncuts = [1e3]\nlevels = ['low', 'high']",
	"delimeter = 1",
	"[[column]]\nname = 'a'\nas = 'bins'\nbins = 1_0",
}

func FuzzReadSchema(f *testing.F) { datatest.Fuzz(f, schemaSeeds, checkSchema) }

// checkSchema expects that errors name the file, and that an accepted schema can be written
// and read again.
func checkSchema(t *testing.T, text string) {
	s, err := readSchema(strings.NewReader(text), "s.toml")
	if err != nil {
		if !strings.HasPrefix(err.Error(), "s.toml:") {
			t.Fatalf("error without a place: %v", err)
		}
		return
	}
	var file bytes.Buffer
	if err := s.Write(&file); err != nil {
		t.Fatal(err)
	}
	again, err := readSchema(&file, "s.toml")
	if err != nil {
		t.Fatalf("written again: %v\n%s", err, file.String())
	}
	if diff := cmp.Diff(s, again, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("(-first +second)\n%s", diff)
	}
}
