// Package changes compares two decisions about the same people, by group: those without a constraint
// and those with it. A Table counts people by their decisions before and after; Judge says what
// changed for each group, and which differences between groups rose by more than chance.
package changes

import (
	"cmp"
	"math"
	"slices"

	"github.com/fairtrain/fairtrain/fairness"
)

// Count is a number of people, the sum of their weights and that of the squares of these.
type Count struct {
	Rows            int
	Weight, Squares float64
}

// Counts are those of a set of people: by label, decision before and decision after, each 0 or 1.
type Counts [2][2][2]Count

// Table has the counts of everybody, and of the groups of some specifications.
type Table struct {
	All    Counts
	Groups []Groups
}

// Groups are the groups of a specification.
type Groups struct {
	Spec  string
	Names []string
	Of    []Counts // one for each name
}

// Add adds a person.
func (c *Counts) Add(label, before, after int, weight float64) {
	n := &c[label][before][after]
	n.Rows++
	n.Weight += weight
	n.Squares += float64(weight * weight)
}

func (c *Counts) merge(o *Counts) {
	c.each(func(label, before, after int, n *Count) {
		more := &o[label][before][after]
		n.Rows += more.Rows
		n.Weight += more.Weight
		n.Squares += more.Squares
	})
}

func (c *Counts) each(do func(label, before, after int, n *Count)) {
	for k := range 8 {
		do(k>>2, k>>1&1, k&1, &c[k>>2][k>>1&1][k&1])
	}
}

// sum adds up the people of which a condition is true.
func (c *Counts) sum(of func(label, before, after int) bool) (sum Count) {
	c.each(func(label, before, after int, n *Count) {
		if of(label, before, after) {
			sum.Rows += n.Rows
			sum.Weight += n.Weight
			sum.Squares += n.Squares
		}
	})
	return sum
}

// Add adds other people, of the same groups.
func (t *Table) Add(o *Table) {
	t.All.merge(&o.All)
	for k := range t.Groups {
		for g := range t.Groups[k].Of {
			t.Groups[k].Of[g].merge(&o.Groups[k].Of[g])
		}
	}
}

// The roles of rows.
const (
	Training    = "training"
	Constraints = "constraint"
	Unseen      = "unseen"
	Validation  = "validation"
	Held        = "test"
)

// Changes are what changed on some rows. What embeds them has their keys in JSON.
type Changes struct {
	People *People `json:"changes,omitempty"`
	// SideEffects are the differences between groups that no constraint bounds.
	SideEffects []SideEffect `json:"side_effects"`
}

// People are the people of the rows, and those of groups.
type People struct {
	Role   string  `json:"role"` // of the rows: "test", "unseen"
	All    Group   `json:"all"`
	Groups []Group `json:"groups"`
}

// Group is what changed for a group.
type Group struct {
	Group     string `json:"group,omitempty"` // specification
	Name      string `json:"name,omitempty"`  // of one of its groups; fairness.Others for those of none
	Rows      int    `json:"rows"`
	Positives int    `json:"positives"` // of the positive label
	Before    Rates  `json:"before"`
	After     Rates  `json:"after"`
	// ToPositive and ToNegative are the numbers of people whose decision changed.
	ToPositive int `json:"to_positive"`
	ToNegative int `json:"to_negative"`
}

// Rates are those of decisions, by the names of fairness.MetricList.
type Rates struct {
	SelectionRate fairness.Value `json:"selection_rate"`
	TPR           fairness.Value `json:"tpr"`
	FPR           fairness.Value `json:"fpr"`
	Precision     fairness.Value `json:"precision"`
	Accuracy      fairness.Value `json:"accuracy"`
}

// rate is the share of those that count among the people it is about, by label and decision.
type rate struct {
	name  string
	about func(label, decision int) bool
	count func(label, decision int) bool // of those
	of    func(*Rates) *fairness.Value
}

// rates are all of Rates.
var rates = []rate{
	{"selection_rate", anyone, positive, func(r *Rates) *fairness.Value { return &r.SelectionRate }},
	{"tpr", labelled(1), positive, func(r *Rates) *fairness.Value { return &r.TPR }},
	{"fpr", labelled(0), positive, func(r *Rates) *fairness.Value { return &r.FPR }},
	{"precision", positive, correct, func(r *Rates) *fairness.Value { return &r.Precision }},
	{"accuracy", anyone, correct, func(r *Rates) *fairness.Value { return &r.Accuracy }},
}

func labelled(as int) func(label, decision int) bool {
	return func(label, _ int) bool { return label == as }
}

func anyone(int, int) bool             { return true }
func positive(_, decision int) bool    { return decision == 1 }
func correct(label, decision int) bool { return label == decision }
func pick(before, after, side int) int { return [2]int{before, after}[side] }
func (r *rate) difference() string     { return r.name + "_difference" }
func ratio(of, among float64) fairness.Value {
	if among == 0 {
		return fairness.Undefined()
	}
	return fairness.Value(of / among)
}

// value returns the rate of some people on a side, 0 for before and 1 for after, and how many it is
// about.
func (r *rate) value(c *Counts, side int) (value fairness.Value, people int) {
	about := c.sum(func(label, before, after int) bool { return r.about(label, pick(before, after, side)) })
	counted := c.sum(func(label, before, after int) bool {
		d := pick(before, after, side)
		return r.about(label, d) && r.count(label, d)
	})
	return ratio(counted.Weight, about.Weight), about.Rows
}

// newGroup returns what changed for some people.
func newGroup(spec, name string, c *Counts) Group {
	g := Group{Group: spec, Name: name, Rows: c.sum(func(int, int, int) bool { return true }).Rows}
	for k := range rates {
		r := &rates[k]
		*r.of(&g.Before), _ = r.value(c, 0)
		*r.of(&g.After), _ = r.value(c, 1)
	}
	g.Positives = c.sum(func(label, _, _ int) bool { return label == 1 }).Rows
	g.ToPositive = c.sum(func(_, before, after int) bool { return before < after }).Rows
	g.ToNegative = c.sum(func(_, before, after int) bool { return before > after }).Rows
	return g
}

// Changed returns the number of people whose decision changed.
func (g *Group) Changed() int { return g.ToPositive + g.ToNegative }

// Most returns so many groups at most: of more, those in which the decisions about most people changed.
func (c *Changes) Most(n int) []Group {
	groups := slices.Clone(c.People.Groups)
	if len(groups) > n {
		slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(b.Changed(), a.Changed()) })
		groups = groups[:n]
	}
	return groups
}

// HideLabels takes out what is known of labels.
func (g *Group) HideLabels() {
	g.Positives = 0
	for _, side := range []*Rates{&g.Before, &g.After} {
		for k := range rates {
			if rates[k].name != "selection_rate" {
				*rates[k].of(side) = fairness.Undefined()
			}
		}
	}
}

// Bounded are the rates that constraints bound, by the specification of their groups.
type Bounded map[string][]string

// Judge returns what the counts of rows of a role say.
func (t *Table) Judge(role string, bounded Bounded) Changes {
	people := &People{role, newGroup("", "", &t.All), []Group{}}
	effects := []SideEffect{}
	for k := range t.Groups {
		of := &t.Groups[k]
		for g, name := range of.Names {
			people.Groups = append(people.Groups, newGroup(of.Spec, name, &of.Of[g]))
		}
		for i := range rates {
			if r := &rates[i]; !slices.Contains(bounded[of.Spec], r.name) {
				effects = append(effects, r.compare(of))
			}
		}
	}
	correctForMany(effects)
	return Changes{people, effects}
}

// Worse are the side effects beyond chance.
func (c *Changes) Worse() []SideEffect {
	return slices.DeleteFunc(slices.Clone(c.SideEffects), func(e SideEffect) bool { return !e.Worse })
}

// Rounded returns what a file may say of training rows: of 200 groups at most, those in which the
// decisions about most people changed, but nothing of groups of fewer people than least, nor rates of
// people of one label if these are fewer. Shares are rounded to three digits behind the point,
// differences of groups to four, numbers of people to multiples of least.
func (c *Changes) Rounded(least int) *Changes {
	group := func(g Group) Group {
		if min(g.Positives, g.Rows-g.Positives) < least {
			g.HideLabels()
		}
		for _, side := range []*Rates{&g.Before, &g.After} {
			for k := range rates {
				v := rates[k].of(side)
				*v = digits(*v, 3)
			}
		}
		for _, n := range []*int{&g.Rows, &g.Positives, &g.ToPositive, &g.ToNegative} {
			*n = least * ((*n + least/2) / least)
		}
		return g
	}
	if c.People == nil { // nobody is compared
		return c
	}
	to := &Changes{&People{c.People.Role, group(c.People.All), []Group{}}, []SideEffect{}}
	for _, g := range c.Most(200) {
		if g.Rows >= least {
			to.People.Groups = append(to.People.Groups, group(g))
		}
	}
	for _, e := range c.SideEffects {
		e.Before, e.After, e.SE = digits(e.Before, 4), digits(e.After, 4), digits(e.SE, 4)
		e.P = fairness.Undefined() // whose last digits are those of a machine
		e.Without = nil
		to.SideEffects = append(to.SideEffects, e)
	}
	return to
}

// digits rounds to so many digits behind the point.
func digits(v fairness.Value, n int) fairness.Value {
	unit := math.Pow10(n)
	return fairness.Value(math.Round(float64(v)*unit) / unit)
}
