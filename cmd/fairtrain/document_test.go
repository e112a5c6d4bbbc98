package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/report"
)

// do runs the program and fails unless it ends well.
func do(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, talk bytes.Buffer
	if code := run(t.Context(), append([]string{"fairtrain"}, args...), nil, &out, &talk); code != 0 {
		t.Fatalf("%v: code %d: %s", args, code, talk.String())
	}
	return out.String(), talk.String()
}

// writeHired makes a file of applicants, of both sexes and three ages.
func writeHired(t *testing.T, path string, rows int, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	b.WriteString("sex,age,skill,years,hired\n")
	for range rows {
		sex, skill := r.IntN(2), r.NormFloat64()
		hired := "no"
		if skill+0.8*float64(sex)+r.NormFloat64() > 0.8 {
			hired = "yes"
		}
		fmt.Fprintf(&b, "%s,%s,%.3f,%d,%s\n", []string{"f", "m"}[sex],
			[]string{"young", "middle", "old"}[r.IntN(3)], skill, 1+r.IntN(20), hired)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// person is a line of predict's output.
type person struct {
	sex             string
	hired, selected bool
	score           float64
}

func readPeople(t *testing.T, text string) []person {
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var people []person
	for _, line := range records[1:] {
		score, err := strconv.ParseFloat(line[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		people = append(people, person{line[0], line[1] == "yes", line[3] == "yes", score})
	}
	return people
}

// share returns, among the people for whom of holds, the share for whom what holds.
func share(people []person, of, what func(person) bool) float64 {
	n, k := 0, 0
	for _, p := range people {
		if of(p) {
			n++
			if what(p) {
				k++
			}
		}
	}
	return float64(k) / float64(n)
}

// TestReportNumbers computes the numbers of a report again, from the output of predict.
func TestReportNumbers(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	writeHired(t, file("train.csv"), 600, 1)
	writeHired(t, file("test.csv"), 500, 2)
	model := file("m.json")
	do(t, "train", "--data", file("train.csv"), "--test", file("test.csv"), "--label", "hired",
		"--constraint", "demographic-parity:group=sex,bound=0.05", "--model", model, "--report", file("r.json"))
	do(t, "report", "--model", model, "--data", file("train.csv"), "--test", file("test.csv"), "--out", file("r2.json"))
	text, err := os.ReadFile(file("r.json"))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(file("r2.json")); err != nil || !bytes.Equal(text, again) {
		t.Errorf("the report of the run and that of its model differ (%v)", err)
	}
	var d report.Document
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	scores, _ := do(t, "predict", "--model", model, "--data", file("test.csv"), "--id", "sex", "--id", "hired")
	people := readPeople(t, scores)

	all := func(person) bool { return true }
	women := func(p person) bool { return p.sex == "f" }
	men := func(p person) bool { return p.sex == "m" }
	selected := func(p person) bool { return p.selected }
	hired := func(p person) bool { return p.hired }
	right := func(p person) bool { return p.hired == p.selected }
	and := func(a, b func(person) bool) func(person) bool { return func(p person) bool { return a(p) && b(p) } }
	not := func(a func(person) bool) func(person) bool { return func(p person) bool { return !a(p) } }
	rateF, rateM := share(people, women, selected), share(people, men, selected)
	pairs, above := 0.0, 0.0
	for _, p := range people {
		for _, q := range people {
			if p.hired && !q.hired {
				pairs++
				switch {
				case p.score > q.score:
					above++
				case p.score == q.score:
					above += 0.5
				}
			}
		}
	}

	test, groups, price := d.Rows[1], d.Comparison[0].Tables[1].Groups, d.Cost[2]
	for _, n := range []struct {
		name      string
		got, want float64
	}{
		{"rows", float64(test.Rows), 500},
		{"women", float64(groups[0].Rows), 500 * share(people, all, women)},
		{"accuracy", float64(test.Accuracy.Value), share(people, all, right)},
		{"base rate", float64(test.BaseRate.Value), share(people, all, hired)},
		{"selection rate", float64(test.SelectionRate.Value), share(people, all, selected)},
		{"selection rate of women", float64(groups[0].SelectionRate.Value), rateF},
		{"selection rate of men", float64(groups[1].SelectionRate.Value), rateM},
		{"true positive rate of women", float64(groups[0].TPR.Value), share(people, and(women, hired), selected)},
		{"false positive rate of men", float64(groups[1].FPR.Value), share(people, and(men, not(hired)), selected)},
		{"AUC", float64(test.AUC), above / pairs},
		{"difference", float64(d.Requirements[0].Value(report.Held).Value), math.Abs(rateF - rateM)},
		{"same answer", float64(price.Majority), share(people, all, not(hired))},
		{"price's accuracy", float64(price.Accuracy), share(people, all, right)},
		{"impact ratio", float64(groups[0].ImpactRatio), rateF / max(rateF, rateM)},
	} {
		if math.Abs(n.got-n.want) > 1e-12 {
			t.Errorf("%s: the report has %v, the predictions %v", n.name, n.got, n.want)
		}
	}
	if a := d.Requirements[0].Value(report.Held); !(a.Low <= a.Value && a.Value <= a.High) || !a.Low.Defined() {
		t.Errorf("the interval %v to %v does not have %v", a.Low, a.High, a.Value)
	}
}

// hostile are names that try to be markup, to control a terminal, and to reverse text.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, "a|b`c`", "**bold** [x](javascript:alert)", "\u202egnp.exe", "\u009b31m", "{{.Doc}}", "</title></svg><style>",
}

// code is what Markdown shows as it stands.
var code = regexp.MustCompile("(?ms)^(````*)$.*?^````*$")

// TestReportIsInert makes reports of data whose columns, levels and card are hostile.
func TestReportIsInert(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	r := rand.New(rand.NewPCG(3, 4))
	header := append([]string{"who" + hostile[0], "skill" + hostile[5]}, "city"+hostile[4], "hired")
	if err := w.Write(header); err != nil {
		t.Fatal(err)
	}
	for range 900 {
		who, city := r.IntN(3), r.IntN(len(hostile))
		skill := r.NormFloat64()
		hired := "no"
		if skill+0.3*float64(city)+r.NormFloat64() > 1.5 {
			hired = "yes"
		}
		if err := w.Write([]string{hostile[who], fmt.Sprint(skill), hostile[city], hired}); err != nil {
			t.Fatal(err)
		}
	}
	w.Flush()
	card := fmt.Sprintf("title = %s\nlimits = [%s]\n",
		strconv.QuoteToASCII(hostile[0]+hostile[5]+"\x1b[2J"), strconv.QuoteToASCII("- "+hostile[1]))
	card = strings.ReplaceAll(card, `\x`, `\u00`) // as TOML has it
	for name, text := range map[string]string{"d.csv": b.String(), "card.toml": card} {
		if err := os.WriteFile(file(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	do(t, "train", "--data", file("d.csv"), "--label", "hired", "--constraint",
		"demographic-parity:group="+header[0]+",bound=0.1", "--model", file("m.json"), "--quiet")
	for _, extension := range []string{".html", ".md", ".json"} {
		out := file("r" + extension)
		_, talk := do(t, "report", "--model", file("m.json"), "--data", file("d.csv"), "--card",
			file("card.toml"), "--out", out)
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range string(text) + talk {
			if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e {
				t.Errorf("%s: %U is in it as it was", extension, r)
				break
			}
		}
		for _, markup := range []string{"<script", "<img", "</title></svg>", "<style></", "]("} {
			if strings.Contains(code.ReplaceAllString(string(text), ""), markup) &&
				(markup != "](" || extension == ".md") {
				t.Errorf("%s: %s is in it as it was", extension, markup)
			}
		}
		if extension == ".md" {
			checkTables(t, string(text))
		}
	}
}

// checkTables checks that all lines of a table in Markdown have as many cells as the first.
func checkTables(t *testing.T, text string) {
	columns := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		bars := strings.Count(line, "|") - strings.Count(line, `\|`)
		if columns == 0 {
			columns = bars
		}
		if bars != columns {
			t.Errorf("a line of a table of %d columns has %d: %s", columns-1, bars-1, line)
		}
	}
}

// reportOf is the report that some flags make, as Markdown and with its numbers.
func reportOf(t *testing.T, flags ...string) (text string, d *report.Document) {
	t.Helper()
	args := append([]string{"report", "--out", "-", "--quiet"}, flags...)
	text, _ = do(t, append(args, "--format", "markdown")...)
	numbers, _ := do(t, append(args, "--format", "json")...)
	if err := json.Unmarshal([]byte(numbers), &d); err != nil {
		t.Fatal(err)
	}
	return text, d
}

// expect looks for texts in a report.
func expect(t *testing.T, name, report string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(report, want) {
			t.Errorf("%s lacks %q", name, want)
		}
	}
}

// TestReportOfConstantDecisions: where nobody or everybody is selected, the verdict begins with
// that, and the first remark says that accuracy is not above such decisions' accuracy.
func TestReportOfConstantDecisions(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	writeHired(t, file("d.csv"), 200, 5)
	do(t, "train", "--data", file("d.csv"), "--label", "hired", "--constraint",
		"demographic-parity:group=sex,bound=0.5", "--model", file("m.json"), "--quiet")
	text, err := os.ReadFile(file("m.json"))
	if err != nil {
		t.Fatal(err)
	}
	for threshold, want := range map[string]string{"1": "Nobody is selected on the 200 training rows: ", "0": "Everybody is selected on the 200 training rows: "} {
		constant := regexp.MustCompile(`"threshold": ?[^,\n]+`).ReplaceAll(text, []byte(`"threshold": `+threshold))
		if err := os.WriteFile(file("constant.json"), constant, 0o644); err != nil {
			t.Fatal(err)
		}
		out, _ := do(t, "report", "--model", file("constant.json"), "--data", file("d.csv"),
			"--out", "-", "--format", "json")
		var d report.Document
		if err := json.Unmarshal([]byte(out), &d); err != nil {
			t.Fatal(err)
		}
		r := d.Verdict.Remarks
		if len(r) < 1 || !strings.HasPrefix(d.Verdict.Sentence, want) ||
			!strings.Contains(r[0], "majority-class baseline") || strings.Contains(strings.Join(r, ""), "nearly") {
			t.Errorf("threshold %s: %q", threshold, r)
		}
	}
}
