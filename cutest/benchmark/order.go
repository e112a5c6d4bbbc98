package benchmark

import (
	"context"
	"fmt"
	"slices"

	"github.com/fairtrain/fairtrain/experiment"
	"github.com/fairtrain/fairtrain/internal/cells"
)

// Order is a cell for another process: a method on a problem, with all its candidates.
type Order struct {
	Preset     string // TOML text
	Candidates int    // of the Runner

	Problem, Source, SHA256 string // of the Instance; SHA256 is empty if it is built in
	Label                   string // of the method
}

func newOrder(r *Runner) (Order, error) {
	text, err := r.Preset.TOML()
	return Order{Preset: text, Candidates: r.Candidates}, err
}

// Cell implements cells.Order.
func (o Order) Cell(context.Context) (cells.Cell, error) {
	preset, err := experiment.Parse("of the order", o.Preset)
	if err != nil {
		return cells.Cell{}, err
	}
	preset.Methods = slices.DeleteFunc(preset.Methods, func(m experiment.MethodSpec) bool { return m.Label != o.Label })
	instance, err := o.instance()
	if err != nil {
		return cells.Cell{}, err
	}
	r := Runner{Preset: preset, Candidates: o.Candidates}
	list, err := r.cells(instance)
	if err != nil {
		return cells.Cell{}, err
	}
	return list[0].plan(o), nil
}

// instance loads the problem.
func (o Order) instance() (*Instance, error) {
	if o.SHA256 != "" {
		i, err := loadFile(o.Source, officialSizes())
		if err == nil && i.file.SHA256 != o.SHA256 {
			err = fmt.Errorf("%s is another file here (SHA-256 %s) than where the experiment began (%s)", o.Source, i.file.SHA256, o.SHA256)
		}
		return i, err
	}
	all, err := BuiltIn()
	if err != nil {
		return nil, err
	}
	if k := slices.IndexFunc(all, func(i *Instance) bool { return i.Name == o.Problem && o.Source == builtIn }); k >= 0 {
		return all[k], nil
	}
	return nil, fmt.Errorf("problem %s (%s) is not built in", o.Problem, o.Source)
}
