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
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/atomicfile"
	"github.com/fairtrain/fairtrain/report"
	"github.com/fairtrain/fairtrain/train"
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
		fmt.Fprintf(&b, "%s,%s,%.3f,%d,%s\n", []string{"f", "m"}[sex], []string{"young", "middle", "old"}[r.IntN(3)], skill, 1+r.IntN(20), hired)
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
		people = append(people, person{line[0], line[1] == "yes", line[3] == "1", score})
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
	do(t, "train", "--data", file("train.csv"), "--test", file("test.csv"), "--label", "hired", "--constraint", "demographic-parity:group=sex,bound=0.05", "--model", model, "--report", file("r.json"))
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
	var byScore []float64
	for _, p := range people {
		byScore = append(byScore, p.score)
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
	slices.Sort(byScore)
	median := (byScore[249] + byScore[250]) / 2
	high := func(p person) bool { return p.score > median }
	most := max(share(people, women, high), share(people, men, high))

	test, groups, price := d.Rows[1], d.Comparison[0].Tables[1].Groups, d.Price[1]
	sexes := d.Categories.Tables[0].Categories
	bin := groups[0].Calibration[0] // of the lowest scores among women
	inBin := func(p person) bool { return women(p) && p.score >= float64(bin.Low) && p.score <= float64(bin.High) }
	point := groups[1].ROC[len(groups[1].ROC)/2]
	from := func(p person) bool { return p.score >= float64(point.Threshold) }
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
		{"difference", float64(d.Requirements[0].Results[1].Value), math.Abs(rateF - rateM)},
		{"same answer", float64(price.Majority), share(people, all, not(hired))},
		{"price's accuracy", float64(price.Accuracy), share(people, all, right)},
		{"median", float64(d.Categories.Median), median},
		{"impact ratio", float64(sexes[0].ImpactRatio), rateF / max(rateF, rateM)},
		{"impact ratio of scoring", float64(sexes[0].ScoringImpactRatio), share(people, women, high) / most},
		{"rows of a bin", float64(bin.Rows), 500 * share(people, all, inBin)},
		{"base rate of a bin", float64(bin.BaseRate), share(people, inBin, hired)},
		{"ROC curve", float64(point.TPR), share(people, and(men, hired), from)},
	} {
		if math.Abs(n.got-n.want) > 1e-12 {
			t.Errorf("%s: the report has %v, the predictions %v", n.name, n.got, n.want)
		}
	}
	if a := d.Requirements[0].Results[1]; !(a.Low <= a.Value && a.Value <= a.High) || !a.Low.Defined() {
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
	card := fmt.Sprintf("title = %s\nlimits = [%s]\n", strconv.QuoteToASCII(hostile[0]+hostile[5]+"\x1b[2J"), strconv.QuoteToASCII("- "+hostile[1]))
	card = strings.ReplaceAll(card, `\x`, `\u00`) // as TOML has it
	for name, text := range map[string]string{"d.csv": b.String(), "card.toml": card} {
		if err := os.WriteFile(file(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	do(t, "train", "--data", file("d.csv"), "--label", "hired", "--constraint", "demographic-parity:group="+header[0]+",bound=0.1", "--model", file("m.json"), "--quiet")
	for _, extension := range []string{".html", ".md", ".json"} {
		out := file("r" + extension)
		_, talk := do(t, "report", "--model", file("m.json"), "--data", file("d.csv"), "--card", file("card.toml"), "--out", out)
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
			if strings.Contains(code.ReplaceAllString(string(text), ""), markup) && (markup != "](" || extension == ".md") {
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

// TestReportOfConditions: what a guarantee rests on and nobody could check stands in the verdict,
// in the section about the guarantee and in the numbers.
func TestReportOfConditions(t *testing.T) {
	t.Chdir(t.TempDir()) // certify looks for the training rows where the model file says
	writeHired(t, "train.csv", 300, 1)
	writeHired(t, "fresh.csv", 300, 2)
	const model = "m.json"
	do(t, "train", "--data", "train.csv", "--label", "hired", "--constraint", "demographic-parity:group=sex,bound=0.5", "--model", model, "--quiet")
	certified := func(name string, flags ...string) {
		text, _ := do(t, append([]string{"certify", "--model", model, "--data", "fresh.csv", "--ledger", "ledger", "--json", "--quiet"}, flags...)...)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename("train.csv", "elsewhere.csv"); err != nil {
		t.Fatal(err)
	}
	certified("unchecked")
	if err := os.Rename("elsewhere.csv", "train.csv"); err != nil {
		t.Fatal(err)
	}
	certified("reused", "--reuse")
	const unchecked, reused = "if none of these rows was used in training, which could not be checked", "if the choice of a test of these rows depended only on whether earlier tests were passed"
	for _, test := range []struct{ certificate, condition, other string }{{"unchecked", unchecked, reused}, {"reused", reused, unchecked}} {
		text, d := reportOf(t, "--model", model, "--data", "train.csv", "--certificate", test.certificate)
		expect(t, test.certificate, text,
			"**Guaranteed on a condition.** The classifier keeps what was asked for the people that the 300 certified rows were drawn from, with 95 % confidence, "+test.condition+".",
			"group=sex,bound=0.5, "+test.condition+".", "If that is so, and "+test.condition+", a",
			"✓ guaranteed (on a condition)", "✓ shown (on a condition)")
		limit := fmt.Sprintf("at most %.2f points", math.Ceil(1e4*float64(d.Requirements[0].Results[1].High))/100)
		expect(t, test.certificate, text, "shown: "+limit, "| "+limit+" | at most 50.00 points |")
		if strings.Contains(text, test.other) {
			t.Errorf("%s: also on the condition %q", test.certificate, test.other)
		}
		if g := d.Guarantee; d.Verdict.Outcome != report.GuaranteedIf || !slices.Equal(g.Conditions, []string{test.condition}) || g.TrainingRowsChecked != (test.condition == reused) {
			t.Errorf("%s: %s, on the conditions %q", test.certificate, d.Verdict.Outcome, g.Conditions)
		}
	}
}

// trainedAs is what train says about a requirement that it prints, and the report of its model.
func trainedAs(t *testing.T, constraint, data, test string, flags ...string) (r *train.Report, talk, text string, d *report.Document) {
	t.Helper()
	model := filepath.Join(t.TempDir(), "m.json")
	args := append([]string{"train", "--data", data, "--test", test, "--label", "hired", "--constraint", constraint, "--model", model, "--quiet"}, flags...)
	talk, _ = do(t, args...)
	numbers, _ := do(t, append(args, "--json", "--force")...)
	if err := json.Unmarshal([]byte(numbers), &r); err != nil {
		t.Fatal(err)
	}
	text, d = reportOf(t, "--model", model, "--data", data, "--test", test)
	return r, strings.Join(strings.Fields(talk), " "), text, d
}

// TestReportOfShares: where the bound is the share of a group in the rows, the report judges
// held-out rows as train does, by its share in the training rows, and shows it.
func TestReportOfShares(t *testing.T) {
	dir := t.TempDir()
	writeHired(t, filepath.Join(dir, "train.csv"), 600, 1)
	writeHired(t, filepath.Join(dir, "all.csv"), 600, 2)
	text, err := os.ReadFile(filepath.Join(dir, "all.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(string(text)))
	for few, broken := range map[string]bool{"f,": true, "m,": false} {
		rows, people := lines[0], 0
		for k, line := range lines[1:] {
			if k%3 == 0 || !strings.HasPrefix(line, few) {
				rows += line
				people++
			}
		}
		test := filepath.Join(dir, "few.csv")
		if err := os.WriteFile(test, []byte(rows), 0o644); err != nil {
			t.Fatal(err)
		}
		r, talk, text, d := trainedAs(t, "share:group=sex=f,omega=share", filepath.Join(dir, "train.csv"), test)
		q, asked := r.Requirements[0], d.Requirements[0]
		if asked.Bound != q.Bound || asked.BoundFrom != report.Training {
			t.Errorf("few %s: the bound %v of the %s rows, train has %v", few, asked.Bound, asked.BoundFrom, q.Bound)
		}
		for k, value := range []float64{*q.Train, *q.Test} {
			if a := asked.Results[k]; float64(a.Bound) != q.Bound || float64(a.Value) != value {
				t.Errorf("few %s: %v for %v in %s rows, train has %v for %v", few, a.Value, a.Bound, a.Role, value, q.Bound)
			}
		}
		if asked.Results[1].Holds == broken || strings.Contains(talk, "broken there") != broken || (d.Verdict.Outcome == report.BrokenOutside) != broken {
			t.Errorf("few %s: kept is %v, the outcome %s, and train says %s", few, asked.Results[1].Holds, d.Verdict.Outcome, talk)
		}
		expect(t, "few "+few, text, "omega=share names no share: what is asked for is the share of the group sex=f among the 600 training rows.")
		if got := strings.Count(text, fmt.Sprintf("| at least %.1f %% |", 100*q.Bound)) + strings.Count(text, fmt.Sprintf("| at least %.2f", 100*q.Bound)); got < 2 {
			t.Errorf("few %s: %d rows show the bound %v", few, got, q.Bound)
		}
		model := filepath.Join(t.TempDir(), "m.json")
		do(t, "train", "--data", filepath.Join(dir, "train.csv"), "--label", "hired", "--constraint", "share:group=sex=f,omega=share", "--model", model, "--quiet")
		_, alone := reportOf(t, "--model", model, "--data", test)
		women := float64(strings.Count(rows, "\nf,")) / float64(people)
		if a := alone.Requirements[0]; math.Abs(a.Bound-women) > 1e-12 || a.BoundFrom != report.Held {
			t.Errorf("few %s: alone these rows have the bound %v of the %s rows, expected %v", few, a.Bound, a.BoundFrom, women)
		}
	}
}

// TestReportOfShareTest: the test of such a requirement is about another figure, mean scores, and
// the report says so.
func TestReportOfShareTest(t *testing.T) {
	t.Chdir(t.TempDir())
	writeHired(t, "train.csv", 600, 1)
	writeHired(t, "fresh.csv", 2000, 2)
	do(t, "train", "--data", "train.csv", "--label", "hired", "--drop", "sex", "--constraint", "share:group=sex=f,omega=share", "--model", "m.json", "--quiet")
	var out, talk bytes.Buffer
	run(t.Context(), []string{"fairtrain", "certify", "--model", "m.json", "--data", "fresh.csv", "--ledger", "ledger", "--json"}, nil, &out, &talk)
	if err := os.WriteFile("test.json", out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	text, d := reportOf(t, "--model", "m.json", "--data", "train.csv", "--certificate", "test.json")
	a := d.Requirements[0].Results[1]
	if a.Measure != "mean_score_shortfall" || a.Bound != 0 || !a.High.Defined() || a.Low.Defined() {
		t.Errorf("the test is about %s up to %v, to be at most %v; %s", a.Measure, a.High, a.Bound, talk.String())
	}
	for _, one := range []struct {
		name     string
		flags    []string
		restated bool
	}{{"with the test", []string{"--certificate", "test.json"}, false}, {"without", nil, true}} {
		page, _ := do(t, append([]string{"report", "--model", "m.json", "--data", "train.csv", "--out", "-", "--format", "html", "--quiet"}, one.flags...)...)
		if strings.Contains(page, "<table class=\"restated") != one.restated {
			t.Errorf("%s: narrow screens leave out the bounds: %v", one.name, !one.restated)
		}
	}
	expect(t, "the report", text, "| Certified rows (2,000) (Mean score of all others minus that of the group sex=f) | at most 0.00 points |", "shown: at most ")
}

// TestReportOfHalfATest: of a test that was not passed, a requirement may be guaranteed alone.
func TestReportOfHalfATest(t *testing.T) {
	t.Chdir(t.TempDir())
	writeHired(t, "train.csv", 300, 1)
	writeHired(t, "fresh.csv", 300, 2)
	do(t, "train", "--data", "train.csv", "--label", "hired", "--constraint", "demographic-parity:group=sex,bound=0.5", "--constraint", "rate-ratio:group=age,min=0.8", "--model", "m.json", "--quiet")
	var out, talk bytes.Buffer
	if code := run(t.Context(), []string{"fairtrain", "certify", "--model", "m.json", "--data", "fresh.csv", "--ledger", "ledger", "--json"}, nil, &out, &talk); code != command.ExitNotReached {
		t.Fatalf("code %d: %s", code, talk.String())
	}
	if err := os.WriteFile("test.json", out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	text, _ := reportOf(t, "--model", "m.json", "--data", "train.csv", "--certificate", "test.json")
	expect(t, "the report", text, "✓ guaranteed", "✗ not shown", "the confidence of a requirement that is guaranteed all the same is for it alone.",
		"remembers these tests, but not on what conditions they guarantee something:")
}

// TestReportOfTolerance: scores that are beyond their bound, within the tolerance of training, are
// said to be, as train does, and no text shows the figure as equal to the bound.
func TestReportOfTolerance(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	writeHired(t, file("train.csv"), 600, 1)
	writeHired(t, file("test.csv"), 600, 3)
	free, _, _, _ := trainedAs(t, "bounded-group-loss:group=sex,bound=0.9", file("train.csv"), file("test.csv"))
	bound := math.Round(*free.Requirements[0].Train*1e4)/1e4 - 1e-3
	r, talk, text, d := trainedAs(t, fmt.Sprintf("bounded-group-loss:group=sex,bound=%.4f", bound), file("train.csv"), file("test.csv"), "--tol", "0.02")
	q, asked := r.Requirements[0], d.Requirements[0]
	a := asked.Results[0]
	if q.Holds(*q.Train) || !q.Satisfied {
		t.Fatalf("not kept within the tolerance only: %v for %v", *q.Train, q.Bound)
	}
	if !a.Holds || a.Tolerance != 0.02 {
		t.Errorf("kept is %v, within %v", a.Holds, a.Tolerance)
	}
	if beyond := *q.Test - bound; !(beyond > 0 && beyond < 0.02) { // so that the rule matters
		t.Fatalf("on test rows the bound is missed by %v", beyond)
	}
	if want := q.Keeps(*q.Test, r.Tolerance); asked.Results[1].Holds != want || strings.Contains(talk, "broken there") == want {
		t.Errorf("on test rows kept is %v, expected %v; train says %s", asked.Results[1].Holds, want, talk)
	}
	expect(t, "train", talk, "Holds to within 2e-02 of the scores")
	expect(t, "the report", text, "✓ within the tolerance", "to a tolerance of 0.02", "(scores to within 0.02)")
	row := regexp.MustCompile(`\| Training rows \(600\) \| at most ([0-9.]+) % \| ([0-9.]+) %`).FindStringSubmatch(text)
	if row == nil || row[1] >= row[2] {
		t.Errorf("%v is shown beside %v as %q", a.Value, a.Bound, row)
	}
}

// TestReportWithinOneDecision: the rule is said, of groups of any size.
func TestReportWithinOneDecision(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "train.csv")
	writeHired(t, data, 601, 1)
	model := filepath.Join(dir, "m.json")
	do(t, "train", "--data", data, "--label", "hired", "--constraint", "demographic-parity:group=sex,bound=0.00004", "--model", model, "--quiet")
	text, d := reportOf(t, "--model", model, "--data", data)
	if d.Verdict.Outcome != report.MetWithin || len(d.Requirements[0].WithinOneDecision) == 0 {
		t.Fatalf("%s, within one decision are %q", d.Verdict.Outcome, d.Requirements[0].WithinOneDecision)
	}
	expect(t, "the report", text, "**Met, within one decision.** The classifier keeps what was asked (within one decision of a group) on",
		"the rate of such a group may be off, beyond the bound, by the share of one decision in that group.", "at most 0.004 points")
	if strings.Contains(text, "tiny") {
		t.Error("a group of 300 is called tiny")
	}
}

// tabled is a model's table of effects, as a reader has it: the effects by column and value, and
// what numbers are counted from.
type tabled struct {
	constant float64
	effect   map[string]float64 // "age", "sex=f"
	from     map[string]float64 // of numbers
}

// effectsIn reads the table of effects of a report.
func effectsIn(t *testing.T, report string) tabled {
	t.Helper()
	table := tabled{math.NaN(), map[string]float64{}, map[string]float64{}}
	line := regexp.MustCompile(`^\| (.*?) \| (.*?) \| \\?([-+][-+.e0-9]+) \| .*\|$`)
	counted := regexp.MustCompile(`^one unit less, counted from (.*)$`)
	_, text, _ := strings.Cut(report, "of the model**\n")
	for row := range strings.Lines(text) {
		m := line.FindStringSubmatch(strings.TrimSuffix(row, "\n"))
		if m == nil {
			continue
		}
		feature := strings.NewReplacer(`\`, "", "&lt;", "<", "&gt;", ">").Replace(m[1])
		effect, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		if from := counted.FindStringSubmatch(m[2]); from != nil {
			if table.from[feature], err = strconv.ParseFloat(from[1], 64); err != nil {
				t.Fatal(err)
			}
		}
		if table.effect[feature] = effect; feature == "(everybody)" {
			table.constant = effect
			break
		}
	}
	return table
}

// effectsOf reads the table that explain prints.
func effectsOf(t *testing.T, text string) tabled {
	t.Helper()
	table := tabled{math.NaN(), map[string]float64{}, map[string]float64{}}
	marked := regexp.MustCompile(` *(  group|  proxy)?\n$`)
	line := regexp.MustCompile(`^( *)(.*?)(?:  +(reference|[-+][-+.e0-9]+)(?: +([^ ]+))?(?: +([-+][^ ]+) +([^ ]+))?.*)?$`)
	column := ""
	for row := range strings.Lines(text) {
		m := line.FindStringSubmatch(marked.ReplaceAllString(row, ""))
		feature := m[2]
		if m[1] != "" {
			feature = column + "=" + feature
		} else {
			column = feature
		}
		effect, err := strconv.ParseFloat(m[3], 64)
		if err != nil && m[3] != "reference" {
			continue
		}
		if from, err := strconv.ParseFloat(m[6], 64); err == nil {
			table.from[feature] = from
		}
		if table.effect[feature] = effect; feature == "(everybody)" {
			table.constant = effect
			break
		}
	}
	return table
}

// logOdds adds up what a table has of the values of a row, by columns.
func (e tabled) logOdds(row map[string]string) float64 {
	sum := e.constant
	for column, value := range row {
		if effect, isNumber := e.effect[column]; isNumber {
			if v, err := strconv.ParseFloat(value, 64); err == nil {
				sum += effect * (v - e.from[column])
			}
			continue
		}
		effect, known := e.effect[column+"="+value]
		if !known {
			effect = e.effect[column+"=(other)"]
		}
		sum += effect
	}
	return sum
}

// TestPrintedEffectsAddUp: who adds the numbers that the report and explain print has the scores
// of predict.
func TestPrintedEffectsAddUp(t *testing.T) {
	dir := t.TempDir()
	data, people := filepath.Join(dir, "train.csv"), filepath.Join(dir, "people.csv")
	writeHired(t, data, 600, 1)
	text, err := os.ReadFile(data)
	if err != nil {
		t.Fatal(err)
	}
	// A number that is far from 0, as years are, and values that training has not seen.
	years := regexp.MustCompile(`,([0-9]+),(yes|no)\n`)
	withYears := years.ReplaceAllFunc(text, func(end []byte) []byte {
		m := years.FindSubmatch(end)
		since, _ := strconv.Atoi(string(m[1]))
		return fmt.Appendf(nil, ",%d,%s\n", 2000+since, m[2])
	})
	rows := slices.Collect(strings.Lines(string(withYears)))[:200]
	rows = append(rows, "x,young,0.1,2005,yes\n", "f,ancient,0.3,1995,no\n")
	for path, text := range map[string][]byte{data: withYears, people: []byte(strings.Join(rows, ""))} {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	model := filepath.Join(dir, "m.json")
	do(t, "train", "--data", data, "--label", "hired", "--constraint", "demographic-parity:group=sex,bound=0.1", "--use-group", "--model", model, "--quiet")
	checkPrinted(t, model, data, people, []string{"sex", "age", "skill", "years"})
	if compas := filepath.Join(realData(), "compas", "compas-two-years.csv"); realData() != "" {
		model := filepath.Join(dir, "compas.json")
		do(t, "train", "--schema", "compas", "--data", compas, "--constraint", "none", "--model", model, "--quiet")
		checkPrinted(t, model, compas, compas, []string{"sex", "race", "juv_fel_count", "juv_misd_count", "juv_other_count", "c_charge_degree", "priors_count", "age"})
	}
}

// checkPrinted compares the scores of rows with those that the printed tables give.
func checkPrinted(t *testing.T, model, data, people string, columns []string) {
	t.Helper()
	report, d := reportOf(t, "--model", model, "--data", data, "--min-group", "1")
	explained, _ := do(t, "explain", "--model", model)
	args := []string{"predict", "--model", model, "--data", people}
	for _, column := range columns {
		args = append(args, "--id", column)
	}
	scores, _ := do(t, args...)
	records, err := csv.NewReader(strings.NewReader(scores)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(records) < 100 {
		t.Fatalf("%d rows", len(records))
	}
	for name, table := range map[string]tabled{"the report": effectsIn(t, report), "explain": effectsOf(t, explained)} {
		if want := d.Model.Uses.Constant; math.Abs(table.constant-want) > 1e-3*max(1, math.Abs(want)) {
			t.Errorf("%s: the constant %v, in JSON %v", name, table.constant, want)
		}
		worst := 0.0
		for _, record := range records[1:] {
			row := map[string]string{}
			for k, column := range columns {
				row[column] = level(table, column, record[k])
			}
			score, err := strconv.ParseFloat(record[len(columns)], 64)
			if err != nil {
				t.Fatal(err)
			}
			worst = max(worst, math.Abs(table.logOdds(row)-math.Log(score/(1-score))))
		}
		if !(worst < 0.01) { // four digits of each number
			t.Errorf("%s: the numbers printed miss the log-odds of a score by %v", name, worst)
		}
	}
}

// level is the value of a column as a table names it: of a bin, its interval.
func level(table tabled, column, value string) string {
	v, err := strconv.ParseFloat(value, 64)
	if _, isNumber := table.effect[column]; isNumber || err != nil {
		return value
	}
	bin := regexp.MustCompile(`^(?:` + column + `=)?` + column + ` (?:< ([-0-9.]+)|in \[([-0-9.]+), ([-0-9.]+)\)|>= ([-0-9.]+))$`)
	number := func(text string, otherwise float64) float64 {
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			return v
		}
		return otherwise
	}
	for feature, effect := range table.effect {
		if m := bin.FindStringSubmatch(feature); m != nil {
			low, high := number(m[2]+m[4], math.Inf(-1)), number(m[1]+m[3], math.Inf(1))
			if v >= low && v < high {
				name := strings.TrimPrefix(feature, column+"=")
				table.effect[column+"="+name] = effect
				return name
			}
		}
	}
	return value
}

// TestReportOfCosts: where decisions were chosen by costs, the report compares what wrong decisions
// cost with what the same answer for everybody costs, and names the threshold that was asked for.
func TestReportOfCosts(t *testing.T) {
	dir := t.TempDir()
	data, model := filepath.Join(dir, "train.csv"), filepath.Join(dir, "m.json")
	writeHired(t, data, 600, 1)
	do(t, "train", "--data", data, "--label", "hired", "--constraint", "demographic-parity:group=sex,bound=0.1", "--threshold", "0.2", "--model", model, "--quiet")
	text, d := reportOf(t, "--model", model, "--data", data)
	scores, _ := do(t, "predict", "--model", model, "--data", data, "--id", "sex", "--id", "hired")
	people := readPeople(t, scores)
	cost := func(selected func(person) bool) (sum float64) {
		for _, p := range people {
			switch {
			case selected(p) && !p.hired:
				sum += 0.2
			case !selected(p) && p.hired:
				sum += 0.8
			}
		}
		return sum / float64(len(people))
	}
	want := []float64{cost(func(p person) bool { return p.selected }), cost(func(person) bool { return true }), cost(func(person) bool { return false })}
	paid := d.Price[0].Costs
	for k, got := range []fairness.Value{paid.Classifier, paid.AllPositive, paid.AllNegative} {
		if math.Abs(float64(got)-want[k]) > 1e-12 {
			t.Errorf("cost %d is %v, expected %v", k, got, want[k])
		}
	}
	expect(t, "the report", text, fmt.Sprintf("| Training rows (600) | %.4f | %.4f | %.4f |", want[0], want[1], want[2]))
	if strings.Contains(text, "turned down") {
		t.Error("a negative decision is said to be bad for a person")
	}
	if strings.Contains(text, "must beat it") || strings.Contains(text, "is not above") {
		t.Error("a classifier that was chosen by costs is compared by accuracy")
	}
	if asked := float64(d.Model.ThresholdOfCosts); math.Abs(asked-0.2) > 1e-12 || d.Model.Threshold == 0.2 {
		t.Fatalf("asked for %v, decides at %v", asked, d.Model.Threshold)
	}
	expect(t, "the report", text, fmt.Sprintf("at least %.4g (the costs balance at 0.2;", d.Model.Threshold), fmt.Sprintf("at a score of %.4g (the costs balance at 0.2;", d.Model.Threshold))

	// A classifier for which everybody is selected costs what that costs.
	file, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	constant := regexp.MustCompile(`"threshold": ?[^,\n]+`).ReplaceAll(file, []byte(`"threshold": 0`))
	if err := os.WriteFile(model, constant, 0o644); err != nil {
		t.Fatal(err)
	}
	text, _ = reportOf(t, "--model", model, "--data", data)
	expect(t, "the constant classifier", text, fmt.Sprintf("On the 600 training rows wrong decisions cost %.4f on average, no less than the %.4f of", want[1], min(want[1], want[2])))
}

// TestReportOfTheCommand: what the report says of the command of a certified training is what the
// command does.
func TestReportOfTheCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	writeHired(t, "train.csv", 1500, 1)
	train := func(model, ledger string, flags ...string) int {
		var out, talk bytes.Buffer
		return run(t.Context(), append([]string{
			"fairtrain", "train", "--data", "train.csv", "--label", "hired", "--constraint", "demographic-parity:group=sex,bound=0.2",
			"--certify", "0.4", "--model", model, "--report", model + ".md", "--ledger", ledger, "--quiet",
		}, flags...), nil, &out, &talk)
	}
	const failed, worse = command.ExitFailure, command.ExitNotReached
	if code := train("m.json", "ledger"); code != 0 && code != worse {
		t.Fatalf("code %d", code)
	}
	if code := train("refused.json", "ledger"); code != failed {
		t.Errorf("the same command again: code %d", code)
	}
	for name, flags := range map[string][]string{"same.json": {"--ledger", "empty"}, "other.json": {"--reuse"}} {
		if code := train(name, "ledger", flags...); code != 0 && code != worse {
			t.Fatalf("%s: code %d", name, code)
		}
	}
	weights := func(model string) string {
		text, err := os.ReadFile(model)
		if err != nil {
			t.Fatal(err)
		}
		return regexp.MustCompile(`(?s)"weights":.*?\]`).FindString(string(text))
	}
	if weights("same.json") != weights("m.json") || weights("other.json") == weights("m.json") {
		t.Error("an empty ledger gives other weights, or --reuse the same")
	}
	text, err := os.ReadFile("m.json.md")
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "the report", string(text), "with a ledger of tested rows as it was before this training, this trains a model of the same weights:",
		"With that ledger the command is refused. With --reuse it tests at a higher confidence, for which it trains with tighter bounds", "A model file also notes its tests and their times")
	do(t, "train", "--data", "train.csv", "--label", "hired", "--constraint", "none", "--model", "plain.json", "--quiet")
	if strings.Contains(string(text), "could not be checked") || strings.Contains(string(text), "only on whether earlier tests") {
		t.Error("the test of a training run has a condition")
	}
	if text, err = os.ReadFile("other.json.md"); err != nil {
		t.Fatal(err)
	}
	expect(t, "the report of --reuse", string(text), "only on whether earlier tests were passed")
	plain, d := reportOf(t, "--model", "plain.json", "--data", "train.csv")
	expect(t, "the other report", plain, "the same kind of processor, this trains a model of the same weights:")
	if strings.Contains(plain, "ledger") || strings.Contains(plain, "its tests") {
		t.Error("a model without a test has a ledger")
	}
	if of := d.Model.ResidualOf; of != "uncalibrated-model" && of != "model" {
		t.Errorf("without requirements the residual is that of the %s", of)
	}
	expect(t, "the report of --reuse", string(text), "of the smooth problem from which a search for the best decisions made the classifier")
}

// TestReportOfMergedCategories: impact ratios are of the categories shown; if the merged ones are
// selected more often, the report says so.
func TestReportOfMergedCategories(t *testing.T) {
	dir := t.TempDir()
	data, model := filepath.Join(dir, "train.csv"), filepath.Join(dir, "m.json")
	for _, above := range []bool{true, false} {
		writeHired(t, data, 600, 5)
		text, err := os.ReadFile(data)
		if err != nil {
			t.Fatal(err)
		}
		skill := map[bool]string{true: "4.0", false: "-4.0"}[above]
		for k := range 8 { // three of one age and five of another
			text = fmt.Appendf(text, "%s,%s,%s,%d,%s\n", []string{"f", "m"}[k%2], []string{"ninety", "eighty"}[min(k/3, 1)], skill, 1+k, map[bool]string{true: "yes", false: "no"}[above])
		}
		if err := os.WriteFile(data, text, 0o644); err != nil {
			t.Fatal(err)
		}
		do(t, "train", "--data", data, "--label", "hired", "--drop", "age", "--constraint", "demographic-parity:group=age,bound=0.9", "--model", model, "--quiet", "--force")
		page, d := reportOf(t, "--model", model, "--data", data)
		table := d.Categories.Tables[0]
		if merged := table.Categories[slices.IndexFunc(table.Categories, func(c report.Category) bool { return c.Folded })]; table.MergedAbove != above || (merged.SelectionRate > 0.9) != above {
			t.Errorf("the merged ages have the rate %v, and are above is %v", merged.SelectionRate, table.MergedAbove)
		}
		expect(t, "the report", page, "the highest rate of any category that is shown on its own. Merged categories are left out of it.")
		if strings.Contains(page, "The merged categories have a higher rate together than any category that is shown") != above {
			t.Errorf("above is %v, and the report says otherwise", above)
		}
	}
}

// TestReportOfSmallGroups looks for the names and numbers of groups that are too small.
func TestReportOfSmallGroups(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	writeHired(t, file("train.csv"), 600, 5)
	f, err := os.OpenFile(file("train.csv"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(f, "f,ninety-nine,0.3,4,no\nm,ninety-nine,0.1,3,yes\nm,ninety-nine,0.2,3,no\n")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	do(t, "train", "--data", file("train.csv"), "--label", "hired", "--constraint", "demographic-parity:group=age,bound=0.2", "--model", file("m.json"), "--report", file("r.html"), "--quiet")
	for _, out := range []string{"r.md", "r.json"} {
		do(t, "report", "--model", file("m.json"), "--data", file("train.csv"), "--group", "sex*age", "--out", file(out))
	}
	for _, name := range []string{"r.html", "r.md", "r.json"} {
		text, err := os.ReadFile(file(name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "ninety") {
			t.Errorf("%s names a group of 3 people", name)
		}
	}
	var d report.Document
	text, err := os.ReadFile(file("r.json"))
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range d.Comparison {
		folded := 0
		for _, g := range c.Tables[0].Groups {
			if g.Rows < 5 {
				t.Errorf("%s: %s has %d people", c.Group, g.Name, g.Rows)
			}
			if g.Folded {
				folded++
			}
		}
		if folded != 1 || c.Tables[0].Folded < 2 {
			t.Errorf("%s: %d groups in %d cells", c.Group, c.Tables[0].Folded, folded)
		}
	}
}

// TestReportOfFewLabels: no figure reveals the labels of a group of 66 people, few of them
// hired, nor of another group, by which the difference from all would reveal the first.
func TestReportOfFewLabels(t *testing.T) {
	for _, few := range []int{0, 3} {
		dir := t.TempDir()
		data, out := filepath.Join(dir, "d.csv"), filepath.Join(dir, "r.json")
		writeHired(t, data, 600, 5)
		text, err := os.ReadFile(data)
		if err != nil {
			t.Fatal(err)
		}
		for k := range 66 {
			text = fmt.Appendf(text, "f,seldom,%.2f,%d,%s\n", float64(k)/40, 1+k%20, map[bool]string{true: "yes", false: "no"}[k >= 66-few])
		}
		if err := os.WriteFile(data, text, 0o644); err != nil {
			t.Fatal(err)
		}
		do(t, "train", "--data", data, "--label", "hired", "--constraint", "demographic-parity:group=age,bound=0.5", "--model", filepath.Join(dir, "m.json"), "--report", out, "--quiet")
		var d report.Document
		if text, err = os.ReadFile(out); err == nil {
			err = json.Unmarshal(text, &d)
		}
		if err != nil {
			t.Fatal(err)
		}
		var silent []string
		for _, g := range d.Comparison[0].Tables[0].Groups {
			if g.Rows < 5 || !g.SelectionRate.Value.Defined() {
				t.Errorf("%s has %d people and the selection rate %v", g.Name, g.Rows, g.SelectionRate.Value)
			}
			told := 0
			for _, v := range []fairness.Value{
				g.Positives, g.BaseRate.Value, g.TPR.Value, g.FPR.Value, g.Accuracy.Value, g.AUC, g.ECE,
				g.BaseRate.High, g.TPR.High, g.FPR.High, g.Accuracy.High,
			} {
				if v.Defined() {
					told++
				}
			}
			if told == 0 && g.Calibration == nil && g.ROC == nil {
				silent = append(silent, g.Name)
			}
		}
		if !slices.Contains(silent, "seldom") || len(silent) != 2 {
			t.Errorf("%d positive labels: the labels of %v are not told, expected seldom and one more", few, silent)
		}
	}
}

// TestReportOfConstantDecisions: where nobody or everybody is selected, the first remark says
// so, and the next one that accuracy is not above such decisions' accuracy.
func TestReportOfConstantDecisions(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	writeHired(t, file("d.csv"), 200, 5)
	do(t, "train", "--data", file("d.csv"), "--label", "hired", "--constraint", "demographic-parity:group=sex,bound=0.5", "--model", file("m.json"), "--quiet")
	text, err := os.ReadFile(file("m.json"))
	if err != nil {
		t.Fatal(err)
	}
	for threshold, want := range map[string]string{"1": "Nobody is selected on the 200 training rows: ", "0": "Everybody is selected on the 200 training rows: "} {
		constant := regexp.MustCompile(`"threshold": ?[^,\n]+`).ReplaceAll(text, []byte(`"threshold": `+threshold))
		if err := os.WriteFile(file("constant.json"), constant, 0o644); err != nil {
			t.Fatal(err)
		}
		out, _ := do(t, "report", "--model", file("constant.json"), "--data", file("d.csv"), "--out", "-", "--format", "json")
		var d report.Document
		if err := json.Unmarshal([]byte(out), &d); err != nil {
			t.Fatal(err)
		}
		r := d.Verdict.Remarks
		if len(r) < 2 || !strings.HasPrefix(r[0], want) || !strings.Contains(r[1], "the accuracy of the same answer for everybody") || strings.Contains(strings.Join(r, ""), "nearly") {
			t.Errorf("threshold %s: %q", threshold, r)
		}
	}
}

// TestReportOfDamagedFiles damages every input of a report in many ways: there is an error
// that names a file, or a whole report, and never a part of one.
func TestReportOfDamagedFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	writeHired(t, file("train.csv"), 80, 7)
	writeHired(t, file("fresh.csv"), 60, 8)
	do(t, "train", "--data", file("train.csv"), "--label", "hired", "--constraint", "demographic-parity:group=sex,bound=0.5", "--model", file("m.json"), "--quiet")
	test, _ := do(t, "certify", "--model", file("m.json"), "--data", file("fresh.csv"), "--constraint", "demographic-parity:group=sex,bound=0.9", "--json", "--ledger", file("ledger"))
	traced, _ := do(t, "frontier", "--data", file("train.csv"), "--label", "hired", "--constraint", "demographic-parity:group=sex,bound=0.5", "--bounds", "0.6", "--out", file("frontier"), "--json", "--quiet")
	card := "title = \"Hired\"\nlimits = [\"one\", \"two\"]\n"
	for name, text := range map[string]string{"test.json": test, "frontier.json": traced, "card.toml": card} {
		if err := os.WriteFile(file(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := file("out.html")
	build := func() (int, string) {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), []string{
			"fairtrain", "report", "--model", file("m.json"), "--data", file("train.csv"), "--certificate", file("test.json"),
			"--frontier", file("frontier.json"), "--card", file("card.toml"), "--out", out, "--quiet",
		}, nil, &stdout, &stderr)
		return code, stderr.String()
	}
	if code, talk := build(); code != 0 {
		t.Fatalf("code %d: %s", code, talk)
	}
	large := regexp.MustCompile(`"upper":[^,]+`).ReplaceAllString(test, `"upper":1e308`)
	if err := os.WriteFile(file("test.json"), []byte(large), 0o644); err != nil {
		t.Fatal(err)
	}
	os.Remove(out)
	if code, talk := build(); code != command.ExitFailure || !strings.Contains(talk, "must be in [0, 1]") {
		t.Errorf("a difference of 1e308: code %d, %s", code, talk)
	}
	if err := os.WriteFile(file("test.json"), []byte(test), 0o644); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(9, 9))
	for _, name := range []string{"m.json", "card.toml", "train.csv", "test.json", "frontier.json"} {
		whole, err := os.ReadFile(file(name))
		if err != nil {
			t.Fatal(err)
		}
		failed := 0
		const times = 60
		for range times {
			if err := os.WriteFile(file(name), damaged(r, whole), 0o644); err != nil {
				t.Fatal(err)
			}
			os.Remove(out)
			code, talk := build()
			page, err := os.ReadFile(out)
			switch {
			case code == 0 && (err != nil || !bytes.HasSuffix(page, []byte("</html>\n"))):
				t.Errorf("%s: no error, and no whole page (%v)", name, err)
			case code != 0 && (err == nil || !strings.HasPrefix(talk, "fairtrain: ") || len(talk) < 30):
				t.Errorf("%s: code %d, a file is written %v, and the error is %q", name, code, err == nil, talk)
			}
			if code != 0 {
				failed++
			}
		}
		if failed < times/4 {
			t.Errorf("%s: only %d of %d damages were noticed", name, failed, times)
		}
		if err := os.WriteFile(file(name), whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := filepath.Glob(file(atomicfile.Prefix + "*")); err != nil || len(left) > 0 {
		t.Errorf("left over are %v (%v)", left, err)
	}
}

// damaged cuts a text short, takes a part out, or puts something else in its place.
func damaged(r *rand.Rand, text []byte) []byte {
	from := r.IntN(len(text))
	to := min(from+1+r.IntN(12), len(text))
	switch r.IntN(4) {
	case 0:
		return text[:from]
	case 1:
		return slices.Concat(text[:from], text[to:])
	case 2:
		return slices.Concat(text[:from], []byte("null"), text[to:])
	}
	return slices.Concat(text[:from], []byte("1e999"), text[to:])
}
