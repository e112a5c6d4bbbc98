package experiment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/fairtrain/fairtrain/internal/jobs"
	"github.com/fairtrain/fairtrain/results"
)

func init() { jobs.Register(job{}, runPart{}, scorePart{}, referencePart{}, results.Run{}, optimum{}) }

// job does the runs of a preset.
type job struct {
	Preset string             // TOML text
	Data   []results.DataFile // that another process must find by the names in the preset

	here *opened // in the process where the experiment began
}

// The parts of the job. The outcome of the first two is a results.Run, of the last one an optimum.
type (
	// runPart is one run of a comparison.
	runPart struct {
		Label string // of the method
		Seed  uint64
	}
	// scorePart is one candidate of a tuning.
	scorePart struct {
		Label     string // of the method
		Options   map[string]any
		FirstSeed uint64
		Seeds     int
	}
	// referencePart is the reference optimum of a comparison.
	referencePart struct{ Residual float64 }
)

// opened is a preset with its data.
type opened struct {
	*Preset
	in *instance
}

func newJob(p *Preset, in *instance) (job, error) {
	text, err := p.TOML()
	return job{text, in.files(), &opened{p, in}}, err
}

// TOML is the text form of a preset.
func (p *Preset) TOML() (string, error) {
	var text strings.Builder
	err := toml.NewEncoder(&text).Encode(p)
	return text.String(), err
}

// Do implements jobs.Job.
func (j job) Do(ctx context.Context, part any) (any, error) {
	p, err := j.open()
	if err != nil {
		return nil, err
	}
	switch part := part.(type) {
	case runPart:
		return p.run(ctx, part)
	case scorePart:
		return p.score(ctx, part)
	}
	return p.in.reference(ctx, part.(referencePart).Residual)
}

// reopened are the presets that this process has made again, with their data.
var reopened jobs.Cache[string, *opened] // by the text

// open returns the preset with its data, which must be those of the process where the experiment
// began.
func (j job) open() (*opened, error) {
	if j.here != nil {
		return j.here, nil
	}
	p, err := reopened.Get(j.Preset, func() (*opened, error) {
		p, err := Parse("of the job", j.Preset)
		if err != nil {
			return nil, err
		}
		in, err := newInstance(p.Problem)
		return &opened{p, in}, err
	})
	if err != nil {
		return nil, err
	}
	for i, here := range p.in.files() {
		if here != j.Data[i] {
			return nil, fmt.Errorf("%s has other rows here (SHA-256 %s) than where the experiment began (%s)", here.Name, here.SHA256, j.Data[i].SHA256)
		}
	}
	return p, nil
}

// method returns the method with a label.
func (p *Preset) method(label string) MethodSpec {
	return p.Methods[slices.IndexFunc(p.Methods, func(m MethodSpec) bool { return m.Label == label })]
}
