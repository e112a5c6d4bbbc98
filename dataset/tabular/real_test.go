package tabular

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/internal/datatest"
)

// TestLendingClubExport: percent signs, " 36 months", empty cells, loans that still run.
func TestLendingClubExport(t *testing.T) {
	const file = "loan/LoanStats_2018Q4.excerpt.csv"
	content := string(datatest.Read(t, file))
	schema, err := LoadSchema("lendingclub-original")
	if err != nil {
		t.Fatal(err)
	}
	finished := readTable(t, content, schema)
	if got := finished.Column("loan_status").Levels; finished.Rows != 3 || !slices.Equal(got, []string{"Fully Paid"}) {
		t.Errorf("%d finished loans with outcomes %q, want 3 paid", finished.Rows, got)
	}
	all, err := Read(strings.NewReader(content), finished.FullSchema(), Options{Name: file, AnyLabels: true})
	if err != nil {
		t.Fatal(err)
	}
	if all.Rows != 102 {
		t.Fatalf("%d rows, want 102", all.Rows)
	}
	first := fmt.Sprint(numbersOf(all.Column("term"))[0], numbersOf(all.Column("int_rate"))[0],
		numbersOf(all.Column("loan_amnt"))[0])
	if want := "36 10.33 10000"; first != want {
		t.Errorf("term, rate and amount of the first loan are %s, want %s", first, want)
	}
	missing := 0
	for code := range all.Column("emp_length").Codes.All() {
		if code == 0 {
			missing++
		}
	}
	if missing != strings.Count(content, ",n/a,") {
		t.Errorf("%d loans without a length of employment", missing)
	}

	found := readTable(t, content, &Schema{})
	if rate, _ := found.Schema.column("int_rate"); rate.As != Standardise || rate.Unit != "%" {
		t.Errorf("without a schema int_rate becomes %+v, want a percentage", rate)
	}
}
