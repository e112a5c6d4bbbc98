package passes

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"github.com/fairtrain/fairtrain/internal/jobs"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/fairtrain/fairtrain/beam/files"
	"github.com/fairtrain/fairtrain/beam/shards"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/model"
)

func init() {
	register.DoFn2x0[shards.Shard, func(int, []byte)](&Evaluate{})
	register.Emitter2[int, []byte]()
	register.DoFn2x1[int, func(*[]byte) bool, error](&Collect{})
	register.Iter1[[]byte]()
}

// answer is what a shard answers.
type answer struct {
	First   int     // of its rows
	Replies []reply // to each question
	// Fault is what is wrong with the shard, if anything. It is no error, because nothing would
	// be gained if the runner tried again.
	Fault string
}

// Evaluate answers the questions of a job for whole shards.
type Evaluate struct {
	Questions []byte // encoded

	questions []question
}

// Setup decodes the questions.
func (f *Evaluate) Setup() error {
	return gob.NewDecoder(bytes.NewReader(f.Questions)).Decode(&f.questions)
}

// ProcessElement answers for one shard. All answers have the same key, because one worker collects
// them.
func (f *Evaluate) ProcessElement(s shards.Shard, emit func(int, []byte)) {
	a := answer{First: s.First}
	for _, q := range f.questions {
		r, err := replyTo(s, q)
		if err != nil {
			a.Fault = err.Error()
			break
		}
		a.Replies = append(a.Replies, r)
	}
	emit(0, encoded(a))
}

func replyTo(s shards.Shard, q question) (r reply, err error) {
	if q.Survey != nil {
		r.Found, err = q.Survey.Of(s.Path)
		return r, err
	}
	if q.Draw != nil {
		r.Sample, err = q.Draw.From(s)
		return r, err
	}
	d, err := opened(s)
	if err != nil {
		return r, err
	}
	if q.Count != nil {
		r.Counted, err = q.Count.Of(d)
		return r, err
	}
	if q.Judge != nil {
		r.Judged, err = q.Judge.Answer(d)
		return r, err
	}
	local, err := model.NewLocal(q.Plan, d, s.First)
	if err != nil {
		return r, err
	}
	r.Parts = local.Evaluate(q.X)
	return r, nil
}

// loaded are the shards that this worker has opened and checked, which stay mapped.
var loaded jobs.Cache[shards.Shard, *dataset.Dataset]

func opened(s shards.Shard) (*dataset.Dataset, error) { return loaded.Get(s, s.Load) }

// Collect writes the answers of a job to a file, in the order of the shards.
type Collect struct{ Path string }

// ProcessElement writes the answers. A runner that does it again writes the same.
func (f *Collect) ProcessElement(_ int, each func(*[]byte) bool) error {
	var answers []answer
	for text := []byte(nil); each(&text); {
		var a answer
		if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&a); err != nil {
			return err
		}
		answers = append(answers, a)
	}
	slices.SortFunc(answers, func(a, b answer) int { return cmp.Compare(a.First, b.First) })
	return files.Write(f.Path, encoded(answers))
}
