package benchmark

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fairtrain/fairtrain/experiment"
	"github.com/fairtrain/fairtrain/internal/jobs"
	"github.com/fairtrain/fairtrain/results"
)

func init() { jobs.Register(trials{}, trialPart{}, results.Trial{}) }

// trials tries candidates. Its parts are trialParts, and their outcomes results.Trials.
type trials struct {
	Preset     string // TOML text
	Candidates int    // of the Runner

	here map[string]*cell // by their keys, in the process where the experiment began
}

// trialPart is a candidate of a cell.
type trialPart struct {
	Cell      cellID
	Candidate int
}

// cellID is a method on a problem.
type cellID struct {
	Problem, Source, SHA256 string // of the Instance; SHA256 is empty if it is built in
	Label                   string // of the method
}

func (id cellID) key() string {
	return strings.Join([]string{id.Source, id.SHA256, id.Problem, id.Label}, "\n")
}

// Do implements jobs.Job.
func (t trials) Do(ctx context.Context, part any) (any, error) {
	p := part.(trialPart)
	c := t.here[p.Cell.key()]
	if c == nil {
		var err error
		if c, err = reopened.Get(t.Preset+p.Cell.key(), func() (*cell, error) { return t.open(p.Cell) }); err != nil {
			return nil, err
		}
	}
	return c.try(ctx, p.Candidate)
}

// reopened are the cells that this process has made again.
var reopened jobs.Cache[string, *cell]

// open makes a cell again.
func (t trials) open(id cellID) (*cell, error) {
	preset, err := experiment.Parse("of the job", t.Preset)
	if err != nil {
		return nil, err
	}
	preset.Methods = slices.DeleteFunc(preset.Methods,
		func(m experiment.MethodSpec) bool { return m.Label != id.Label })
	instance, err := id.instance()
	if err != nil {
		return nil, err
	}
	list, err := (&Runner{Preset: preset, Candidates: t.Candidates}).cells(instance)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// instance loads the problem.
func (id cellID) instance() (*Instance, error) {
	if id.SHA256 != "" {
		i, err := loadFile(id.Source, officialSizes())
		if err == nil && i.file.SHA256 != id.SHA256 {
			err = fmt.Errorf("%s is another file here (SHA-256 %s) than where the experiment began (%s)", id.Source, i.file.SHA256, id.SHA256)
		}
		return i, err
	}
	all, err := BuiltIn()
	if err != nil {
		return nil, err
	}
	if k := slices.IndexFunc(all, func(i *Instance) bool { return i.Name == id.Problem && id.Source == builtIn }); k >= 0 {
		return all[k], nil
	}
	return nil, fmt.Errorf("problem %s (%s) is not built in", id.Problem, id.Source)
}
