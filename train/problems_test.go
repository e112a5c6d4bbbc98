package train_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

var long = flag.Bool("long", false, "run the tests that take minutes, too")

// skipUnlessLong skips a test that -long asks for.
func skipUnlessLong(t testing.TB) {
	t.Helper()
	if !*long {
		t.Skip("takes long, see the flag -long")
	}
}

// randomProblem is a small problem with 1 to 4 requirements, which may depend on each other.
type randomProblem struct {
	train.Options
	requirements []randomRequirement
}

// randomRequirement is one constraint in the terms of its definition.
type randomRequirement struct {
	kind  string
	on    string
	spec  string // of the groups
	bound float64
}

func (q randomRequirement) constraint() model.Constraint {
	return map[string]model.GroupConstraint{
		"demographic-parity": model.DemographicParity.For(q.spec, q.bound),
		"equal-opportunity":  model.EqualOpportunity.For(q.spec, q.bound),
		"equalized-odds":     model.EqualizedOdds.For(q.spec, q.bound),
		"rate-ratio":         model.RateRatio.For(q.spec, q.bound),
		"bounded-group-loss": model.BoundedGroupLoss.For(q.spec, q.bound),
		"share":              model.Share.For(q.spec, q.bound),
	}[q.kind]
}

// newRandomProblem draws the problem of a seed.
func newRandomProblem(seed uint64) randomProblem {
	r := rand.New(rand.NewPCG(seed, 400))
	p := randomProblem{Options: train.DefaultOptions()}
	p.Data = randomPeople(r)
	p.Model.Intercept = r.IntN(5) > 0
	p.On = []string{"", train.Scores, train.Decisions}[r.IntN(3)]
	for range 1 + r.IntN(4) {
		q := randomRequirementOn(r, p.On)
		if n := len(p.requirements); n > 0 && r.IntN(3) == 0 { // the same, or with another bound
			twin := p.requirements[n-1]
			if r.IntN(2) == 0 && q.kind == twin.kind {
				twin.bound = q.bound
			}
			q = twin
		}
		p.requirements = append(p.requirements, q)
		p.Constraints = append(p.Constraints, q.constraint())
	}
	return p
}

func randomRequirementOn(r *rand.Rand, on string) randomRequirement {
	q := randomRequirement{on: on, spec: []string{"g", "g", "h", "g=a", "g*h"}[r.IntN(5)]}
	switch k := r.IntN(6); k {
	case 0, 1, 2:
		q.kind = []string{"demographic-parity", "equal-opportunity", "equalized-odds"}[k]
		q.bound = []float64{0, 0.01, 0.02, 0.05, 0.1, 0.3}[r.IntN(6)]
	case 3:
		q.kind, q.bound = "rate-ratio", []float64{0.5, 0.8, 0.95, 1}[r.IntN(4)]
	case 4:
		q.kind, q.bound = "bounded-group-loss", []float64{0.05, 0.2, 0.35, 0.5, 0.7}[r.IntN(5)]
	case 5:
		q.kind, q.spec = "share", []string{"g=a", "h=x", "h=y"}[r.IntN(3)]
		q.bound = []float64{0.1, 0.3, 0.5, 0.8}[r.IntN(4)]
	}
	if q.on == "" {
		q.on = train.Decisions
		if q.kind == "bounded-group-loss" || q.kind == "share" {
			q.on = train.Scores
		}
	}
	return q
}

// randomPeople draws 200 to 5000 rows of 2 to 6 groups g, and 2 groups h. Every g*h has
// rows of both labels.
func randomPeople(r *rand.Rand) *dataset.Dataset {
	rows := int(200 * math.Pow(25, r.Float64()))
	groups, features := 2+r.IntN(5), 2+r.IntN(7)
	groupIsFeature := r.IntN(2) == 0
	g := dataset.Attribute{Name: "g", Levels: []string{"a", "b", "c", "d", "e", "f"}[:groups], Codes: dataset.MakeCodes(rows, groups)}
	h := dataset.Attribute{Name: "h", Levels: []string{"x", "y"}, Codes: dataset.MakeCodes(rows, 1)}
	truth, shift := make([]float64, features), make([]float64, groups)
	for j := range truth {
		truth[j] = r.NormFloat64()
	}
	for k := range shift {
		shift[k] = r.NormFloat64()
	}
	skew, base := 1+2*r.Float64(), 2*r.NormFloat64()
	d := &dataset.Dataset{Name: "random"}
	var b sparse.Builder
	columns := make([]int, 0, features+groups)
	for i := range rows {
		// The first rows are one of each group and label.
		k, l := int(float64(groups)*math.Pow(r.Float64(), skew)), r.IntN(2)
		if i < 4*groups {
			k, l = i/4, i/2%2
		}
		columns = columns[:0]
		var values []float64
		margin := base + shift[k]
		for j := range features {
			v := r.NormFloat64() + 0.5*shift[k]*float64(j%2)
			if j%3 == 2 {
				v = math.Round(math.Abs(v)) // counts
			}
			margin += truth[j] * v
			columns, values = append(columns, j), append(values, v)
		}
		if groupIsFeature {
			columns, values = append(columns, features+k), append(values, 1)
		}
		label := int8(-1)
		if i < 4*groups && i%2 == 0 || i >= 4*groups && r.Float64() < 1/(1+math.Exp(-margin)) {
			label = 1
		}
		b.Add(label, columns, values)
		g.Codes.Put(i, k)
		h.Codes.Put(i, l)
	}
	d.X, d.Y = b.Finish(features + groups)
	d.Attributes = []dataset.Attribute{g, h}
	if r.IntN(4) == 0 {
		for range rows {
			d.Weights = append(d.Weights, 0.5+r.Float64())
		}
	}
	return d
}

// achieved computes the measure of a requirement from its definition: values are scores or
// decisions.
func (q randomRequirement) achieved(t testing.TB, d *dataset.Dataset, values []float64) float64 {
	t.Helper()
	groups, err := dataset.FindGroups(d, q.spec)
	if err != nil {
		t.Fatal(err)
	}
	weight := func(i int) float64 {
		if d.Weights == nil || q.kind == "share" {
			return 1
		}
		return d.Weights[i]
	}
	mean := func(member func(i int) bool, value func(i int) float64) float64 {
		sum, total := 0.0, 0.0
		for i := range values {
			if member(i) {
				sum, total = sum+weight(i)*value(i), total+weight(i)
			}
		}
		return sum / total
	}
	var rates [2][]float64 // among the positives, or all, and the negatives
	var losses []float64
	members := make([]func(i int) bool, len(groups))
	for k, g := range groups {
		members[k] = func(i int) bool { return g.Member[i] }
	}
	if len(groups) == 1 && q.kind != "bounded-group-loss" {
		members = append(members, func(i int) bool { return !groups[0].Member[i] })
	}
	for _, in := range members {
		value := func(i int) float64 { return values[i] }
		switch q.kind {
		case "demographic-parity", "rate-ratio":
			rates[0] = append(rates[0], mean(in, value))
		case "equal-opportunity", "equalized-odds":
			rates[0] = append(rates[0], mean(func(i int) bool { return in(i) && d.Y[i] > 0 }, value))
			rates[1] = append(rates[1], mean(func(i int) bool { return in(i) && d.Y[i] < 0 }, value))
		case "bounded-group-loss":
			losses = append(losses, mean(in, func(i int) float64 { return math.Abs(float64(1+d.Y[i])/2 - values[i]) }))
		}
	}
	gap := func(rates []float64) float64 { return slices.Max(rates) - slices.Min(rates) }
	switch q.kind {
	case "demographic-parity", "equal-opportunity":
		return gap(rates[0])
	case "equalized-odds":
		return max(gap(rates[0]), gap(rates[1]))
	case "rate-ratio":
		if slices.Max(rates[0]) == 0 {
			return 1
		}
		return slices.Min(rates[0]) / slices.Max(rates[0])
	case "bounded-group-loss":
		return slices.Max(losses)
	}
	in, all := 0.0, 0.0
	for i, v := range values {
		all += v
		if members[0](i) {
			in += v
		}
	}
	if all == 0 {
		return q.bound
	}
	return in / all
}

// holds reports whether what was achieved keeps the bound.
func (q randomRequirement) holds(achieved, tolerance float64) bool {
	if q.kind == "rate-ratio" || q.kind == "share" {
		return achieved >= q.bound-tolerance
	}
	return achieved <= q.bound+tolerance
}

// satisfiedBy reports whether scores satisfy the requirements, with the decisions that they
// lead to.
func (p *randomProblem) satisfiedBy(t testing.TB, score func(i int) float64) bool {
	values := make([]float64, p.Data.Rows())
	for _, q := range p.requirements {
		for i := range values {
			values[i] = score(i)
			if q.on == train.Decisions {
				values[i] = math.Round(values[i])
			}
		}
		if !q.holds(q.achieved(t, p.Data, values), 1e-9) {
			return false
		}
	}
	return true
}

// satisfiedByConstants reports whether a score that is the same for all satisfies them.
func (p *randomProblem) satisfiedByConstants(t testing.TB) bool {
	for _, score := range []float64{0.001, 0.1, 0.2, 0.3, 0.4, 0.499, 0.5, 0.6, 0.7, 0.8, 0.9, 0.999} {
		if p.satisfiedBy(t, func(int) float64 { return score }) {
			return true
		}
	}
	return false
}

// TestRandomProblems trains on small problems of all kinds. Each must end converged, or not
// reached where that is true. All figures of the report must be right for the
// classifier that was written.
func TestRandomProblems(t *testing.T) {
	seeds := []uint64{7, 8, 10, 12, 13, 14, 17, 19, 21, 23, 25, 27} // the quick ones of the first 30
	switch {
	case *long:
		seeds = nil
		for seed := range uint64(400) {
			seeds = append(seeds, seed)
		}
	case testing.Short():
		seeds = seeds[:2]
	}
	ended := map[solver.Status]int{}
	for _, seed := range seeds {
		p := newRandomProblem(seed)
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			r, trained, err := train.Run(t.Context(), p.Options)
			if err != nil {
				t.Fatalf("%v: %v", p.Constraints, err)
			}
			ended[r.Status]++
			t.Logf("%s on %q, %d rows: %s, %.0f passes, KKT %.1e, %.2f s", p.Constraints, p.On,
				p.Data.Rows(), r.Status, r.Passes, r.KKTResidual, r.Seconds)
			p.check(t, r, written(t, trained))
		})
	}
	t.Logf("ended %v", ended)
}

// written returns a classifier as it is read from its file.
func written(t testing.TB, c *classifier.Classifier) *classifier.Classifier {
	t.Helper()
	var file bytes.Buffer
	if err := c.Write(&file); err != nil {
		t.Fatal(err)
	}
	read, err := classifier.Read(&file, "model.json")
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// check recomputes what the report says.
func (p *randomProblem) check(t *testing.T, r *train.Report, c *classifier.Classifier) {
	t.Helper()
	scores, decisions := make([]float64, p.Data.Rows()), make([]float64, p.Data.Rows())
	if err := c.Scores(scores, p.Data.X); err != nil {
		t.Fatal(err)
	}
	for i, s := range scores {
		if s >= c.Threshold {
			decisions[i] = 1
		}
	}
	satisfied := true
	for k, q := range p.requirements {
		got, values := r.Requirements[k], scores
		if q.on == train.Decisions {
			values = decisions
		}
		want := q.achieved(t, p.Data, values)
		satisfied = satisfied && got.Satisfied
		if got.Train == nil { // a ratio or a share of nothing
			if slices.Max(values) > 0 || got.On != q.on {
				t.Errorf("%s on %s: achieved %v, report nothing on %s", got.Spec, q.on, want, got.On)
			}
			continue
		}
		if got.On != q.on || math.Abs(*got.Train-want) > 1e-9 {
			t.Errorf("%s on %s: achieved %v, report %v on %s", got.Spec, q.on, want, *got.Train, got.On)
		}
		tolerance := 1e-9
		switch {
		case len(got.WithinOneDecision) > 0:
			tolerance = 1 // by the groups' sizes
		case q.on == train.Scores && got.AtLeast:
			tolerance = 0.01
		case q.on == train.Scores:
			tolerance = 1.01 * r.Tolerance
		case q.kind == "share":
			tolerance = 1e-6 // of a mean of decisions, however few are positive
		}
		if got.Satisfied && !q.holds(want, tolerance) {
			t.Errorf("%s: achieved %v, which is said to satisfy it", got.Spec, want)
		}
		if !got.Satisfied && q.holds(want, 0) {
			t.Errorf("%s: achieved %v, but is not satisfied", got.Spec, want)
		}
	}
	constants := p.satisfiedByConstants(t)
	switch r.Status {
	case solver.Converged:
		if !satisfied || !(r.ScaledResidual <= r.Tolerance) {
			t.Errorf("converged, but residual %v with features scaled, satisfied is %v", r.ScaledResidual, satisfied)
		}
	case solver.Exhausted:
		if !satisfied {
			t.Error("at the budget, with a requirement that is not satisfied")
		}
	case train.NotReached:
		if satisfied {
			t.Error("not reached, but all requirements are satisfied")
		}
		if constants && p.On == train.Decisions && p.Model.Intercept {
			t.Error("not reached, but constant decisions satisfy all")
		}
	default:
		t.Errorf("ended %s", r.Status)
	}
}
