package certifying

import (
	"iter"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/ledger"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// Places have rows that are not here, or a sample of which is here.
type Places interface {
	scoring.Counter
	// Hashes returns those by which a sketch of all rows knows them again.
	Hashes() ([]uint64, error)
}

// Elsewhere returns the rows to test on of a name: all of them or, with the places that have them, a
// sample of none. It returns no rows at all if this program reads that name as others.
type Elsewhere func(c *cli.Context, name string, f classifier.Features) (catalogue.Input, Places, error)

// readElsewhere reads the rows to test on if they may be elsewhere; nil if they may not.
func (k *Test) readElsewhere(p *command.Program, c *cli.Context, f classifier.Features) (*certifiedRows, error) {
	if k.elsewhere == nil {
		return nil, nil
	}
	in, places, err := k.elsewhere(c, k.File, f)
	if err != nil || in.Rows == nil {
		return nil, err
	}
	if err := (input.Reader{Program: p, Flags: c, Features: f}).CheckEncoding(k.File, in); err != nil {
		return nil, err
	}
	ids, err := identities(in, places)
	if err != nil {
		return nil, err
	}
	return &certifiedRows{data: in.Rows, places: places, width: f.Count, views: []ledger.Sketch{ledger.NewSketch(in.Rows.All(), ids)}}, nil
}

// identities returns those of rows, or as many as a sketch keeps if places have the rows.
func identities(in catalogue.Input, places Places) (iter.Seq[uint64], error) {
	if in.Rows != nil && in.Rows.SampleOf > 0 {
		hashes, err := places.Hashes()
		return slices.Values(hashes), err
	}
	return in.Identified()
}

// groups returns the names of the groups that the rows have, by specification. It fails if the rows
// can't be evidence.
func (r *certifiedRows) groups(requirements []guarantee.Requirement) (map[string][]string, error) {
	names := map[string][]string{}
	if r.places == nil {
		if err := scoring.CheckEvidence(r.data, requirements); err != nil {
			return nil, err
		}
		for _, spec := range guarantee.GroupsOf(requirements) {
			strata, err := r.data.Strata(spec)
			if err != nil {
				return nil, err
			}
			names[spec] = strata.Names
		}
		return names, nil
	}
	anybody := &classifier.Classifier{Weights: make([]float64, r.width)}
	added, err := scoring.CountElsewhere(r.places, r.data, anybody, requirements)
	if err != nil {
		return nil, err
	}
	for spec, g := range added.Groups {
		names[spec] = g.Names
	}
	return names, nil
}

// by returns what the rows say about requirements by the scores of a classifier.
func (r *certifiedRows) by(c *classifier.Classifier, requirements []guarantee.Requirement) (guarantee.Rows, error) {
	if r.places != nil {
		return scoring.CountElsewhere(r.places, r.data, c, requirements)
	}
	scored, err := scoring.New(c, r.data)
	if err != nil {
		return nil, err
	}
	return scored.Evidence(requirements)
}
