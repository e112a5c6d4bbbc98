package encoding

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/internal/datatest"
)

// readRealTable reads a file of $FAIRTRAIN_DATA with a built-in schema, or skips.
func readRealTable(t *testing.T, name, schema string) *tabular.Table {
	t.Helper()
	content := datatest.Read(t, name)
	s, err := tabular.LoadSchema(schema)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := tabular.Read(bytes.NewReader(content), s, tabular.Options{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// groupSizes counts the rows of every group.
func groupSizes(d *dataset.Dataset) map[string]int {
	sizes := map[string]int{}
	for _, a := range d.Attributes {
		for code := range a.Codes.All() {
			sizes[a.Name+"="+a.Levels[code]]++
		}
	}
	return sizes
}

// TestRealFiles compares counts with the published counts of these files.
func TestRealFiles(t *testing.T) {
	for _, test := range []struct {
		file, schema              string
		rows, positives, features int
		groups                    map[string]int
	}{
		{"adult/adult.data", "adult", 32561, 7841, 115, map[string]int{
			"sex=Female": 10771, "sex=Male": 21790, "race=White": 27816, "race=Black": 3124,
			"race=Asian-Pac-Islander": 1039, "race=Amer-Indian-Eskimo": 311, "race=Other": 271,
		}},
		{"adult/adult.test", "adult", 16281, 3846, 100, map[string]int{
			"sex=Female": 5421, "sex=Male": 10860, "race=White": 13946, "race=Black": 1561,
			"race=Asian-Pac-Islander": 480, "race=Amer-Indian-Eskimo": 159, "race=Other": 135,
		}},
		{"compas/compas-two-years.csv", "compas", 7214, 3251, 30, map[string]int{
			"sex=Female": 1395, "sex=Male": 5819, "race=African-American": 3696, "race=Caucasian": 2454,
			"race=Hispanic": 637, "race=Other": 377, "race=Asian": 32, "race=Native American": 18,
			"age=under 25": 1529, "age=25 to 45": 4222, "age=over 45": 1463,
		}},
		{"german/german.data", "german", 1000, 700, 61, map[string]int{
			"sex=female": 310, "sex=male": 690, "age=up to 25": 190, "age=over 25": 810,
		}},
		{"credit-default/credit-card-clients.csv", "credit-default", 30000, 6636, 193, map[string]int{
			"SEX=male": 11888, "SEX=female": 18112, "AGE=up to 25": 3871, "AGE=26 to 60": 25857, "AGE=over 60": 272,
		}},
	} {
		t.Run(test.file, func(t *testing.T) {
			_, d := encode(t, readRealTable(t, test.file, test.schema))
			f := d.Fingerprint()
			got := []int{f.Rows, f.Positives, f.Negatives, f.Features}
			if diff := cmp.Diff([]int{test.rows, test.positives, test.rows - test.positives, test.features}, got); diff != "" {
				t.Errorf("rows, positives, negatives, features (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(test.groups, groupSizes(d)); diff != "" {
				t.Errorf("groups (-want +got)\n%s", diff)
			}
		})
	}
}

// TestAdultTestRows: the encoding learned on adult.data applies to adult.test. It also applies
// to the same file as a spreadsheet program would write it: with a header, and with the
// columns in another order.
func TestAdultTestRows(t *testing.T) {
	train := readRealTable(t, "adult/adult.data", "adult")
	e, err := Learn(train, nil)
	if err != nil {
		t.Fatal(err)
	}
	test, err := e.Apply(readRealTable(t, "adult/adult.test", "adult"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if test.Rows() != 16281 || test.Features() != 115 {
		t.Fatalf("%d×%d, want 16281×115", test.Rows(), test.Features())
	}

	lines := strings.Split(string(datatest.Read(t, "adult/adult.test")), "\n")[1:]
	shuffled := []string{shuffle(e.Schema.Names)}
	for _, line := range lines {
		if line != "" {
			shuffled = append(shuffled, shuffle(strings.Split(line, ", ")))
		}
	}
	again, err := e.Read(strings.NewReader(strings.Join(shuffled, "\n")), tabular.Options{Name: "shuffled.csv"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(test.Y, again.Y) || !slices.Equal(slices.Concat(dense(test)...), slices.Concat(dense(again)...)) {
		t.Error("the rows differ with the columns in another order")
	}
}

// shuffle writes values in reverse order.
func shuffle(values []string) string {
	values = slices.Clone(values)
	slices.Reverse(values)
	return strings.Join(values, ",")
}
