package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
)

// crowd writes people of races, a town each, of which Nord is that of one race, and a grade, which
// few of them lack.
func crowd(t *testing.T, path string, seed uint64, lacking int, races map[string]int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 4))
	var lines []string
	for _, race := range []string{"White", "Black", "Qmaori", "Qlapp", "Qasian", "Qnative"} {
		for k := range races[race] {
			town, grade := []string{"Ulm", "Bonn"}[r.IntN(2)], fmt.Sprintf("%.2f", 1+4*r.Float64())
			switch {
			case race == "Qlapp":
				town = "Nord"
			case race == "White" && k < 12:
				town = "Qhamlet"
			}
			if race == "Black" && k < lacking {
				grade = ""
			}
			skill := r.NormFloat64()
			hired := map[bool]string{true: "yes", false: "no"}[skill+r.NormFloat64() > 0.3]
			lines = append(lines, fmt.Sprintf("%s,%s,%s,%s,%.4f,%s\n",
				[]string{"f", "m"}[r.IntN(2)], race, town, grade, skill, hired))
		}
	}
	r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	if err := os.WriteFile(path, []byte("sex,race,town,grade,skill,hired\n"+strings.Join(lines,
		"")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// smallNumbers returns the places of a JSON value where a whole number is from 1 to most.
func smallNumbers(value any, most float64) (places []string) {
	switch v := value.(type) {
	case float64:
		if v >= 1 && v <= most && v == float64(int(v)) {
			places = append(places, fmt.Sprintf(" %v", v))
		}
	case []any:
		for _, one := range v {
			places = append(places, smallNumbers(one, most)...)
		}
	case map[string]any:
		for key, one := range v {
			for _, place := range smallNumbers(one, most) {
				places = append(places, "."+key+place)
			}
		}
	}
	return places
}

// noPeople are the places of numbers of groups and levels, of settings, and of rates and ratios,
// which may be 1.
var noPeople = regexp.MustCompile(`(extremes\.groups|\.folded|privacy\.levels|model\.features|unseen\.settings|side_effects\.p|effects\.at_least|min_count|seed|_ratio|_rate|_measures|tpr|fpr|value|low|high|estimate|upper) \d+$`)

// TestReportHidesFewPeople makes reports on one to four people: of two races in all files, of one
// in the held-out rows and one in the rows of a test, without a grade; and on twelve of a town,
// where groups begin with fifteen. No form of the report has their names, and no number in it is
// theirs.
func TestReportHidesFewPeople(t *testing.T) {
	for _, few := range []int{1, 4} {
		t.Chdir(t.TempDir())
		all := map[string]int{"White": 200, "Black": 120, "Qmaori": 70, "Qlapp": 60, "Qasian": few, "Qnative": few}
		but := func(race string) map[string]int {
			other := map[string]int{}
			for name, people := range all {
				other[name] = people
			}
			other[race] = few
			return other
		}
		crowd(t, "train.csv", uint64(few), few, all)
		crowd(t, "held.csv", uint64(10+few), few, but("Qlapp"))
		crowd(t, "fresh.csv", uint64(20+few), few, but("Qmaori"))
		do(t, "train", "--data", "train.csv", "--label", "hired", "--drop", "race", "--constraint",
			"demographic-parity:group=race,bound=0.6", "--model", "m.json", "--quiet")
		var certificate, talk bytes.Buffer // the test may fail
		run(t.Context(), strings.Fields("fairtrain certify --ledger ledger --json --model m.json --data fresh.csv"+
			" --constraint demographic-parity:group=race,bound=0.1"), nil, &certificate, &talk)
		if err := os.WriteFile("c.json", certificate.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, least := range []int{5, 15} {
			names := []string{"Qasian", "Qnative", "Qlapp"}
			if least == 15 {
				names = append(names, "Qhamlet")
			}
			for _, format := range []string{"html", "markdown", "json"} {
				text, _ := do(t, "report", "--model", "m.json", "--data", "train.csv", "--test",
					"held.csv", "--group", "sex*race", "--certificate", "c.json", "--min-group", fmt.Sprint(least), "--out", "-", "--format", format, "--quiet")
				for _, name := range names {
					if at := strings.Index(text, name); at >= 0 {
						t.Errorf("%d people, groups from %d: in %s is …%s…", few, least, format,
							text[max(0, at-80):min(len(text), at+40)])
					}
				}
				if found := regexp.MustCompile(`decided by [^<|]*Qmaori|Qmaori[^<|]* too small|it has [1-4] rows`).FindString(text); found != "" {
					t.Errorf("%d people of a test: in %s is %q", few, format, found)
				}
				if format != "json" {
					continue
				}
				var d map[string]any
				if err := json.Unmarshal([]byte(text), &d); err != nil {
					t.Fatal(err)
				}
				for _, place := range smallNumbers(d, float64(least-1)) {
					if !noPeople.MatchString(place) {
						t.Errorf("%d people, groups from %d: the numbers have %s", few, least, place)
					}
				}
				tested, err := json.Marshal(d["guarantee"])
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(tested), "Qmaori") || !strings.Contains(string(tested), "race=White") {
					t.Errorf("%d people of a test are named: %s", few, tested)
				}
			}
		}
	}
}
