package experiment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/fairtrain/fairtrain/internal/cells"
	"github.com/fairtrain/fairtrain/internal/once"
	"github.com/fairtrain/fairtrain/results"
)

// Order has what the cells of a preset need in another process.
type Order struct {
	Preset string             // TOML text
	Data   []results.DataFile // that the process must find by the names in the preset
}

func newOrder(p *Preset, in *instance) (Order, error) {
	text, err := p.TOML()
	return Order{text, in.files()}, err
}

// TOML is the text form of a preset.
func (p *Preset) TOML() (string, error) {
	var text strings.Builder
	err := toml.NewEncoder(&text).Encode(p)
	return text.String(), err
}

// remade are the presets that this process has made again, with their data.
var remade once.Values[string, *remadePreset] // by the text

type remadePreset struct {
	*Preset
	in *instance
}

// remake makes a preset again and checks that its data are the data of the order.
func (o Order) remake() (*remadePreset, error) {
	p, err := remade.Get(o.Preset, func() (*remadePreset, error) {
		p, err := Parse("of the order", o.Preset)
		if err != nil {
			return nil, err
		}
		in, err := newInstance(p.Problem)
		return &remadePreset{p, in}, err
	})
	if err != nil {
		return nil, err
	}
	for i, here := range p.in.files() {
		if here != o.Data[i] {
			return nil, fmt.Errorf("%s has other rows here (SHA-256 %s) than where the experiment began (%s)", here.Name, here.SHA256, o.Data[i].SHA256)
		}
	}
	return p, nil
}

// method returns the method with a label.
func (p *Preset) method(label string) MethodSpec {
	return p.Methods[slices.IndexFunc(p.Methods, func(m MethodSpec) bool { return m.Label == label })]
}

// RunOrder is one run of a comparison.
type RunOrder struct {
	Order
	Label string // of the method
	Seed  uint64
}

// Cell implements cells.Order.
func (o RunOrder) Cell(context.Context) (cells.Cell, error) {
	p, err := o.remake()
	if err != nil {
		return cells.Cell{}, err
	}
	return p.cell(p.in, p.method(o.Label), o.Seed, o.Order)
}

// ScoreOrder is one candidate of a tuning.
type ScoreOrder struct {
	Order
	Label     string // of the method
	Options   map[string]any
	FirstSeed uint64
	Seeds     int
}

// Cell implements cells.Order.
func (o ScoreOrder) Cell(context.Context) (cells.Cell, error) {
	p, err := o.remake()
	if err != nil {
		return cells.Cell{}, err
	}
	t := &tuner{in: p.in, p: p.Preset, order: o.Order}
	return t.cell(p.method(o.Label), o.Options, o.FirstSeed, o.Seeds)
}

// ReferenceOrder is the reference optimum of a comparison.
type ReferenceOrder struct{ Order }

// Cell implements cells.Order.
func (o ReferenceOrder) Cell(context.Context) (cells.Cell, error) {
	p, err := o.remake()
	if err != nil {
		return cells.Cell{}, err
	}
	return *p.in.reference(o.Order), nil
}
