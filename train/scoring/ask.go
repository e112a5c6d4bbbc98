package scoring

import (
	"maps"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/fairness"
	"github.com/fairtrain/fairtrain/internal/jobs"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train/decide"
)

func init() {
	jobs.Register(columns{}, &classifier.Columns{}, &figures{}, &figured{}, counts{}, &counted{},
		&spread{}, &Spreading{})
}

// by is the classifier that a question is about.
type by struct {
	Weights              []float64
	Intercept, Threshold float64
}

func byOf(c *classifier.Classifier) by { return by{c.Weights, c.Intercept, c.Threshold} }

// score scores rows.
func (b by) score(d *dataset.Dataset) (*Scored, error) {
	return New(&classifier.Classifier{
		Features: classifier.Features{Count: len(b.Weights)}, Weights: b.Weights, Intercept: b.Intercept, Threshold: b.Threshold,
	}, d)
}

// columns asks for what is known of the columns of rows.
type columns struct{ Wanted bool }

// Of implements shards.Question.
func (columns) Of(d *dataset.Dataset, _ int) (any, error) {
	columns := classifier.Columns(d.X.Columns())
	return &columns, nil
}

// ColumnsOf returns what is known of the columns of all rows.
func ColumnsOf(rows *shards.Rows) (classifier.Columns, error) {
	all, err := shards.Sum[*classifier.Columns](rows, columns{true})
	if err != nil {
		return nil, err
	}
	return *all, nil
}

// figures asks for right decisions, and for sums over strata.
type figures struct {
	By     by
	Strata []summed
	Groups []string // of Binned
	Binned bool     // rows are wanted by group
}

// summed are strata whose rows are added up.
type summed struct {
	dataset.Groups
	Number            []int // which of figures.Groups these are; nil for none
	Scores, Decisions bool  // are to be added up
}

// figured is the answer of some rows.
type figured struct {
	Weight, Right    float64     // of all rows, and of right decisions
	Scores, Positive [][]float64 // sums of scores, and positive decisions, by stratum of each of figures.Strata
	Binned           *fairness.Binned
}

// Add adds other rows.
func (a *figured) Add(b *figured) {
	a.Weight += b.Weight
	a.Right += b.Right
	for k := range a.Scores {
		floats.Add(a.Scores[k], b.Scores[k])
		floats.Add(a.Positive[k], b.Positive[k])
	}
	if a.Binned != nil {
		if err := a.Binned.Merge(b.Binned); err != nil {
			panic(err) // of the same groups
		}
	}
}

// Of implements shards.Question.
func (q *figures) Of(d *dataset.Dataset, _ int) (any, error) {
	s, err := q.By.score(d)
	if err != nil {
		return nil, err
	}
	groups := &Grouping{Names: q.Groups}
	var all []*dataset.Strata
	for _, id := range q.Strata {
		strata, err := d.StrataOf(id.Groups)
		if err != nil {
			return nil, err
		}
		if id.Number != nil {
			groups.Add(strata, id.Number)
		}
		all = append(all, strata)
	}
	return q.of(s, groups, all), nil
}

// nothing is the answer of no rows.
func (q *figures) nothing(strata []*dataset.Strata) *figured {
	a := new(figured)
	for k, id := range q.Strata {
		size := func(wanted bool) int {
			if wanted {
				return strata[k].Len()
			}
			return 0
		}
		a.Scores, a.Positive = append(a.Scores, make([]float64, size(id.Scores))), append(a.Positive, make([]float64, size(id.Decisions)))
	}
	return a
}

// of returns the answer of rows with scores.
func (q *figures) of(s *Scored, groups *Grouping, strata []*dataset.Strata) *figured {
	parts := [decide.Parts]*figured{}
	s.InParts(func(part, lo int, scores []float64) {
		if parts[part] == nil {
			parts[part] = q.nothing(strata)
		}
		a := parts[part]
		var space [AtOnce]float64
		decisions, right, all := decide.Decisions(space[:len(scores)], scores, s.by.Threshold), a.Right, a.Weight
		for k := range decisions {
			weight := s.data.Weight(lo + k)
			all += weight
			if (decisions[k] == 1) == (s.data.Y[lo+k] > 0) {
				right += weight
			}
		}
		a.Right, a.Weight = right, all
		for k, id := range q.Strata {
			if id.Scores {
				strata[k].Add(a.Scores[k], scores, lo)
			}
			if id.Decisions {
				strata[k].Add(a.Positive[k], decisions, lo)
			}
		}
	})
	sum := q.nothing(strata)
	for _, a := range parts {
		if a != nil {
			sum.Add(a)
		}
	}
	if q.Binned {
		sum.Binned = s.binned(groups)
	}
	return sum
}

// Figures are those of all rows.
type Figures struct {
	Binned *fairness.Binned // by group; nil unless they were asked for
	Right  float64          // share of right decisions, by weight
	Totals []model.Totals   // of requirements; nil for nil
}

// Figures returns the figures of requirements, some of which may be nil, and of groups, unless
// these are nil.
func (s *Scored) Figures(groups *Grouping, requirements []*model.Requirement) (*Figures, error) {
	q := &figures{By: byOf(s.by)}
	var strata []*dataset.Strata
	id := func(of *dataset.Strata) *summed {
		k := slices.Index(strata, of)
		if k < 0 {
			k = len(strata)
			strata = append(strata, of)
			q.Strata = append(q.Strata, summed{Groups: of.ID()})
		}
		return &q.Strata[k]
	}
	if groups != nil {
		q.Groups, q.Binned = groups.Names, true
		for _, of := range groups.of {
			if id(of.strata).Number == nil { // the same strata again have no other groups
				id(of.strata).Number = of.number
			}
		}
	}
	for _, r := range requirements {
		if r == nil {
			continue
		}
		for _, of := range r.Strata() {
			id(of).Scores = id(of).Scores || r.On == model.Scores
			id(of).Decisions = id(of).Decisions || r.On != model.Scores
		}
	}
	var all *figured
	if s.shards == nil {
		all = q.of(s, groups, strata)
	} else {
		var err error
		if all, err = shards.Sum[*figured](s.shards, q); err != nil {
			return nil, err
		}
	}
	// at most 1, as sums of the same weights are rounded alike
	f := &Figures{Binned: all.Binned, Right: all.Right / all.Weight}
	for _, r := range requirements {
		if r == nil {
			f.Totals = append(f.Totals, nil)
			continue
		}
		totals, sums := r.Totals(), all.Scores
		if r.On != model.Scores {
			sums = all.Positive
		}
		for of, total := range totals { // in the units of the sample, in which requirements are stated
			floats.ScaleTo(total, float64(s.data.Rows())/float64(s.data.All()), sums[slices.Index(strata, of)])
		}
		f.Totals = append(f.Totals, totals)
	}
	return f, nil
}

// counts asks how many rows of each label are in the groups of a specification.
type counts struct{ Spec string }

// counted are these numbers by the name of the group, "" for none: of the labels −1 and +1.
type counted map[string][2]int

// Add adds other rows.
func (a *counted) Add(b *counted) {
	for name, more := range *b {
		n := (*a)[name]
		(*a)[name] = [2]int{n[0] + more[0], n[1] + more[1]}
	}
}

// Of implements shards.Question.
func (q counts) Of(d *dataset.Dataset, _ int) (any, error) {
	strata, err := d.StrataAs(q.Spec, nil)
	if err != nil {
		return nil, err
	}
	a := counted{}
	for g, name := range append(slices.Clone(strata.Names), "") {
		a[name] = [2]int{strata.Size(2 * g), strata.Size(2*g + 1)}
	}
	return &a, nil
}

// Groups returns the rows by the groups of a specification, and the number of rows of each stratum.
// If the rows are a sample, the strata are those of the sample, with the names of the groups of all
// rows.
func (s *Scored) Groups(spec string) (strata *dataset.Strata, sizes []int, err error) {
	if s.shards == nil {
		if strata, err = s.data.Strata(spec); err != nil {
			return nil, nil, err
		}
		for k := range strata.Len() {
			sizes = append(sizes, strata.Size(k))
		}
		return strata, sizes, nil
	}
	all, err := shards.Sum[*counted](s.shards, counts{spec})
	if err != nil {
		return nil, nil, err
	}
	names := slices.DeleteFunc(slices.Collect(maps.Keys(*all)), func(name string) bool { return name == "" })
	names = s.data.Order(spec, names)
	if strata, err = s.data.StrataAs(spec, names); err != nil {
		return nil, nil, err
	}
	for _, name := range append(slices.Clone(strata.Names), "") {
		n := (*all)[name]
		if sizes = append(sizes, n[0], n[1]); name == "" {
			break
		}
		if err := dataset.CheckGroup(s.data.Name, name, n[0]+n[1], s.data.All()); err != nil {
			return nil, nil, err
		}
	}
	return strata, sizes, nil
}
