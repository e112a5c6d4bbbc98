package report

import (
	"slices"
	"testing"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/fairness/changes"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/train"
)

// hiding is a builder of a report that shows some groups on their own.
func hiding(shown ...string) *builder {
	b := &builder{Source: Source{Model: new(classifier.Classifier), MinGroup: 5}, doc: &Document{}, shown: map[string]bool{}}
	for _, group := range shown {
		b.shown[group] = true
	}
	return b
}

// TestNamed: a group is named if a table shows it on its own, and not if a name that it begins with
// is.
func TestNamed(t *testing.T) {
	b := hiding("race=Asian-Pacific", "race=Black", "sex=F*race=Black", "71", key("71", fairness.Others))
	for _, test := range []struct {
		spec, name string
		named      bool
	}{
		{"race", "race=Asian-Pacific", true},
		{"race", "race=Asian", false},
		{"sex*race", "sex=F*race=Black", true},
		{"sex*race", "sex=F*race=Asian", false},
		{"sex*race", "sex=F*race=Asian-Pacific", false},
		{"race*sex", "race=Black*sex=F", false}, // which no table has
		{"71", "71", true},
		{"7", "7", false},
		{"71", fairness.Others, true},
		{"7", fairness.Others, false},
	} {
		if got := b.named(test.spec, test.name); (got == test.name) != test.named || (got == notShown) == test.named {
			t.Errorf("%s of %s is %q", test.name, test.spec, got)
		}
	}
	if got := b.namesOf("race", []string{"race=Black", "race=x", "race=y", "race=Black"}); !slices.Equal(got, []string{notShown, "race=Black"}) {
		t.Errorf("names of groups are %q", got)
	}
}

// TestHiddenWorst: what decided about a requirement is told unless it is about a hidden group, or
// about few people of the test. Without the names of its groups, as earlier versions wrote it, it
// is not told.
func TestHiddenWorst(t *testing.T) {
	const text = "race=Asian-Pacific above race=White, label +1"
	both := []string{"race=Asian-Pacific", "race=White"}
	tested := func(pacific, white int) []guarantee.Compared {
		return []guarantee.Compared{{Group: both[0], Rows: pacific}, {Group: both[1], Rows: white}}
	}
	for _, test := range []struct {
		shown    []string
		groups   []string
		compared []guarantee.Compared
		hidden   bool
	}{
		{both, both, tested(90, 90), false},
		{both[1:], both, tested(90, 90), true},
		{both[:1], both, tested(90, 90), true},
		{both, both, tested(4, 90), true},
		{both, both, tested(90, 1), true},
		{both, both, nil, false},
		{both, nil, tested(90, 90), true}, // in doubt
	} {
		v := guarantee.Verdict{Worst: text, WorstGroups: test.groups, Compared: test.compared}
		hiding(test.shown...).hideInTest(&v)
		if want := map[bool]string{true: notShown, false: text}[test.hidden]; v.Worst != want {
			t.Errorf("%+v: %q", test, v.Worst)
		}
		if test.hidden && len(v.WorstGroups) > 0 || !test.hidden && !slices.Equal(v.WorstGroups, test.groups) {
			t.Errorf("%+v: the groups %q", test, v.WorstGroups)
		}
	}
}

// TestHiddenOfATest: neither the names nor the numbers of few people of a test are told, nor
// numbers by which these could be computed; nor the name of a group that is hidden because of
// people elsewhere.
func TestHiddenOfATest(t *testing.T) {
	for few := range 7 {
		for _, elsewhere := range []bool{true, false} {
			upper := 0.5
			shown := []string{"race=White", "race=Asian-Pacific"}
			if !elsewhere {
				shown = append(shown, "race=Black")
			}
			b := hiding(shown...)
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
			hidden := few < b.MinGroup || elsewhere
			named := slices.ContainsFunc(v.Compared, func(g guarantee.Compared) bool { return g.Group == "race=Black" })
			counted := slices.ContainsFunc(v.Compared, func(g guarantee.Compared) bool { return g.Rows > 0 })
			small := slices.ContainsFunc(v.TooSmall,
				func(g guarantee.SmallGroup) bool { return g.Group == "race=Black" || g.Rows == few })
			if named == hidden || counted == hidden || small == hidden || (v.Worst == notShown) != hidden {
				t.Errorf("%d people, hidden elsewhere %v: %+v", few, elsewhere, v)
			}
			if !slices.ContainsFunc(v.TooSmall, func(g guarantee.SmallGroup) bool { return g.Group == "race=Asian-Pacific" && g.Rows == 100 }) {
				t.Errorf("%d people: a larger group is not called too small: %+v", few, v.TooSmall)
			}
		}
	}
}

// TestHiddenChanges: what changed for a group that no table shows is in no part of a document, nor
// rates of people of one label where these are few.
func TestHiddenChanges(t *testing.T) {
	b := hiding("race=White")
	b.shown["race=Black"] = true
	b.shown["race=Few"] = false // labels
	group := func(name string) changes.Group {
		rates := changes.Rates{SelectionRate: 0.5, TPR: 0.5}
		return changes.Group{Group: "race", Name: name, Rows: 50, Positives: 3, Before: rates, After: rates}
	}
	of := changes.Changes{
		People:      &changes.People{Groups: []changes.Group{group("race=White"), group("race=Few"), group("race=Hidden")}},
		SideEffects: []changes.SideEffect{{Group: "race", Without: []string{"race=Hidden", "race=Few"}}},
	}
	b.doc.Changes = of
	b.hideChanges()
	groups := b.doc.People.Groups
	if len(groups) != 2 || groups[0].Before.TPR != 0.5 || groups[1].Before.TPR.Defined() || groups[1].Positives != 0 {
		t.Errorf("%+v", groups)
	}
	if got := b.doc.SideEffects[0].Without; !slices.Equal(got, []string{notShown, "race=Few"}) {
		t.Errorf("groups left out are %q", got)
	}
	if len(of.People.Groups) != 3 || of.SideEffects[0].Without[0] != "race=Hidden" {
		t.Error("the model lost what it had")
	}
}
