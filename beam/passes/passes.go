// Package passes evaluates rows in shards with pipelines of Apache Beam.
//
//	Passes    the driver's side: questions of methods, answered by one job at a time, this file
//	kept      answers for a run that goes on after this one, kept.go
//	Evaluate  the workers' side, worker.go
package passes

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/fairtrain/fairtrain/beam/files"
	"github.com/fairtrain/fairtrain/beam/shards"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// Passes evaluates all rows of shards. It implements scoring.Places. Starting a job takes time, and
// so questions that come while a job runs are answered together by the next one.
type Passes struct {
	shards []shards.Shard
	dir    string
	name   string // of its files there
	kept   kept

	mu      sync.Mutex
	waiting []*question
	busy    bool
	jobs    int
}

// question is one of these.
type question struct {
	Plan   *model.Plan // to be evaluated at X
	X      []float64
	Judge  *scoring.Question
	Survey *shards.Survey // of shards of which nothing but the path is known
	Draw   *shards.Draw
	Count  *scoring.Count

	done    chan struct{}
	replies []reply // of the shards, in their order
	err     error
}

// reply is what a shard replies to a question.
type reply struct {
	Parts   []model.Part
	Judged  *scoring.Answer
	Found   *shards.Found
	Sample  string // path of the rows drawn, empty for none
	Counted *scoring.Counted
}

// New returns passes over shards. Workers leave their answers in the folder dir, which they must
// share with the driver. In the folder kept, unless it is empty, answers stay for a run that goes on
// after this one.
func New(shards []shards.Shard, dir, kept string) *Passes {
	return &Passes{shards: shards, dir: dir, name: rand.Text(), kept: newKept(kept, shards)}
}

// Open returns the shards that match a pattern, and their rows or a sample of them. Jobs look at the
// files.
func Open(pattern string, s shards.Sample) ([]shards.Shard, catalogue.Input, error) {
	return s.Open(pattern, first{s.Dir})
}

// first are jobs before there are passes.
type first struct{ dir string }

func (f first) ask(list []shards.Shard, q *question) (replies []reply, err error) {
	answers, err := New(list, f.dir, "").insist([]*question{q})
	for _, a := range answers {
		replies = append(replies, a.Replies[0])
	}
	return replies, err
}

// Survey implements shards.Asker.
func (f first) Survey(list []shards.Shard, s *shards.Survey) (found []*shards.Found, err error) {
	replies, err := f.ask(list, &question{Survey: s})
	for _, r := range replies {
		found = append(found, r.Found)
	}
	return found, err
}

// Draw implements shards.Asker.
func (f first) Draw(list []shards.Shard, d *shards.Draw) (paths []string, err error) {
	replies, err := f.ask(list, &question{Draw: d})
	for _, r := range replies {
		paths = append(paths, r.Sample)
	}
	return paths, err
}

// Jobs returns the number of jobs so far.
func (p *Passes) Jobs() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.jobs
}

// Done says what was done.
func (p *Passes) Done() string { return fmt.Sprintf("%d jobs", p.Jobs()) }

// Where says where the rows are.
func (p *Passes) Where() string {
	where := fmt.Sprintf("%d shards", len(p.shards))
	if slices.ContainsFunc(p.shards, func(s shards.Shard) bool { return s.First%model.LeafRows != 0 }) {
		where += fmt.Sprintf(" (not all cut at multiples of %d rows: other cuts change the last bits of sums)", model.LeafRows)
	}
	return where
}

// Evaluate returns the sums over all rows.
func (p *Passes) Evaluate(plan *model.Plan, x []float64) (parts []model.Part, err error) {
	replies, err := p.ask(&question{Plan: plan, X: x})
	for _, r := range replies {
		parts = append(parts, r.Parts...)
	}
	return parts, err
}

// Judge returns the answers of all shards.
func (p *Passes) Judge(judge *scoring.Question) (answers []*scoring.Answer, err error) {
	replies, err := p.ask(&question{Judge: judge})
	for _, r := range replies {
		answers = append(answers, r.Judged)
	}
	return answers, err
}

// Count returns what all shards say about groups.
func (p *Passes) Count(q *scoring.Count) (answers []*scoring.Counted, err error) {
	replies, err := p.ask(&question{Count: q})
	for _, r := range replies {
		answers = append(answers, r.Counted)
	}
	return answers, err
}

// ask returns the replies to a question.
func (p *Passes) ask(q *question) ([]reply, error) {
	if replies, err := p.kept.find(q); replies != nil || err != nil {
		return replies, err
	}
	q.done = make(chan struct{})
	p.mu.Lock()
	p.waiting = append(p.waiting, q)
	if !p.busy {
		p.busy = true
		go p.answer()
	}
	p.mu.Unlock()
	<-q.done
	return q.replies, q.err
}

// answer runs jobs until nobody waits.
func (p *Passes) answer() {
	for {
		p.mu.Lock()
		questions := p.waiting
		p.waiting = nil
		p.busy = len(questions) > 0
		p.mu.Unlock()
		if len(questions) == 0 {
			return
		}
		began := time.Now()
		answers, err := p.insist(questions)
		took := time.Since(began)
		p.mu.Lock()
		expected := len(p.waiting) + len(questions)
		p.mu.Unlock()
		for k, q := range questions {
			q.err = err
			for _, a := range answers {
				q.replies = append(q.replies, a.Replies[k])
			}
			if err == nil {
				q.err = p.kept.keep(q)
			}
			close(q.done)
		}
		p.gather(expected, took/10)
	}
}

// gather waits for so many questions, for some time at most: who was answered soon asks again, and one
// job then answers what two would otherwise in turn.
func (p *Passes) gather(expected int, most time.Duration) {
	for began := time.Now(); time.Since(began) < most; time.Sleep(time.Millisecond) {
		p.mu.Lock()
		n := len(p.waiting)
		p.mu.Unlock()
		if n >= expected {
			return
		}
	}
}

// attempts is how often a job is tried. Runners give up a job when too many workers die.
const attempts = 3

// insist answers questions with one job, or with another one if it fails. A job leaves all of its
// answers or none, and only those of one job are read: nothing is counted twice.
func (p *Passes) insist(questions []*question) (answers []answer, err error) {
	for range attempts {
		p.mu.Lock()
		p.jobs++
		path := files.Join(p.dir, fmt.Sprintf("pass-%s-%06d.gob", p.name, p.jobs))
		p.mu.Unlock()
		answers, err = p.run(questions, path)
		if _, wrong := errors.AsType[fault](err); err == nil || wrong {
			break
		}
	}
	return answers, err
}

// fault is what is wrong with a shard. Nothing would be gained if a job were tried again.
type fault string

func (f fault) Error() string { return string(f) }

// Quiet keeps Beam from logging what it does: it logs every job.
func Quiet() {
	log.SetOutput(io.Discard)
	slog.SetDefault(slog.New(slog.DiscardHandler))
}

// run answers questions with one job.
func (p *Passes) run(questions []*question, path string) ([]answer, error) {
	pipeline, scope := beam.NewPipelineWithRoot()
	each := beam.Reshuffle(scope, beam.CreateList(scope, p.shards))
	answers := beam.ParDo(scope, &Evaluate{Questions: encoded(questions)}, each)
	beam.ParDo0(scope, &Collect{Path: path}, beam.GroupByKey(scope, answers))
	if err := beamx.Run(context.Background(), pipeline); err != nil {
		return nil, fmt.Errorf("a pass over %d shards: %w", len(p.shards), err)
	}
	return p.read(path)
}

// read reads the answers of a job. Every shard has one.
func (p *Passes) read(path string) ([]answer, error) {
	text, err := files.Read(path)
	if err != nil {
		return nil, fmt.Errorf("the answers of a pass: %w", err)
	}
	if text == nil {
		return nil, fmt.Errorf("the answers of a pass, %s: there is no such file: workers must share the folder with this program", path)
	}
	defer files.Remove(path)
	var answers []answer
	if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&answers); err != nil {
		return nil, fmt.Errorf("the answers of a pass, %s: %w", path, err)
	}
	if len(answers) != len(p.shards) {
		return nil, fmt.Errorf("%d shards were evaluated, expected %d", len(answers), len(p.shards))
	}
	for _, a := range answers {
		if a.Fault != "" {
			return nil, fault(a.Fault)
		}
	}
	return answers, nil
}
