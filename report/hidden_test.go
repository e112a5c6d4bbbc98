package report

import (
	"slices"
	"testing"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// hiding is a builder of a report on people of some races, sexes and answers, of whom some are folded.
func hiding(groups, folded []string) *builder {
	d := &dataset.Dataset{Attributes: []dataset.Attribute{
		{Name: "sex", Levels: []string{"F", "M"}},
		{Name: "race", Levels: []string{"Asian", "Asian-Pacific", "Black", "White"}},
		{Name: "asked", Levels: []string{"a", "a*b", "a*race=Asian"}},
	}}
	return &builder{Source: Source{Model: new(classifier.Classifier), Groups: groups, MinGroup: 5}, sets: []judged{{Set: Set{Data: d}}}, doc: &Document{}, folded: folded}
}

// TestHiddenNames: a group is hidden if it is folded or is part of a folded one, and not if its name only begins so.
func TestHiddenNames(t *testing.T) {
	specs := []string{"sex", "race", "sex*race", "asked", "7", "71"}
	for _, test := range []struct {
		folded, spec, name string
		hidden             bool
	}{
		{"race=Asian", "race", "race=Asian", true},
		{"race=Asian", "race", "race=Asian-Pacific", false},
		{"race=Asian-Pacific", "race", "race=Asian", false},
		{"race=Asian", "race=Asian|Black", "race=Asian", true},
		{"race=Asian", "sex*race", "sex=F*race=Asian", true},
		{"race=Asian", "sex*race", "sex=F*race=Asian-Pacific", false},
		{"sex=F*race=Asian", "race", "race=Asian", false},
		{"sex=F*race=Asian", "sex*race", "sex=M*race=Asian", false},
		{"sex=F*race=Asian", "race*sex", "race=Asian*sex=F", true}, // the same people
		{"race=Asian", "lost*race", "lost=1*race=Asian", true},     // a column that these rows lack
		{"asked=a", "asked", "asked=a*b", false},                   // one name with a star
		{"asked=a*b", "asked", "asked=a", false},
		{"race=Asian", "asked", "asked=a*race=Asian", false},
		{"asked=a*race=Asian", "", "asked=a*race=Asian", true}, // of a specification that the report lacks
		{"7", "7", "7", true},
		{"7", "71", "71", false},
		{"71", "7", "7", false},
	} {
		b := hiding(specs, []string{test.folded})
		if got := b.nameOrSmall(test.spec, test.name) == aSmallGroup; got != test.hidden {
			t.Errorf("%s is folded: %s of %s is hidden: %v", test.folded, test.name, test.spec, got)
		}
	}
	b := hiding([]string{"asked=a|other", "asked*sex"}, []string{"asked=a*race=Asian"}) // which the first one hides, of all answers
	if b.nameOrSmall("asked*sex", "asked=a*race=Asian*sex=F") != aSmallGroup || b.nameOrSmall("asked*sex", "asked=a*sex=F") == aSmallGroup {
		t.Error("the parts of a name with a star are mistaken")
	}
	b = hiding(specs, []string{"7", fairness.Others})
	b.doc.Comparison = []Comparison{{Group: "7", Hidden: "A group has fewer than 5 people"}, {Group: "71"}}
	if b.nameOrSmall("7", fairness.Others) != aSmallGroup || b.nameOrSmall("71", fairness.Others) != fairness.Others {
		t.Error("the others of one group are taken for those of another")
	}
	if got := b.namesOrSmall("race", nil, []string{"race=Black", "race=Asian", "race=Black"}); !slices.Equal(got, []string{"race=Asian", "race=Black"}) {
		t.Errorf("names of groups that may be told are %q", got)
	}
}

// TestHiddenWorst: what decided about a requirement is told unless it is about a hidden group, or about few people of
// the test. Without the names of its groups, as earlier versions wrote it, it is not told.
func TestHiddenWorst(t *testing.T) {
	const text = "race=Asian-Pacific above race=White, label +1"
	both := []string{"race=Asian-Pacific", "race=White"}
	tested := func(pacific, white int) []guarantee.Compared {
		return []guarantee.Compared{{Group: both[0], Rows: pacific}, {Group: both[1], Rows: white}}
	}
	for _, test := range []struct {
		folded   string
		groups   []string
		compared []guarantee.Compared
		hidden   bool
	}{
		{"race=Asian", both, tested(90, 90), false},
		{"race=Asian-Pacific", both, tested(90, 90), true},
		{"race=White", both, tested(90, 90), true},
		{"race=Asian", both, tested(4, 90), true},
		{"race=Asian", both, tested(90, 1), true},
		{"race=Asian", both, nil, false},
		{"race=Black", nil, tested(90, 90), true}, // in doubt
	} {
		b := hiding([]string{"race"}, []string{test.folded})
		got, groups := b.worst("race", &guarantee.Verdict{Worst: text, WorstGroups: test.groups, Compared: test.compared})
		if want := map[bool]string{true: aSmallGroup, false: text}[test.hidden]; got != want {
			t.Errorf("%+v: %q", test, got)
		}
		if test.hidden && groups != nil || !test.hidden && !slices.Equal(groups, test.groups) {
			t.Errorf("%+v: the groups %q", test, groups)
		}
	}
}

// TestHiddenOfATest: neither the names nor the numbers of few people of a test are told, nor numbers by which these
// could be computed.
func TestHiddenOfATest(t *testing.T) {
	for few := range 7 {
		upper := 0.5
		b := hiding([]string{"race"}, []string{"race=Asian"})
		b.Source.Guarantee = &Guarantee{Guarantee: train.Guarantee{Certificate: guarantee.Certificate{Report: &guarantee.Report{
			Confidence: 0.95, Rows: 300 + few, Requirements: []guarantee.Verdict{{
				Spec: "demographic-parity:group=race,bound=0.1", On: train.Decisions, Upper: &upper, Bound: 0.1,
				Worst: "race=Black above race=White", WorstGroups: []string{"race=Black", "race=White"},
				Compared: []guarantee.Compared{{Group: "race=Black", Rows: few}, {Group: "race=Asian-Pacific", Rows: 100}, {Group: "race=White", Rows: 200}},
				TooSmall: []guarantee.SmallGroup{{Group: "race=Black", Rows: few, Needed: 900}, {Group: "race=Asian-Pacific", Rows: 100, Needed: 900}},
			}},
		}}}}
		b.guarantee()
		v := b.doc.Guarantee.Requirements[0]
		hidden := few < b.MinGroup
		named := slices.ContainsFunc(v.Compared, func(g guarantee.Compared) bool { return g.Group == "race=Black" })
		counted := slices.ContainsFunc(v.Compared, func(g guarantee.Compared) bool { return g.Rows > 0 })
		small := slices.ContainsFunc(v.TooSmall, func(g guarantee.SmallGroup) bool { return g.Group == "race=Black" || g.Rows == few })
		if named == hidden || counted == hidden || small == hidden || (v.Worst == aSmallGroup) != hidden {
			t.Errorf("%d people: %+v", few, v)
		}
		if !slices.ContainsFunc(v.TooSmall, func(g guarantee.SmallGroup) bool { return g.Group == "race=Asian-Pacific" && g.Rows == 100 }) {
			t.Errorf("%d people: a larger group is not called too small: %+v", few, v.TooSmall)
		}
	}
}

// TestHiddenInATest: a group that is hidden because of people elsewhere is so in a test of many of them.
func TestHiddenInATest(t *testing.T) {
	b := hiding([]string{"race"}, []string{"race=Asian"})
	b.Source.Guarantee = &Guarantee{Guarantee: train.Guarantee{Certificate: guarantee.Certificate{Report: &guarantee.Report{Requirements: []guarantee.Verdict{{
		Spec: "demographic-parity:group=race,bound=0.1", Compared: []guarantee.Compared{{Group: "race=Asian", Rows: 90}, {Group: "race=White", Rows: 90}},
		TooSmall: []guarantee.SmallGroup{{Group: "race=Asian", Rows: 90, Needed: 900}},
	}}}}}}
	b.guarantee()
	v := b.doc.Guarantee.Requirements[0]
	if want := []guarantee.Compared{{Group: aSmallGroup}, {Group: "race=White"}}; !slices.Equal(v.Compared, want) || v.TooSmall[0].Group != aSmallGroup {
		t.Errorf("%+v", v)
	}
}

// TestHiddenBins: a table of scores with a line about few people is not shown.
func TestHiddenBins(t *testing.T) {
	for _, few := range []int{1, 4, 5} {
		b := hiding(nil, nil)
		bins := []fairness.CalibrationBin{{Rows: 30}, {Rows: few}, {Rows: 30}}
		cells := []GroupCell{{Cell: Cell{Calibration: bins, AUC: 0.7}}}
		b.hideLabels([]bool{false}, cells)
		if shown := cells[0].Calibration != nil; shown != (few >= b.MinGroup) || cells[0].AUC != 0.7 {
			t.Errorf("a line about %d people is shown: %v", few, shown)
		}
	}
}

// TestHiddenUnknown: the number of people whose category is missing is not told if they are few, whatever was merged.
func TestHiddenUnknown(t *testing.T) {
	for few := range 7 {
		const rows = 60
		codes := make([]int, rows)
		for i := range codes {
			if i >= few {
				codes[i] = 1 + i%2
			}
		}
		d := &dataset.Dataset{
			X: sparse.Identity(rows), Y: slices.Repeat([]int8{1, -1}, rows/2),
			Attributes: []dataset.Attribute{{Name: "race", Levels: []string{dataset.MissingLevel, "Black", "White"}, Codes: dataset.CodesOf(codes...)}},
		}
		c := &classifier.Classifier{Features: classifier.Features{Kind: classifier.LIBSVM, Count: rows}, Weights: make([]float64, rows)}
		scored, err := scoring.New(c, d)
		if err != nil {
			t.Fatal(err)
		}
		b := &builder{Source: Source{Model: c, MinGroup: 5}, sets: []judged{{Set{Data: d}, scored}}, doc: &Document{}}
		p, err := newPeople(b.sets, "race", 1) // which merges nobody
		if err != nil {
			t.Fatal(err)
		}
		table, err := b.categoryTable(p, 0, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		if told := table.Unknown.Defined(); told != (few == 0 || few >= b.MinGroup) || told && int(table.Unknown) != few {
			t.Errorf("%d people without a category: %v", few, table.Unknown)
		}
	}
}
