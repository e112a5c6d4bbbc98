package people

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"math"
	"strings"
	"testing"
)

// TestTable: the rows are the same everywhere, and what is said of them is so.
func TestTable(t *testing.T) {
	for _, want := range []struct {
		name       string
		rows       int
		hired, gap float64
		hash       string
	}{
		{TrainName, 4000, 0.35, 0.19, "b8906c81f7be01d776eaf92b1f01c9c37031e5f028459f786f3324d611879781"},
		{TestName, 2000, 0.335, 0.23, ""},
	} {
		text := Table(want.name)
		sum := sha256.Sum256(text)
		if got := hex.EncodeToString(sum[:]); want.hash != "" && got != want.hash {
			t.Errorf("%s: the hash is %s", want.name, got)
		}
		records, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		column := map[string]int{}
		for k, name := range records[0] {
			column[name] = k
		}
		all, hired, missing := map[string]float64{}, map[string]float64{}, 0
		for _, r := range records[1:] {
			for _, group := range []string{"", r[column["sex"]], r[column["ethnicity"]]} {
				all[group]++
				if r[column["hired"]] == "yes" {
					hired[group]++
				}
			}
			if r[column["test_score"]] == "" {
				missing++
			}
		}
		rate := func(group string) float64 { return hired[group] / all[group] }
		if len(records)-1 != want.rows || missing == 0 || len(all) != 6 || math.Abs(rate("")-want.hired) > 0.01 {
			t.Errorf("%s: %d rows, %d without a test score, %d groups, %v hired", want.name,
				len(records)-1, missing, len(all), rate(""))
		}
		if gap := rate("male") - rate("female"); math.Abs(gap-want.gap) > 0.02 {
			t.Errorf("%s: the rates of women and men differ by %v", want.name, gap)
		}
	}
}
