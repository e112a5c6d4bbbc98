package words

import (
	"slices"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// parity is demographic parity for sex, with a value on training and one on test rows.
func parity(fitted, held float64) Finding {
	value := func(role Role, rows int, v float64) Value {
		return Value{Role: role, Rows: rows, Estimate: fairness.Estimate{Value: fairness.Value(v), Low: fairness.Undefined(), High: fairness.Undefined()}, Bound: 0.02, Met: v <= 0.02}
	}
	return Finding{
		Spec: "demographic-parity:group=sex,bound=0.02", On: train.Decisions, Measure: "selection_rate_difference", Group: "sex", Bound: 0.02,
		Satisfied: fitted <= 0.02, Values: []Value{value(Training, 32561, fitted), value(Held, 16281, held)},
	}
}

// estimate is a value on unseen rows and its standard error.
func estimate(value, se float64) classifier.Estimate {
	return classifier.Estimate{Value: &value, SE: &se}
}

// TestOutOfReach: where no setting meets the bound, the sentence has what comes nearest and its cost.
func TestOutOfReach(t *testing.T) {
	u := &classifier.Unseen{Accuracy: 0.571, Unconstrained: 0.682, Settings: 21}
	list := []Finding{parity(0.0175, 0.01)}
	const want = "None of 21 settings met the bound in cross-validation. This one is the most accurate of those within a standard error of the nearest, with 57.1 % on unseen rows: the unconstrained baseline has 68.2 %, the majority-class baseline, whose rates do not differ, 54.9 %."
	if got := OutOfReach(u, list, 0.549); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	u.Settings = 1
	if got := OutOfReach(u, list, 0.549); !strings.HasPrefix(got, "The only setting did not meet the bound in cross-validation. It is kept, with 57.1 %") {
		t.Error(got)
	}
	list[0].Measure = "share"
	if got := OutOfReach(u, list, 0.549); strings.Contains(got, "do not differ") {
		t.Error(got)
	}
	u.Met = true
	if got := OutOfReach(u, list, 0.549); got != "" {
		t.Error(got)
	}
}

// TestSentences: a fact has one sentence.
func TestSentences(t *testing.T) {
	for _, test := range []struct {
		name    string
		change  func(f *Finding)
		outcome Outcome
		want    string
		notes   string
	}{
		{
			"satisfied", func(*Finding) {}, Satisfied,
			"Satisfied: selection rates of sex differ by 1.75 percentage points on the 32,561 training rows and 1.00 on the 16,281 test rows (at most 2.00 percentage points).", "",
		},
		{
			"violated", func(f *Finding) { f.Satisfied, f.Values[0].Value, f.Values[0].Met = false, 0.03, false }, Violated,
			"Violated: selection rates of sex differ by 3.00 percentage points on the 32,561 training rows and 1.00 on", "",
		},
		{
			"violated on test rows, which may be chance",
			func(f *Finding) {
				v := &f.Values[1]
				v.Value, v.Met, v.Low, v.High, v.Answer = 0.020001, false, 0.01, 0.03, guarantee.Undecided
			},
			NotOnNewRows, "Met on training data; NOT met on test data: selection rates of sex differ by 1.75 percentage points on the 32,561 training rows and 2.0001 on",
			"demographic-parity:group=sex,bound=0.02 is not met on the 16,281 test rows, which is not statistically significant: the confidence interval includes the bound.",
		},
		{
			"estimate for unseen rows", func(f *Finding) {
				f.Values = f.Values[:1]
				f.AddUnseen(32561, estimate(0.018, 0.006))
			}, Satisfied, "Satisfied: selection rates of sex differ by 1.75 percentage points on the 32,561 training rows and 1.80 ± 0.60 on unseen rows by cross-validation (at most 2.00 percentage points).",
			"is met on the unseen rows, but the confidence interval includes values beyond the bound.",
		},
		{
			"violated on unseen rows", func(f *Finding) {
				f.Values = f.Values[:1]
				f.AddUnseen(32561, estimate(0.04, 0.006))
			}, NotOnNewRows, "Met on training data; NOT met on unseen data: selection rates of sex differ by 1.75 percentage points on the 32,561 training rows and 4.00 ± 0.60 on unseen rows", "",
		},
		{
			"test rows say more than the estimate", func(f *Finding) {
				held := f.Values[1]
				f.Values = f.Values[:1]
				f.AddUnseen(32561, estimate(0.04, 0.006))
				f.Values = append(f.Values, held)
			}, Satisfied, "Satisfied: selection rates of sex differ by 1.75 percentage points on the 32,561 training rows, 4.00 ± 0.60 on unseen rows by cross-validation and 1.00 on the 16,281 test rows",
			"is met on the rows held out, but not in cross-validation.",
		},
		{
			"unsure", func(f *Finding) { f.Values[1].Answer = guarantee.Undecided }, Satisfied, "Satisfied: ",
			"is met on the 16,281 test rows, but the confidence interval includes values beyond the bound.",
		},
		{
			"within one decision", func(f *Finding) { f.WithinOneDecision = []string{"sex=f"} }, SatisfiedWithin,
			"Satisfied within one decision of each group: ", "One decision moves the rate of sex=f by more than the bound",
		},
		{
			"within the tolerance", func(f *Finding) { f.On, f.Values[0].Tolerance = train.Scores, 1e-3 }, SatisfiedNearly, "Satisfied within the tolerance: ", "",
		},
		{
			"nobody selected", func(f *Finding) {
				f.Values = f.Values[:1]
				f.Values[0].Value, f.Values[0].Nobody = fairness.Undefined(), true
			}, SatisfiedThere, "Satisfied on training data: no decision on the 32,561 training rows is positive, so there is nothing to share or compare", "",
		},
		{
			"new rows alone: the whole interval counts", func(f *Finding) {
				f.Values = f.Values[1:]
				f.Values[0].Judge(&guarantee.Judgment{Lower: new(0.0), Upper: new(0.019), Verdict: guarantee.Satisfied})
			}, Satisfied, "on the 16,281 test rows (at most 2.00 percentage points). The 95 % confidence interval is 0.00 to 1.90 percentage points.", "",
		},
		{
			"undecided", func(f *Finding) {
				f.Values = f.Values[1:]
				f.Values[0].Judge(&guarantee.Judgment{Lower: new(0.0), Upper: new(0.03), Verdict: guarantee.Undecided, RowsNeeded: new(31234)})
			}, Undecided, "Undecided: ", "About 32,000 rows like these would probably decide demographic-parity:group=sex,bound=0.02.",
		},
		{
			"violated for all people", func(f *Finding) {
				f.Values, f.Satisfied = f.Values[1:], true
				f.Values[0].Judge(&guarantee.Judgment{Lower: new(0.021), Upper: new(0.03), Verdict: guarantee.Violated})
			}, Violated, "Violated: ", "",
		},
		{
			"not judged", func(f *Finding) {
				f.Values = f.Values[1:]
				f.Values[0].Value = fairness.Undefined()
			}, NotJudged, "Not judged: the rows say nothing about demographic-parity:group=sex,bound=0.02, as fewer than two groups", "",
		},
		{
			"test rows tell nothing", func(f *Finding) { f.Values[1].Value = fairness.Undefined() }, SatisfiedThere,
			"Satisfied on training data: selection rates of sex differ by 1.75 percentage points on the 32,561 training rows (at most", "The 16,281 test rows say nothing about",
		},
		{
			"a group is missing", func(f *Finding) { f.Values[1].Without = []string{"sex=x"} }, Satisfied, "Satisfied: ",
			"The 16,281 test rows have nobody of sex=x",
		},
		{
			"three groups", func(f *Finding) {
				f.Values[1].Extremes = &model.Extremes{Rate: "true_positive_rate", Groups: 3, Lowest: model.GroupRate{Group: "a", Value: 0.1, Rows: 10}, Highest: model.GroupRate{Group: "b", Value: 0.25, Rows: 1200}}
			}, Satisfied, " Furthest apart on the 16,281 test rows: a (10.0 % of 10 people with the positive label) and b (25.0 % of 1,200 people with the positive label).", "",
		},
		{
			"scores of both labels", func(f *Finding) { f.On, f.Measure = train.Scores, "equalized_odds_difference" }, Satisfied,
			"mean scores of positives and of negatives of sex differ by up to 1.75 percentage points", "",
		},
		{
			"both rates", func(f *Finding) { f.Measure = "equalized_odds_difference" }, Satisfied,
			"true and false positive rates of sex differ by up to 1.75 percentage points", "",
		},
		{
			"a share", func(f *Finding) { f.Measure, f.AtLeast, f.Group = "share", true, "71" }, Satisfied,
			"the share of group 71 in all positive decisions is 1.8 % on the 32,561 training rows and 1.0 % on the 16,281 test rows (at least 2.0 %)", "",
		},
		{
			"a ratio", func(f *Finding) { f.Measure, f.AtLeast = "selection_rate_ratio", true }, Satisfied,
			"the lowest selection rate of sex divided by the highest is 0.018 on", "",
		},
		{
			"a loss", func(f *Finding) { f.Measure = "largest_group_loss" }, Satisfied, "the largest expected error by sex is 1.8 % on", "",
		},
	} {
		f := parity(0.0175, 0.01)
		test.change(&f)
		if got := f.Outcome(); got != test.outcome {
			t.Errorf("%s: %s, expected %s", test.name, got, test.outcome)
		}
		if got := f.Sentence(); !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, expected %q", test.name, got, test.want)
		}
		if notes := strings.Join(f.Notes(), "\n"); !strings.Contains(notes, test.notes) ||
			notes != "" && test.notes == "" {
			t.Errorf("%s: the notes %q, expected %q", test.name, notes, test.notes)
		}
	}
}

// TestOverall: the verdict on all constraints is the worst one.
func TestOverall(t *testing.T) {
	good, onNew, bad := parity(0.01, 0.01), parity(0.01, 0.03), parity(0.03, 0.01)
	passed, failed := &Certificate{Report: &guarantee.Report{Holds: true}, TrainingRowsChecked: true}, &Certificate{Report: &guarantee.Report{}}
	value := 0.03
	violated := &Certificate{Report: &guarantee.Report{Requirements: []guarantee.Verdict{{Estimate: &value, Bound: 0.02}}}}
	conditional := &Certificate{Report: &guarantee.Report{Holds: true}, TrainingRowsChecked: true, EarlierTests: 1}
	for _, test := range []struct {
		list []Finding
		test *Certificate
		want Outcome
	}{
		{nil, nil, NoConstraint},
		{[]Finding{good, good}, nil, Satisfied},
		{[]Finding{good, onNew}, nil, NotOnNewRows},
		{[]Finding{onNew, bad}, passed, Violated},
		{[]Finding{good, onNew}, passed, Guaranteed},
		{[]Finding{good}, conditional, GuaranteedIf},
		{[]Finding{good}, failed, NotGuaranteed},
		{[]Finding{good}, violated, NotOnNewRows},
	} {
		if got := Overall(test.list, test.test); got != test.want {
			t.Errorf("%s, expected %s", got, test.want)
		}
	}
}

// TestRuns: the sentences about a run and about a test.
func TestRuns(t *testing.T) {
	upper, estimate := 0.0349158, 0.012
	v := guarantee.Verdict{Spec: "demographic-parity:group=sex,bound=0.05", On: train.Decisions, Measure: "selection_rate_difference", Estimate: &estimate, Upper: &upper, Bound: 0.05, Holds: true, Compared: []guarantee.Compared{{Group: "sex=f"}, {Group: "sex=m"}}}
	g := Certificate{Report: &guarantee.Report{Confidence: 0.95, Rows: 2400, Holds: true, Requirements: []guarantee.Verdict{v}}, Data: "new.csv", TestedAt: 0.975, TrainingRowsChecked: true}
	again, failed := g, g
	again.EarlierTests = 1
	report := *g.Report
	failed.Report, report.Holds = &report, false
	report.Requirements = []guarantee.Verdict{v}
	report.Requirements[0].Holds, report.Requirements[0].Worst = false, "sex=m above sex=f"
	beyond := v
	beyond.Answer, beyond.Holds = guarantee.Violated, false
	two := g
	two.Report = &guarantee.Report{Confidence: 0.95, Rows: 2400, Requirements: []guarantee.Verdict{beyond, beyond}}
	needed := 12345
	report.RowsNeeded = &needed
	cost := Cost{Held, 0.844, 0.851, -0.007, 0.764, true}
	decisions := Optimality{2e-4, 1e-3, 0.03, true, "restoration", false}
	for _, test := range []struct{ got, want string }{
		{Statement(&g), "Guaranteed with 95 % confidence: demographic-parity:group=sex,bound=0.05 is satisfied for the people that the 2,400 rows of new.csv were drawn from, in sex=f and sex=m."},
		{Statement(&two), "Violated each with 97.5 % confidence: demographic-parity:group=sex,bound=0.05 and demographic-parity:group=sex,bound=0.05 are not satisfied for the people"},
		{Statement(&again), "in sex=f and sex=m, if the choice of a test of these rows depended only on whether earlier tests were passed."},
		{Statement(&failed), "Not guaranteed: the 2,400 rows of new.csv do not show with 97.5 % confidence that demographic-parity:group=sex,bound=0.05 is satisfied."},
		{RowsNeeded(&failed), "About 13,000 rows would probably be enough, if the people are like these rows."},
		{strings.Join(GuaranteeNotes(&again), "\n"), "Earlier tests of these rows: 1. So this one is at 97.5 % confidence"},
		{TestOf(&v).Limit, "at most 3.50 percentage points"},
		{TestOf(&v).Verdict, "✓ yes"},
		{TestOf(&report.Requirements[0]).DecidedBy, "sex=m above sex=f"},
		{Ending(train.NotReached, true), "Not reached: no thresholds of these groups satisfy every constraint. "},
		{Ending(train.NotReached, false), "Not reached: "},
		{Ending(solver.Diverged, false), "Diverged: "},
		{Ending(solver.Interrupted, false), "Interrupted: "},
		{Ending(solver.Exhausted, false), "Not optimal: "},
		{decisions.Sentence(), "the training problem (temperature 0.03) is 2.0e-04, within the tolerance 1e-03. The classifier was found from its solution by restoration."},
		{Optimality{2e-3, 1e-3, 1, false, "", false}.Sentence(), "Optimality certificate: the KKT residual of the training problem is 2.0e-03, above the tolerance 1e-03."},
		{cost.Sentence(1), "Cost of the constraint on the test rows: −0.70 percentage points of accuracy, which is 84.4 %; the unconstrained baseline has 85.1 %, the majority-class baseline 76.4 %."},
		{cost.Sentence(0), "Accuracy on the test rows: 84.4 %; the majority-class baseline has 76.4 %."},
		{strings.Join(CostNotes([]Cost{cost}), ""), "The unconstrained baseline ended before its tolerance"},
		{Constant("4 test rows", 0, 4, []Finding{parity(0, 0)}), "Nobody is selected on the 4 test rows: so no two groups differ."},
		{Constant("4 test rows", 1, 4, nil), "Everybody is selected on the 4 test rows."},
		{Constant("4 test rows", 1, 4, []Finding{parity(0, 0), {Measure: "lowest_accuracy"}}), "Everybody is selected on the 4 test rows."},
		{Constant("4 test rows", 1, 4, []Finding{{Measure: "error_rate_difference"}}), "Everybody is selected on the 4 test rows."},
		{NoBetter("40 rows", 40, 0.583, 0.6, 0.5, 0.6), "The accuracy on the 40 rows, 58.3 %, is below the 60.0 % of"},
		{NoBetter("40 rows", 40, 0.61, 0.6, 0.5, 0.6), "is not significantly above the 60.0 % of"},
		{NoBetter("40 rows", 40, 0.6, 0.6, 1, 0.6), "is not significantly above the 60.0 % of"},
		{Constant("3 test rows", 2./3, 3, nil), ""},
		{Constant("4000 test rows", 0.999, 4000, nil), "99.9 % of the decisions on the 4000 test rows are positive: they are nearly constant."},
		{Constant("4 test rows", 0.5, 4, nil), ""},
		{Leaks([]classifier.Leak{{Column: "reason", AUC: 1}}), "reason (AUC 1.000) alone tells the label. If that"},
		{Leaks([]classifier.Leak{{Column: "a", AUC: 1}, {Column: "b", AUC: 0.99}}), "alone tells the label: a (AUC 1.000), b (AUC 0.990)."},
		{Proxies(slices.Repeat([]classifier.Proxy{{Column: "sex2", Group: "sex=m", AUC: 1}}, 7)), "sex2 for sex=m (AUC 1.000) and 2 more. Without"},
		{Shift(&classifier.Shift{Column: "job", Lowest: classifier.LevelRate{Level: "job=a", Rows: 1200, Rate: 0.1}, Highest: classifier.LevelRate{Level: "job=b", Rows: 90, Rate: 0.9}, FreeLowest: 0.3, FreeHighest: 0.4}, "about "), "selection rates go from 10.0 % for job=a (about 1,200 training rows) to 90.0 % for job=b (about 90 training rows). In the unconstrained baseline they go from 30.0 % to 40.0 %."},
	} {
		if !strings.Contains(test.got, test.want) {
			t.Errorf("%q, expected %q", test.got, test.want)
		}
	}
}

// TestRowsThatDiffer: each fact about rows has its sentence.
func TestRowsThatDiffer(t *testing.T) {
	for want, drift := range map[string]encoding.Drift{
		`job: 2 of 4 rows have values not seen in training, such as "DRIVER", which count as no level`:                     {Kind: encoding.NewLevels, Column: "job", Rows: 2, Of: 4, Example: "DRIVER"},
		"job: 1 of 4 rows have no value, unlike nearly all training rows, and count as no level":                           {Kind: encoding.NewlyMissing, Column: "job", Rows: 1, Of: 4, IsCategory: true},
		"age: 1 of 4 rows have no value, unlike nearly all training rows, and count as average ones":                       {Kind: encoding.NewlyMissing, Column: "age", Rows: 1, Of: 4},
		"race: 3 of 9 rows are of groups not seen in training, or hardly":                                                  {Kind: encoding.NewGroups, Column: "race", Rows: 3, Of: 9},
		"job: 110 of 110 rows have values that were rare in training, or not there: 9.1 % of its rows had such":            {Kind: encoding.RareLevels, Column: "job", Rows: 110, Of: 110, TrainingShare: 20. / 220},
		"pay has the mean 20 and the standard deviation 5 here, 2e+04 and 5000 in training: perhaps it is in another unit": {Kind: encoding.OtherScale, Column: "pay", Mean: 20, SD: 5, TrainingMean: 20000, TrainingSD: 5000},
	} {
		if got := Drift(&drift, true); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := Drift(&encoding.Drift{Kind: encoding.NewLevels, Example: "DRIVER"}, false); strings.Contains(got, "DRIVER") {
		t.Errorf("without examples: %q", got)
	}
	want := []string{
		"the groups of sex*age<45 leave out 2 of the 5 rows: the comparison is not about these people",
		"1 of the 5 rows lack a value that sex*age<45 is about, and count as others",
	}
	if got := LeftOut(dataset.LeftOut{Groups: "sex*age<45", Rows: 5, InNone: 2, Unknown: 1}); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
