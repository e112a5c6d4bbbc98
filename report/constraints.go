package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// trainedFor is the number of a constraint among those of the model, negative if it has none such.
func (b *builder) trainedFor(spec, on string) int {
	return slices.IndexFunc(b.Model.Constraints, func(c classifier.Constraint) bool { return c.Spec == spec && c.On == on })
}

// constraint parses a constraint, nil if it stands for none.
func constraint(c classifier.Constraint) (model.Constraint, error) {
	parsed, err := model.ParseConstraint(c.Spec)
	if err != nil || model.IsNone(parsed) {
		return nil, err
	}
	return parsed, nil
}

// evaluateConstraints evaluates the constraints on all rows.
func (b *builder) evaluateConstraints() error {
	for k, asked := range b.Source.Constraints {
		c, err := constraint(asked)
		if err != nil {
			return fmt.Errorf("constraint %d: %w", k+1, err)
		}
		if c == nil {
			continue
		}
		f := words.Finding{Spec: asked.Spec, On: asked.On, Group: words.GroupOf(asked.Spec), WithinOneDecision: []string{}}
		var fitted *model.Requirement // on the rows of training
		for _, set := range b.sets {
			if set.Role == Training && b.set(Constraints) != nil {
				continue
			}
			r, err := b.evaluate(&f, set, c, fitted)
			if err != nil {
				return err
			}
			if set.Role.Counted() {
				fitted = r
				b.addUnseen(&f)
			}
		}
		b.doc.Requirements = append(b.doc.Requirements, f)
	}
	return nil
}

// addUnseen adds what the model file has of a constraint on unseen rows, if anything.
func (b *builder) addUnseen(f *words.Finding) {
	k := b.trainedFor(f.Spec, f.On)
	if u := b.Model.Training.Unseen; u != nil && k >= 0 && k < len(u.Requirements) {
		f.AddUnseen(u.Rows, u.Requirements[k])
	}
}

// evaluate adds the value of a constraint on a set of rows. It returns the requirement on these
// rows, nil if they say nothing about it. The bound of held-out rows is that of the rows of
// training, fitted, if the report has these: the share of a group differs between sets of rows.
func (b *builder) evaluate(f *words.Finding, set scoredSet, c model.Constraint, fitted *model.Requirement) (*model.Requirement, error) {
	counted := set.Role.Counted()
	v := words.Value{Role: set.Role, Rows: set.Data.All(), Estimate: fairness.NoEstimate()}
	r, err := model.NewRequirement(c, set.Data, f.On)
	if err != nil && !counted { // no two groups have rows that the rate is about
		if g, ok := c.(model.GroupConstraint); ok && f.Measure == "" {
			f.Measure, f.Bound, f.AtLeast = g.Measure(f.On), g.Level, g.Kind.FromBelow()
		}
		v.Bound = fairness.Value(f.Bound)
		// One of two rates may say that the constraint is violated.
		if set.Shards == nil {
			if found, err := Judge(set.Scored, set.Data, c, f.On); err == nil && found != nil && found.Value != nil {
				v.Value, v.Without = fairness.Value(*found.Value), b.namesOf(groupsOf(c), found.Without)
				v.Judge(found)
				b.addVerdict(groupsOf(c), set, *found)
			}
		}
		f.Values = append(f.Values, v)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", set.Data.Name, err)
	}
	j, err := set.Meets(r)
	if err != nil {
		return nil, err
	}
	f.Measure, f.AtLeast = r.Measure, r.AtLeast
	if fitted == nil {
		f.Bound = r.Bound
		if g, ok := c.(model.GroupConstraint); ok && g.Kind == model.HeldShare && g.Level == 0 {
			f.BoundFrom = set.Role
		}
	}
	v.Bound = fairness.Value(f.Bound)
	if v.Nobody = j.Undefined; !v.Nobody {
		v.Value = fairness.Value(j.Achieved)
	}
	by := train.Requirement{On: f.On, Bound: f.Bound, AtLeast: r.AtLeast}
	tolerance := cmp.Or(b.Model.Training.Tolerance, train.DefaultOptions().Tolerance) // older files do not have it
	v.Met = by.Keeps(j.Achieved, tolerance)
	if k := b.trainedFor(f.Spec, f.On); counted && k >= 0 {
		v.Met = b.Model.Constraints[k].Satisfied
	}
	if counted || len(f.Values) == 0 {
		f.Satisfied = v.Met
	}
	if v.Met && f.On == train.Scores && !by.Holds(j.Achieved) {
		v.Tolerance = tolerance
	}
	group := groupsOf(c)
	v.Without = b.namesOf(group, r.Without(fitted))
	for _, name := range b.namesOf(group, r.Small) {
		if !slices.Contains(f.TooSmall, name) {
			f.TooSmall = append(f.TooSmall, name)
		}
	}
	v.Extremes = b.extremes(group, set, j.Extremes)
	if counted {
		f.WithinOneDecision = b.namesOf(group, j.WithinOneDecision)
	} else if set.Shards == nil {
		found, err := Judge(set.Scored, set.Data, c, f.On)
		if err != nil {
			return nil, err
		}
		if found != nil {
			v.Judge(found)
			b.addVerdict(group, set, *found)
		}
	}
	f.Values = append(f.Values, v)
	return r, nil
}

// addVerdict enters a verdict on the main rows, without groups that the report does not show.
func (b *builder) addVerdict(group string, set scoredSet, found guarantee.Judgment) {
	if set.Role != b.doc.Rows[b.doc.main()].Role {
		return
	}
	worst := found.WorstGroups
	found.WorstGroups = nil
	for _, name := range worst {
		found.WorstGroups = append(found.WorstGroups, b.named(group, name))
	}
	b.doc.Verdicts = append(b.doc.Verdicts, found)
}

// groupsOf is the specification of the groups that a constraint compares, "" if it compares none.
func groupsOf(c model.Constraint) string {
	if specs := model.GroupsOf(c); len(specs) > 0 {
		return specs[0]
	}
	return ""
}

// extremes are the groups whose rates make a value, nil if a table does not show their rates.
func (b *builder) extremes(spec string, set scoredSet, e *model.Extremes) *model.Extremes {
	if e == nil {
		return nil
	}
	out := *e
	for _, g := range []*model.GroupRate{&out.Lowest, &out.Highest} {
		labelled, shown := b.shown[key(spec, g.Group)]
		if !shown || !labelled && e.Rate != "selection_rate" && e.Rate != "mean_score" {
			return nil
		}
		g.Group = b.sentenceName(spec, g.Group)
		if set.Shards != nil { // these are numbers of a sample
			g.Rows = 0
		}
	}
	return &out
}

// notShown stands for groups that the report does not name.
const notShown = "a group that is not shown"

// key tells apart the others of one group from those of another.
func key(spec, group string) string {
	if group == fairness.Others {
		return spec + "\x00" + group
	}
	return group
}

// named is the name of a group of a specification if a table shows it on its own: a name that no
// table has appears nowhere else.
func (b *builder) named(spec, group string) string {
	if _, shown := b.shown[key(spec, group)]; !shown && group != guarantee.Everybody {
		return notShown
	}
	return group
}

// namesOf are the names of groups, sorted, each once.
func (b *builder) namesOf(spec string, groups []string) []string {
	list := []string{}
	for _, group := range groups {
		list = append(list, b.named(spec, group))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Judge returns what rows say about a constraint on the people that they were drawn from; nil if that is
// not known: for a constraint without a test, and for rows in shards.
func Judge(rows *scoring.Scored, d *dataset.Dataset, c model.Constraint, on string) (*guarantee.Judgment, error) {
	r, err := train.ToGuarantee(c, on)
	if err != nil || r.On() != on {
		return nil, nil
	}
	list := []guarantee.Requirement{r}
	evidence, err := rows.Evidence(list)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	found, err := guarantee.Judge(list, evidence, Level)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name, err)
	}
	return &found[0], nil
}
