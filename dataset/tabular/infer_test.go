package tabular

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/dataset/tabular/identity"
)

// TestInferredColumns: 24 rows, each column of another sort.
func TestInferredColumns(t *testing.T) {
	var text strings.Builder
	text.WriteString("id,name,amount,rate,term,coded,band,same,none,half,chief,y\n")
	for i := range 24 {
		fmt.Fprintf(&text, "%d,p%d,\"$%d,000\",%d.5%%,%d months,%d,%c,k,?,%s,g%d,%d\n",
			i+1, i, i*i%11+1, i%7, 12*(1+i%3), i%2, 'A'+rune(i%3), []string{"h", "?"}[i%2], i%5, i*i%2)
	}
	got := readTable(t, text.String(), &Schema{Groups: []GroupSpec{{Column: "chief"}}}).Schema.Columns
	want := []ColumnSpec{
		{Name: "id", As: Drop, Reason: "it counts the rows"},
		{Name: "name", As: Drop, Reason: "24 distinct values in 24 rows, too many for a category"},
		{Name: "amount", As: Standardise, Unit: "$"},
		{Name: "rate", As: Standardise, Unit: "%"},
		{Name: "term", As: Standardise, Unit: "months"},
		{Name: "coded", As: OneHot, MinCount: 10},
		{Name: "band", As: OneHot, MinCount: 10},
		{Name: "same", As: Drop, Reason: "all its values are equal"},
		{Name: "none", As: Drop, Reason: "it has no values"},
		{Name: "half", As: OneHot, MinCount: 10},
		{Name: "chief", As: OneHot, MinCount: 10},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestOddValues: a few values that are no numbers count as missing, wherever they are in the file,
// and a note has them. The schema, which models hold, does not: they may be those of one person.
func TestOddValues(t *testing.T) {
	rows := ""
	for i := range 29 {
		rows += fmt.Sprintf("%d,%d\n", 1000+i*i, i%2)
	}
	few := strings.NewReplacer("3,1\n", "3,1\n3,0\n4,1\n2,1\n1,0\n", "x", "").Replace("1,0\n2,1\n3,1\n")
	for text, want := range map[string]string{
		"dollars,0\n" + rows:                                `"dollars" in 1 of 30 rows taken as missing`,
		rows + "n.a.,0\n":                                   `"n.a." in 1 of 30 rows taken as missing`,
		"?,0\nn.a.,1\n" + rows:                              `"n.a." in 1 of 31 rows taken as missing`,
		"n.a.,0\nn.a.,1\n" + rows:                           `"n.a." in 2 of 31 rows taken as missing`,
		"n.a.,0\n" + rows + "none,0\n":                      `"n.a.", "none" in 2 of 31 rows taken as missing`,
		few + "#DIV/0!,1\n":                                 `"#DIV/0!" in 1 of 8 rows taken as missing`,
		few + "None,1\n\\N,0\n":                             `"None", "\\N" in 2 of 9 rows taken as missing`,
		"-inf,1\n+Inf,0\n#WERT!,1\n#NAME?,1\nNAN,1\n" + few: `"-inf", "+Inf", "#WERT!", "#NAME?" and others in 5 of 12 rows taken as missing`,
	} {
		read := readTable(t, "pay,y\n"+text, &Schema{})
		at := slices.IndexFunc(read.Notes, func(n Note) bool { return n.Kind == NotNumbers })
		if at < 0 || read.Notes[at].Text != want {
			t.Errorf("%q: %q, want %q", text, read.Notes, want)
			continue
		}
		spec := read.Schema.Columns[0]
		if spec.As != Standardise || spec.NotNumbers != Missing || len(read.Schema.Missing) != len(DefaultMissing()) {
			t.Errorf("%q: %+v with missing %q", text, spec, read.Schema.Missing)
		}
		later := readTable(t, "pay,y\n5,1\nwhatever,0\ninf,1\n", read.Schema)
		if got := later.Column("pay").Numbers; got[0] != 5 || !math.IsNaN(got[1]) || !math.IsNaN(got[2]) {
			t.Errorf("later values are %v", got)
		}
	}
}

// TestAlike: levels that differ in capitals or blanks alone are in doubt, until a schema merges them.
func TestAlike(t *testing.T) {
	text := "sex,job,y\n" + strings.Repeat("Male,cook,1\nmale,nurse,0\nFemale,cook,0\nMALE,nurse,1\n", 10)
	table := readTable(t, text, &Schema{})
	const want = `"Male", "male", "MALE" differ in capitals or blanks alone`
	if !slices.Equal(textsOf(table, MaybeAlike), []string{want}) || table.Doubts() == nil {
		t.Errorf("%v, want %s", table.Notes, want)
	}
	grouped := Schema{Groups: []GroupSpec{{Name: "sex", Column: "sex"}}}
	if got := textsOf(readTable(t, text, &grouped), MaybeAlike); !slices.Equal(got, []string{want}) {
		t.Errorf("of a group: %q", got)
	}
	grouped.Groups[0].Merge = map[string][]string{"male": {"Male", "male", "MALE"}}
	if got := textsOf(readTable(t, text, &grouped), MaybeAlike); got != nil {
		t.Errorf("merged: %q", got)
	}
}

// textsOf are the texts of the notes of a kind.
func textsOf(table *Table, kind NoteKind) (texts []string) {
	for _, n := range table.Notes {
		if n.Kind == kind {
			texts = append(texts, n.Text)
		}
	}
	return texts
}

// TestInTheWay: it does not matter how many rows have the values that are in the way of numbers,
// unless the numbers are few or may be codes.
func TestInTheWay(t *testing.T) {
	with := func(share float64, words string, number func(r *rand.Rand) string) func(r *rand.Rand) string {
		return func(r *rand.Rand) string {
			if list := strings.Fields(words); r.Float64() < share {
				return list[r.IntN(len(list))]
			}
			return number(r)
		}
	}
	between := func(low, high int) func(r *rand.Rand) string {
		return func(r *rand.Rand) string { return fmt.Sprint(low + r.IntN(high-low+1)) }
	}
	for name, test := range map[string]struct {
		draw func(r *rand.Rand) string
		want string // in the note
	}{
		"a fifth":       {with(0.2, "-", between(20, 80)), `"-" in `},
		"most":          {with(0.8, "-", between(20, 80)), `"-" in `},
		"amounts":       {with(0.3, "-", between(1000, 9000)), `"-" in `},
		"with a unit":   {with(0.3, "none.", func(r *rand.Rand) string { return between(20, 80)(r) + " %" }), `"none." in `},
		"nearly all":    {with(0.95, "-", between(20, 80)), ""},
		"several words": {with(0.3, "a b c d", between(20, 80)), ""},
		"codes":         {with(0.2, "A", between(1, 5)), ""},
		"undefined":     {with(0.2, "None", between(1, 5)), `"None" in `},
		"twenty codes":  {with(0.2, "A a", between(1, 20)), ""},
		"postcodes":     {with(0.2, "-", func(r *rand.Rand) string { return fmt.Sprintf("%05d", 3000+r.IntN(90)) }), ""},
		"other units":   {with(0.2, "-", func(r *rand.Rand) string { return between(20, 80)(r) + []string{" kg", " km"}[r.IntN(2)] }), ""},
	} {
		if got := notesOf(t, NotNumbers, drawn(4000, test.draw), Options{}); !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	for share, doubt := range map[float64]bool{0.02: true, 0.5: false} { // of words in a column of decimals
		words := with(share, "a b c d e", func(r *rand.Rand) string { return fmt.Sprint(r.Float32()) })
		got := notesOf(t, MaybeNumbers, drawn(900, words), Options{})
		if strings.HasPrefix(got, "numbers, but for values such as ") != doubt {
			t.Errorf("a share of %v words: %q", share, got)
		}
		table := readTable(t, "x,y\n"+strings.Join(drawn(900, words), ",1\n")+",0\n", &Schema{})
		if doubt != (table.Doubts() != nil) || doubt != (table.Schema.Columns[0].As == Drop) {
			t.Errorf("a share of %v words: %v, %+v", share, table.Doubts(), table.Schema.Columns[0])
		}
	}
	for units, want := range map[string]string{
		"cm m": `numbers in several units, "cm", "m"`, " MB  GB": `numbers in several units, "GB", "MB"`,
		"kg kg": "", "A B C": "", "oak elm ash fir yew": "",
	} {
		list := strings.Split(units, " ")
		lengths := func(r *rand.Rand) string { return between(20, 80)(r) + list[r.IntN(len(list))] }
		if units[0] == ' ' {
			lengths = func(r *rand.Rand) string { return between(20, 80)(r) + " " + strings.Fields(units)[r.IntN(2)] }
		}
		if got := notesOf(t, MaybeNumbers, drawn(900, lengths), Options{}); got != want {
			t.Errorf("units %q: %q, want %q", units, got, want)
		}
	}
	float := func(r *rand.Rand) string { return fmt.Sprint(r.Float32()) }
	for words, want := range map[string][2]string{
		"-":       {"", `"-" in `},
		"a b c d": {"many numbers, and other values, too many for a category", ""},
	} {
		for _, late := range []bool{false, true} {
			texts := drawn(mostLevels+undecided, with(0.2, words, float))
			if late {
				texts = append(drawn(2*undecided, float), texts...)
			}
			got := [2]string{notesOf(t, Dropped, texts, Options{}), notesOf(t, NotNumbers, texts, Options{})}
			if got[0] != want[0] && !strings.HasSuffix(got[0], "too many for a category") || !strings.HasPrefix(got[1], want[1]) {
				t.Errorf("%q among many numbers: %q, want %q", words, got, want)
			}
		}
	}
}

// TestDecidedByAllRows: what comes behind thousands of numbers counts as what comes before them.
func TestDecidedByAllRows(t *testing.T) {
	var numbers []string
	for i := range 2 * undecided {
		numbers = append(numbers, fmt.Sprint(10_000+3*i))
	}
	for name, test := range map[string]struct {
		others []string
		reason string
	}{
		"codes":              {[]string{"01234"}, "codes, of which numbers would lose digits, and too many for a category (--numeric keeps it)"},
		"large identifiers":  {[]string{"9007199254740993"}, "codes, of which numbers would lose digits, and too many for a category (--numeric keeps it)"},
		"texts":              {[]string{"a", "b", "c", "d"}, "texts, and too many distinct values for a category"},
		"nothing of moment":  {nil, "whole numbers that hardly repeat: an identifier (--numeric keeps it)"},
		"a mark and numbers": {[]string{"-", "0.5"}, ""},
	} {
		for _, texts := range [][]string{slices.Concat(numbers, test.others), slices.Concat(test.others, numbers)} {
			spec, _ := readTable(t, "x,y\n"+strings.Join(texts, ",0\n")+",1\n", nil).Schema.column("x")
			if spec.Reason != test.reason && !strings.HasSuffix(spec.Reason, "too many for a category") {
				t.Errorf("%s: %q, want %q", name, spec.Reason, test.reason)
			}
		}
	}
}

// TestLargeIntegers: integers that a float64 does not tell apart are no numbers, and identify rows.
func TestLargeIntegers(t *testing.T) {
	text := "g,y\n"
	for i := range 60 {
		text += fmt.Sprintf("%d,%d\n", 1<<53+i%2, i*i%7%2)
	}
	table, err := Read(strings.NewReader(text), nil, Options{Name: "f.csv", Identify: true})
	if err != nil {
		t.Fatal(err)
	}
	if c := table.Column("g"); len(c.Levels) != 2 {
		t.Errorf("levels %v", c.Levels)
	}
	a, b, _ := strings.Cut("9007199254740992 9007199254740993", " ")
	if identity.Value(1, a) == identity.Value(1, b) {
		t.Error("two integers have the same identity")
	}
}

// TestAccounts: amounts below 0 may be written as in accounts, in columns of few numbers and of
// many.
func TestAccounts(t *testing.T) {
	for below, above := range map[string]string{"(%d,%03d.50)": "%d,%03d.50", "(%d.%03d,50 €)": "%d.%03d,50 €", "$(%d,%03d)": "$%d,%03d"} {
		for _, rows := range []int{300, 3 * undecided} {
			var b strings.Builder
			b.WriteString("pay;y\n")
			lowest := 0.0
			for i := range rows {
				whole, form := 1000+i*i%9001, above
				if i%3 == 0 {
					form, lowest = below, min(lowest, -float64(whole))
				}
				fmt.Fprintf(&b, form+";%d\n", whole/1000, whole%1000, i*i%7%2)
			}
			c := readTable(t, b.String(), nil).Column("pay")
			if c == nil || c.Numbers == nil {
				t.Fatalf("%s in %d rows: no number", below, rows)
			}
			if got := math.Ceil(slices.Min(c.Numbers)); got != lowest {
				t.Errorf("%s in %d rows: the least is %v, want %v", below, rows, got, lowest)
			}
		}
	}
}

func TestOtherColumns(t *testing.T) {
	s := people()
	s.Others = Drop
	table := readTable(t, "age,job,city,rich,more\n31,cook,Bern,yes,1\n42,x,Ulm,no,2\n", s)
	more, ok := table.Schema.column("more")
	if !ok || more.As != Drop || more.Reason != "the schema does not declare it" || table.Column("more") != nil {
		t.Errorf("the undeclared column becomes %+v", more)
	}
}

func TestInferredLabel(t *testing.T) {
	for text, want := range map[string]LabelSpec{
		"a,y\n1,0\n2,1\n3,1\n":                {Column: "y", Positive: []string{"1"}, Negative: []string{"0"}},
		"a,y\n1,-1\n2,+1\n3,-1\n":             {Column: "y", Positive: []string{"+1"}, Negative: []string{"-1"}},
		"Class,a\n1,1\n2,2\n1,3\n":            {Column: "Class", Positive: []string{"2"}, Negative: []string{"1"}},
		"a,b\n1,No\n2,Yes\n3,No\n":            {Column: "b", Positive: []string{"Yes"}, Negative: []string{"No"}},
		"a,b\n1,FALSE\n2,TRUE\n3,TRUE\n":      {Column: "b", Positive: []string{"TRUE"}, Negative: []string{"FALSE"}},
		"a;b;\n1;No;\n2;Yes;\n3;No;\n":        {Column: "b", Positive: []string{"Yes"}, Negative: []string{"No"}},
		"a,b\n1,good\n2,bad\n3,bad\n":         {Column: "b"},
		"a,b\n1,x\n2,y\n3,z\n":                {},
		"a,b\n1,x\n2,y\n3,?\n":                {},
		"a,label\n1,x\n2,y\n3,\n":             {},
		"outcome,target,b\n1,0,2\n2,1,4\n,1,": {Column: "target", Positive: []string{"1"}, Negative: []string{"0"}},
	} {
		got := readTable(t, text, &Schema{}).Schema.Label
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", text, diff)
		}
	}
}

// TestLabelSpellings: a label is the same in any case, and however a number is written.
func TestLabelSpellings(t *testing.T) {
	for text, positive := range map[string][]string{
		"a,hired\n1,Yes\n2,yes\n3,No\n4,YES\n5,no\n": {"YES", "Yes", "yes"},
		"a,hired\n1,1\n2,1.0\n3,0\n4,0.0\n5,1\n":     {"1", "1.0"},
	} {
		given := LabelSpec{Column: "hired", Positive: positive[len(positive)-1:]}
		for _, s := range []*Schema{nil, {Label: given}} {
			table := readTable(t, text, s)
			got := slices.Sorted(slices.Values(table.Schema.Label.Positive))
			if labels, _, err := table.Labels(table.Schema.Label, inOrder(5)); err != nil ||
				!slices.Equal(got, positive) || labels[2] != -1 || labels[0] != 1 {
				t.Errorf("%q: positive are %q, labels %v (%v)", text, got, labels, err)
			}
			if err := table.Schema.Validate(); err != nil {
				t.Error(err)
			}
		}
	}
	later, err := Read(strings.NewReader("a,hired\n1,1.0\n2,0\n"),
		&Schema{Label: LabelSpec{Column: "hired", Positive: []string{"1"}, Negative: []string{"0.0"}}}, Options{Name: "f"})
	if err != nil {
		t.Fatal(err)
	}
	if labels, _, err := later.Labels(later.Schema.Label, inOrder(2)); err != nil ||
		!slices.Equal(labels, []int8{1, -1}) {
		t.Errorf("labels %v (%v)", labels, err)
	}
	for text, want := range map[string]bool{"a,y\n1,1\n2,2\n3,2\n": true, "a,y\n1,1\n2,0\n3,1\n": false, "a,y\n1,-1.0\n2,1.0\n": false} {
		noted := slices.ContainsFunc(readTable(t, text, nil).Notes, func(n Note) bool { return n.Kind == GuessedLabel })
		if noted != want {
			t.Errorf("%q: noted is %v", text, noted)
		}
	}
}

// TestLabelWithValues: what the schema calls positive, or leaves out, is found in the column
// that could be the label.
func TestLabelWithValues(t *testing.T) {
	const text = "y,b\n1,good\n2,bad\n1,open\n"
	for name, test := range map[string]struct{ given, want LabelSpec }{
		"positive":        {LabelSpec{Positive: []string{"good"}}, LabelSpec{Column: "b", Positive: []string{"good"}, Negative: []string{"bad", "open"}}},
		"skip":            {LabelSpec{Positive: []string{"good"}, Skip: []string{"open"}}, LabelSpec{Column: "b", Positive: []string{"good"}, Negative: []string{"bad"}, Skip: []string{"open"}}},
		"another column":  {LabelSpec{Positive: []string{"2"}}, LabelSpec{Column: "y", Positive: []string{"2"}, Negative: []string{"1"}}},
		"nowhere":         {LabelSpec{Positive: []string{"best"}}, LabelSpec{Positive: []string{"best"}}},
		"nothing remains": {LabelSpec{Positive: []string{"good", "bad", "open"}}, LabelSpec{Positive: []string{"good", "bad", "open"}}},
	} {
		got := readTable(t, text, &Schema{Label: test.given}).Schema.Label
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	// The same is found if rows to skip are kept.
	skip := LabelSpec{Column: "b", Skip: []string{"open"}}
	table, err := Read(strings.NewReader("y,b\n1,yes\n2,no\n1,open\n"), &Schema{Label: skip},
		Options{Name: "f.csv", AnyLabels: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := table.Schema.Label; !slices.Equal(got.Positive, []string{"yes"}) ||
		!slices.Equal(got.Negative, []string{"no"}) {
		t.Errorf("with rows to skip: %+v", got)
	}
}

func TestHeaderFound(t *testing.T) {
	for text, want := range map[string]bool{
		"a,b\n1,2\n":           true,
		"a,b\nx,2\na,3\n":      true,  // numbers below
		"a,b\nx,y\nz,y\n":      true,  // no name recurs
		"a,b\nx,y\na,z\n":      false, // a recurs, so it is a value
		"1,b\n2,c\n":           false,
		"a,\nx,y\n":            false,
		"a,?\nx,y\n":           false,
		"a,12%\nx,13%\n":       false,
		"2019,2020\nup,down\n": false,
	} {
		if got := *readTable(t, text, &Schema{}).Format.Header; got != want {
			t.Errorf("%q: header found: %v, want %v", text, got, want)
		}
	}
}

// TestHeaderMentioned: a row with a column of the schema is a header, whatever it looks
// like.
func TestHeaderMentioned(t *testing.T) {
	for name, s := range map[string]*Schema{
		"label":  {Label: LabelSpec{Column: "b"}},
		"group":  {Groups: []GroupSpec{{Column: "b"}}},
		"weight": {Weight: "2019"},
		"column": {Columns: []ColumnSpec{{Name: "b", As: OneHot}}},
	} {
		if table := readTable(t, "2019,b\n1,x\n2,b\n", s); !*table.Format.Header || table.Rows != 2 {
			t.Errorf("%s mentioned: header found: %v", name, *table.Format.Header)
		}
	}
}

// TestFullStops: labels with and without a final full stop mean the same.
func TestFullStops(t *testing.T) {
	s := &Schema{MinCount: 1, Label: LabelSpec{Column: "y", Positive: []string{">50K"}}}
	table := readTable(t, "y,x\n>50K,1\n<=50K.,2\n>50K.,3\n<=50K,4\n", s)
	if diff := cmp.Diff([]string{"<=50K", "<=50K."}, table.Schema.Label.Negative); diff != "" {
		t.Errorf("negative labels (-want +got)\n%s", diff)
	}
	labels, _, err := table.Labels(table.Schema.Label, inOrder(4))
	if diff := cmp.Diff([]int8{1, -1, 1, -1}, labels); err != nil || diff != "" {
		t.Errorf("error %v, labels (-want +got)\n%s", err, diff)
	}
}

func TestSummaries(t *testing.T) {
	table := readTable(t, "y,w,job,age,pay\n1,1,cook,20,\"$1,000\"\n0,2,cook,30,$3000\n0,0,nurse,40,$1000\n1,1,?,50,3000\n0,1,king,,?\n0,1,nurse,60,$2000\n", &Schema{
		Weight: "w",
		Label:  LabelSpec{Column: "y"},
		Groups: []GroupSpec{{Column: "job"}, {Name: "generation", Column: "age", Cuts: []float64{30}, Levels: []string{"young", "old"}}},
		Columns: []ColumnSpec{
			{Name: "job", As: OneHot},
			{Name: "age", As: Bins, Bins: 2},
			{Name: "pay", As: Standardise, Unit: "$"},
		},
	})
	want := []ColumnSummary{
		{Name: "y", Use: "label", Missing: new(0), Levels: 2, Most: []LevelCount{{"0", 4}, {"1", 2}}},
		{Name: "w", Use: "weight", Missing: new(0), Number: &NumberRange{Min: 0, Mean: 1, Max: 2}},
		{Name: "job", Use: OneHot, Groups: []string{"job"}, Missing: new(1), Levels: 3, Most: []LevelCount{{"cook", 2}, {"nurse", 2}, {"king", 1}}},
		{Name: "age", Use: Bins, Groups: []string{"generation"}, Missing: new(1), Number: &NumberRange{Min: 20, Mean: 40, Max: 60}},
		{Name: "pay", Use: Standardise, Missing: new(1), Number: &NumberRange{Unit: "$", Min: 1000, Mean: 2000, Max: 3000}},
	}
	if diff := cmp.Diff(want, table.Summaries()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestNegativeLabels: several labels that count as negative are named with their rows.
func TestNegativeLabels(t *testing.T) {
	rows := strings.Repeat("31,yes\n42,no\n53,withdrawn\n", 5)
	for text, want := range map[string]string{
		rows:                            `"no" (5), "withdrawn" (5)`,
		rows + "126,5\n":                `"5" (1), "no" (5), "withdrawn" (5)`,
		"31,yes\n42,no\n":               "",
		"31,yes\n42,no\n42,NO\n1,yes\n": "",
	} {
		s := &Schema{Label: LabelSpec{Column: "hired", Positive: []string{"yes"}}}
		got := ""
		for _, n := range readTable(t, "age,hired\n"+text, s).Notes {
			if n.Kind == SeveralNegative {
				_, got, _ = strings.Cut(n.Text, ": ")
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		for _, n := range readTable(t, "age,hired\n"+text, &Schema{Label: LabelSpec{Column: "hired"}}).Notes {
			if n.Kind == SeveralNegative && strings.Contains(text, "withdrawn") {
				t.Errorf("%q: %q, although nobody has said what is positive", text, n.Text)
			}
		}
	}
}
