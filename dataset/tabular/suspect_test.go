package tabular

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestIdentifiers: whole numbers that hardly repeat are no feature, in any order, of any part of
// the rows, and also if some rows are there twice. What is measured is one.
func TestIdentifiers(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	order := r.Perm(2000)
	var b strings.Builder
	b.WriteString("row,shuffled,sample,twice,policy,age,income,days,y\n")
	for i := range 1000 {
		income := 20_000 + 1000*r.IntN(60)
		if i%3 == 0 {
			income += r.IntN(1000)
		}
		fmt.Fprintf(&b, "%d,%d,%d,%d,%d,%d,%d,%d,%d\n",
			7+i, 50_000+order[i], 3*i+r.IntN(3), 1+i-i/100, 1e8+r.IntN(9e8), 18+r.IntN(60), income, r.IntN(20_000), i*i%7%2)
	}
	got := map[string]string{}
	for _, c := range readTable(t, b.String(), nil).Schema.Columns {
		got[c.Name] = c.Reason
	}
	const identifier = "whole numbers that hardly repeat: an identifier (--numeric keeps it)"
	for name, want := range map[string]string{
		"row": "it counts the rows", "shuffled": identifier, "sample": identifier, "twice": identifier,
		"policy": "", "age": "", "income": "", "days": "", // nine digits could be an amount in 1000 rows
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
}

// TestDoubts: what may be meant otherwise is noted.
func TestDoubts(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	var b strings.Builder
	b.WriteString("defaults,change,scale,applied,wage,size,y\n")
	for i := range 1000 {
		defaults, wage := fmt.Sprint(r.IntN(6)), fmt.Sprint(1200+10*r.IntN(300))
		if i%20 == 0 {
			defaults = "-999"
		}
		if i%50 == 0 {
			wage = "on request"
		}
		fmt.Fprintf(&b, "%s,%d,%d,%02d.%02d.2024 12:30,%s,%s,%d\n",
			defaults, r.IntN(30)-9, r.IntN(7)-1, 1+r.IntN(28), 1+r.IntN(12), wage, []string{"1", "2", "3+"}[min(r.IntN(30), 2)], i*i%7%2)
	}
	table := readTable(t, b.String(), nil)
	var got []string
	for _, n := range table.Notes {
		if n.Kind == MaybeCode {
			continue // a scale
		}
		got = append(got, fmt.Sprintf("%s %s: %s", n.Column, n.Kind, n.Text))
	}
	want := []string{
		"applied dropped: dates, most of which later rows won't have (--categorical keeps it)",
		"defaults maybe missing: -999, while all others are 0 to 5 (50 rows)",
		`wage not numbers: "on request" in 20 of 1000 rows taken as missing`,
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("notes\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestDaysOfEightDigits: days that are written as one number are no feature, in few rows, in many,
// and if each is in as many rows, unless somebody declares them.
func TestDaysOfEightDigits(t *testing.T) {
	days := func(rows, distinct int) (texts []string) {
		for i := range rows {
			texts = append(texts, time.Date(1960, 1, 1+i*7%distinct, 0, 0, 0, 0, time.UTC).Format("20060102"))
		}
		return texts
	}
	for _, texts := range [][]string{days(10, 9), days(1000, 200), days(1000, 999), days(20_000, 17_001)} {
		const want = "dates, most of which later rows won't have (--numeric or --categorical keeps it)"
		if got := notesOf(t, Dropped, texts, Options{}); got != want {
			t.Errorf("%d rows: %q, want %q", len(texts), got, want)
		}
		for _, opts := range []Options{{Numeric: []string{"x"}}, {Categorical: []string{"x"}}} {
			if got := notesOf(t, Dropped, texts, opts) + notesOf(t, Panel, texts, opts); got != "" {
				t.Errorf("%d rows, declared: %q", len(texts), got)
			}
		}
	}
}

// TestUnnamedColumns: a header may lack names, if it is one by its other names.
func TestUnnamedColumns(t *testing.T) {
	table := readTable(t, "age,,rich\n31,a,1\n42,b,0\n27,a,1\n", nil)
	if table.Rows != 3 || table.Column("column2") == nil || table.Column("age") == nil {
		t.Errorf("%d rows, columns %v", table.Rows, table.Schema.Columns)
	}
	if table := readTable(t, "x,,r\ny,a,q\nz,b,r\n", nil); table.Rows != 3 {
		t.Errorf("a row without a value counts as a header")
	}
}

// TestLabelWords: of two usual words the positive one is known, in any case.
func TestLabelWords(t *testing.T) {
	for text, want := range map[string]string{"Denied,approved": "approved", "NEIN,Ja": "Ja", "good,bad": "", "reject,hire": "hire"} {
		a, b, _ := strings.Cut(text, ",")
		label := readTable(t, "x,y\n1,"+a+"\n2,"+b+"\n3,"+a+"\n", &Schema{Label: LabelSpec{Column: "y"}}).Schema.Label
		if got := strings.Join(label.Positive, ","); got != want {
			t.Errorf("%s: %q is positive, want %q", text, got, want)
		}
	}
}

// notesOf returns the texts of the notes of a kind in a column x, which every row has beside a
// label.
func notesOf(t *testing.T, kind NoteKind, texts []string, opts Options) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("x;y\n")
	for k, text := range texts {
		fmt.Fprintf(&b, "%s;%d\n", text, k*k%7%2)
	}
	opts.Name = "f.csv"
	table, err := Read(strings.NewReader(b.String()), nil, opts)
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	for _, n := range table.Notes {
		if n.Kind == kind && n.Column == "x" {
			notes = append(notes, n.Text)
		}
	}
	return strings.Join(notes, "; ")
}

// drawn returns n texts, each of which draw returns.
func drawn(n int, draw func(r *rand.Rand) string) []string {
	r := rand.New(rand.NewPCG(6, 0))
	texts := make([]string, n)
	for i := range texts {
		texts[i] = draw(r)
	}
	return texts
}

// TestStandIns: one number that many rows have, far from all others, may stand for a missing value.
func TestStandIns(t *testing.T) {
	between := func(low, high int) func(r *rand.Rand) string {
		return func(r *rand.Rand) string { return fmt.Sprint(low + r.IntN(high-low+1)) }
	}
	with := func(mark string, oneIn int, others func(r *rand.Rand) string) func(r *rand.Rand) string {
		return func(r *rand.Rand) string {
			if r.IntN(oneIn) == 0 {
				return mark
			}
			return others(r)
		}
	}
	for name, test := range map[string]struct {
		draw func(r *rand.Rand) string
		want string
	}{
		"months":             {with("999", 10, between(0, 59)), "999, while all others are 0 to 59"},
		"ages":               {with("99", 10, between(18, 65)), "99, while all others are 18 to 65"},
		"all below 0":        {with("365243", 10, between(-17_000, 0)), "365243, while all others are -"},
		"children":           {with("99", 20, between(0, 4)), "99, while all others are 0 to 4"},
		"temperatures":       {with("-999", 30, between(-20, 35)), "-999, while all others are -20 to 35"},
		"years":              {with("9999", 30, between(1950, 2020)), "9999, while all others are 1950 to 2020"},
		"many numbers":       {with("888888", 50, between(0, 200_000)), "888888, while all others are "},
		"no other below 0":   {with("-1", 50, between(0, 40)), "-1, while all others are 0 to 40"},
		"few rows":           {with("999", 2000, between(0, 59)), ""},
		"old people":         {with("99", 10, between(18, 98)), ""},
		"no more than usual": {with("99", 48, between(18, 65)), ""},
		"a scale":            {between(-1, 5), ""},
		"doses":              {with("100", 5, between(1, 9)), ""},
		"nothing":            {with("0", 2, between(5000, 6000)), ""},
	} {
		for _, opts := range []Options{{}, {Numeric: []string{"x"}}} {
			if got := notesOf(t, MaybeMissing, drawn(5000, test.draw),
				opts); !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
				t.Errorf("%s: %q, want %q", name, got, test.want)
			}
		}
	}
}

// TestPanels: whole numbers or texts that each occur in as many rows are those of people with
// several rows.
func TestPanels(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	panel := func(people, times int, format string) []string {
		var texts []string
		for k := range people {
			for range times {
				texts = append(texts, fmt.Sprintf(format, 10_000+k*37))
			}
		}
		r.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
		return texts
	}
	without := func(texts []string, change string) []string {
		texts[len(texts)/2] = change
		return texts
	}
	written := panel(200, 5, "%d")
	for k := range written[:500] {
		written[k] += ".0"
	}
	const numbers, text = "an identifier (--numeric or --categorical keeps it)", "an identifier (--categorical keeps it)"
	for name, test := range map[string]struct {
		texts []string
		want  string
	}{
		"numbers":         {panel(200, 5, "%d"), "each of its 200 values occurs in exactly 5 rows: " + numbers},
		"in two ways":     {written, "each of its 200 values occurs in exactly 5 rows: " + numbers},
		"texts":           {panel(200, 5, "P%d"), "each of its 200 values occurs in exactly 5 rows: " + text},
		"many people":     {panel(6000, 3, "%d"), "each of its 6000 values occurs in exactly 3 rows: " + numbers},
		"many rows":       {panel(5_000, 5, "%d"), "each of its 5000 values occurs in exactly 5 rows: " + numbers},
		"many texts":      {panel(6000, 3, "P%d"), "each of its 6000 values occurs in exactly 3 rows: " + text},
		"few people":      {panel(99, 5, "%d"), ""},
		"too many rows":   {panel(120, 101, "%d"), ""},
		"one more":        {append(panel(200, 5, "%d"), "10000"), ""},
		"one missing":     {without(panel(200, 5, "%d"), "?"), ""},
		"a text missing":  {without(panel(200, 5, "P%d"), "?"), ""},
		"one of many":     {without(panel(5_000, 5, "%d"), "7"), ""},
		"many, a half":    {without(panel(5_000, 5, "%d"), "10000.5"), ""},
		"many, one is no": {without(panel(5_000, 5, "%d"), "?"), ""},
		"no whole":        {panel(200, 5, "%d.5"), ""},
		"with a unit":     {panel(200, 5, "%d months"), ""},
	} {
		got := strings.TrimPrefix(notesOf(t, Dropped, test.texts, Options{}), "it counts the rows")
		if panel := notesOf(t, Panel, test.texts, Options{}); got != test.want &&
			(test.want != "" || panel != "") || (panel != "") != (test.want != "") {
			t.Errorf("%s: %q, want %q; %q", name, got, test.want, panel)
		}
	}
	for _, opts := range []Options{{Numeric: []string{"x"}}, {Categorical: []string{"x"}}} {
		if got := notesOf(t, Panel, panel(200, 5, "%d"), opts) + notesOf(t, Dropped,
			panel(200, 5, "%d"), opts); got != "" {
			t.Errorf("declared: %q", got)
		}
	}
}
