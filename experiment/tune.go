package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/fairtrain/fairtrain/results"
)

// Scored is a choice of a method's options with its score. The score is the mean over the
// tuning seeds of the KKT residual in the last tenth of the budget. An average over five
// points depends less on luck than the last iterate. A run that diverged, or ended above the
// objective of the start, counts as +Inf: far out all scores saturate, gradients and residual
// vanish, but nothing is solved. So do options with which the method can't run.
type Scored struct {
	Options map[string]any
	Score   float64
	Given   bool   // the method's own options
	Fault   string // why the method can't run with them
}

// Tuning is the outcome for one method, best candidate first.
type Tuning struct {
	Method     MethodSpec
	Candidates []Scored
}

// Tune spends the preset's tuning effort on every method with one of the given labels, on all if
// there are none: the same number of candidates, fewer only if its grid has fewer, each run on the
// same tuning seeds. No tuning seed is a reported seed. The first candidate is the method's own
// options. Half of the candidates are drawn from the method's grid. The others, in rounds, are
// neighbours in the grid of the best so far. The ten best, or nine and the own options, are then
// scored once more, on four times as many further seeds, because the best of many noisy scores owes
// most to luck. A candidate is a cell of the folder of results.
func Tune(ctx context.Context, p *Preset, only []string, s Settings) ([]Tuning, error) {
	methods, err := p.labelled(only)
	if err != nil {
		return nil, err
	}
	in, err := newInstance(p.Problem)
	if err != nil {
		return nil, err
	}
	if err := in.checkMemory(s.Jobs); err != nil {
		return nil, err
	}
	grids := map[string]map[string][]any{}
	for _, m := range p.Methods {
		grids[m.Label] = m.Grid
	}
	plan := Plan{Kind: results.Tuning, Spec: map[string]any{"preset": p, "tune": p.Tune, "grids": grids}, Data: in.files()}
	size := len(methods) * (p.Tune.Candidates + min(finalists, p.Tune.Candidates))
	if plan.Job, err = newJob(p, in); err != nil {
		return nil, err
	}
	var tunings []Tuning
	_, err = inFolder(plan, s, size, func(r *runner) error {
		t := &tuner{p: p, runner: r}
		for _, m := range methods {
			candidates, err := t.tune(ctx, m)
			if err != nil {
				return err
			}
			tunings = append(tunings, Tuning{Method: m, Candidates: candidates})
		}
		return nil
	})
	return tunings, err
}

const (
	finalists = 10 // are scored a second time
	further   = 4  // times as many seeds as before
)

// lastSeed is the last seed that tuning uses.
func (s TuneSpec) lastSeed() uint64 { return s.FirstSeed + uint64(s.Seeds)*(1+further) - 1 }

type tuner struct {
	p      *Preset
	runner *runner
}

// tune returns a method's candidates, the best first.
func (t *tuner) tune(ctx context.Context, m MethodSpec) ([]Scored, error) {
	const rounds, parents = 4, 3
	g := newGrid(m, t.p.Tune.FirstSeed)
	n := t.p.Tune.Candidates
	candidates := append(g.given(m), g.draw(n-n/2-1, func() map[string]any { return g.random() })...)
	if err := t.score(ctx, m, candidates, t.p.Tune.FirstSeed, t.p.Tune.Seeds); err != nil {
		return nil, err
	}
	for round := range rounds {
		size := n / 2 * (round + 1) / rounds
		size -= n / 2 * round / rounds
		best := candidates[:min(parents, len(candidates))]
		next := g.draw(size, func() map[string]any { return g.neighbour(best[g.r.IntN(len(best))].Options) })
		if err := t.score(ctx, m, next, t.p.Tune.FirstSeed, t.p.Tune.Seeds); err != nil {
			return nil, err
		}
		candidates = append(candidates, next...)
		slices.SortStableFunc(candidates, func(a, b Scored) int { return cmp.Compare(a.Score, b.Score) })
	}
	seeds := t.p.Tune
	last := candidates[:min(finalists, len(candidates))]
	// The given options are always among the last, so that none worse than these is chosen.
	if given := slices.IndexFunc(candidates, func(c Scored) bool { return c.Given }); given >= len(last) {
		end := len(last) - 1
		candidates[end], candidates[given] = candidates[given], candidates[end]
	}
	return candidates, t.score(ctx, m, last, seeds.FirstSeed+uint64(seeds.Seeds), further*seeds.Seeds)
}

// score fills in the scores and sorts the candidates by them.
func (t *tuner) score(ctx context.Context, m MethodSpec, candidates []Scored, firstSeed uint64, seeds int) error {
	var list []Cell
	for _, candidate := range candidates {
		part := scorePart{m.Label, candidate.Options, firstSeed, seeds}
		name, err := t.p.candidate(part)
		if err != nil {
			return err
		}
		list = append(list, Cell{Name: name, Parts: []any{part}})
	}
	if err := t.runner.do(ctx, list); err != nil {
		return err
	}
	for i, c := range list {
		run, _ := t.runner.store.Run(c.Name)
		candidates[i].Score, candidates[i].Fault = float64(run.Score), run.Error
	}
	slices.SortStableFunc(candidates, func(a, b Scored) int { return cmp.Compare(a.Score, b.Score) })
	return nil
}

// candidate is the name of the cell of a candidate.
func (p *Preset) candidate(part scorePart) (string, error) {
	m := p.method(part.Label).with(part.Options)
	spec := map[string]any{"problem": p.Problem, "budget": p.Run.Budget, "method": m, "seeds": part.Seeds}
	return results.Cell(part.Label, part.FirstSeed, 0, spec)
}

// score runs a candidate from all seeds. It returns the run from the first seed, with the score
// over all seeds. The run has only the points from which the score is computed. Options with
// which the method can't run, such as own ones that leave to the problem what it does not
// know, are no error: others may be better.
func (p *opened) score(ctx context.Context, part scorePart) (first results.Run, err error) {
	m := p.method(part.Label).with(part.Options)
	w, err := p.in.open(m.Scale)
	if err != nil {
		return first, err
	}
	name, err := p.candidate(part)
	if err != nil {
		return first, err
	}
	budget := p.Run.Budget
	sum, last := results.Number(0), budget*9/10
	for seed := range part.Seeds {
		run, err := w.trace(ctx, m, RunSpec{Budget: budget, Records: 50}, part.FirstSeed+uint64(seed), last)
		if ctx.Err() != nil {
			return first, ctx.Err()
		}
		if err != nil {
			worst := results.Number(math.Inf(1))
			return results.Run{Cell: name, Method: m.Method, Label: m.Label, Seed: part.FirstSeed, Status: results.Failed, Error: err.Error(), Score: worst}, nil
		}
		run.Points = slices.DeleteFunc(run.Points, func(p results.Point) bool { return p.Constraint == nil })
		sum += results.Number(ending(run))
		if seed == 0 {
			first = run
		}
	}
	sum /= results.Number(part.Seeds)
	first.Cell, first.Score = name, sum
	return first, nil
}

// ending is the mean KKT residual of the points after the start.
func ending(run results.Run) float64 {
	sum, last := 0.0, run.Points[1:]
	for _, p := range last {
		if p.Objective > run.Points[0].Objective || math.IsNaN(p.KKT()) {
			return math.Inf(1)
		}
		sum += p.KKT()
	}
	if len(last) == 0 || run.Status == results.Diverged {
		return math.Inf(1)
	}
	return sum / float64(len(last))
}

// Tuned returns the TOML text of the preset with every tuned method at its best candidate. A
// comment in it says how it came about. It is an error if no candidate of a method can run.
func Tuned(p *Preset, tunings []Tuning) (string, error) {
	q := *p
	q.Methods = slices.Clone(p.Methods)
	var labels []string
	var errs []error
	for _, t := range tunings {
		if fault := t.Candidates[0].Fault; fault != "" { // of the best
			errs = append(errs, fmt.Errorf("%s: no candidate can run: %s", t.Method.Label, fault))
			continue
		}
		m := t.Method.with(t.Candidates[0].Options)
		q.Methods[slices.IndexFunc(q.Methods, func(m MethodSpec) bool { return m.Label == t.Method.Label })] = m
		labels = append(labels, m.Label)
	}
	if errs != nil {
		return "", errors.Join(errs...)
	}
	which := "every method"
	if len(tunings) < len(p.Methods) {
		which = strings.Join(labels, ", ")
	}
	q.About = fmt.Sprintf("The preset %s with the options of %s tuned from at most %d candidates of its grid.", p.Name, which, p.Tune.Candidates)
	var text strings.Builder
	fmt.Fprintf(&text, "# Tuned from the preset %s: for %s the best candidate by the mean KKT residual\n", p.Name, which)
	fmt.Fprintf(&text, "# in the last tenth of the budget, over seeds from %d to %d, none of them reported.\n", p.Tune.FirstSeed, p.Tune.lastSeed())
	for _, t := range tunings {
		given := t.Candidates[slices.IndexFunc(t.Candidates, func(c Scored) bool { return c.Given })]
		own := fmt.Sprintf("with the given options %.4g", given.Score)
		if given.Fault != "" {
			own = "the given options can't run: " + strings.ReplaceAll(given.Fault, "\n", "; ")
		}
		fmt.Fprintf(&text, "#   %-10s %.4g, the best of %d candidates (%s)", t.Method.Label,
			t.Candidates[0].Score, len(t.Candidates), own)
		if ends := atEnds(t.Method.with(t.Candidates[0].Options)); len(ends) > 0 {
			fmt.Fprintf(&text, ", at an end of its grid: %s", strings.Join(ends, ", "))
		}
		text.WriteByte('\n')
	}
	text.WriteByte('\n')
	err := toml.NewEncoder(&text).Encode(&q)
	return text.String(), err
}
