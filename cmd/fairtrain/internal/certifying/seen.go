package certifying

import (
	"fmt"
	"sync"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/ledger"
	"github.com/fairtrain/fairtrain/train"
)

// Seen says, in sentences, if rows on which a model is judged beside training are rows, or other rows of the people,
// that it is trained on. Such rows tell nothing about other people. Where rows are elsewhere it says nothing.
func Seen(o *train.Options) (list []string) {
	if o.Data.SampleOf > 0 {
		return nil
	}
	trained := sync.OnceValue(func() ledger.Features { return byContent(o.Data) })
	look := func(d *dataset.Dataset, which string) {
		if d == nil || d == o.Data || d.SampleOf > 0 {
			return
		}
		judged := byContent(d)
		share, same := judged.Overlaps(trained())
		switch _, repeated := judged.RepeatedWith(trained()); {
		case same:
			list = append(list, fmt.Sprintf("About %.0f %% of the %s rows are training rows: what is said of them says little about other people.", 100*share, which))
		case repeated:
			list = append(list, fmt.Sprintf("The training and %s rows repeat each other more evenly than by chance: if these are several rows of the same people, what is said of the %[1]s rows says little about other people.", which))
		}
	}
	look(o.ValidationData, "validation")
	look(o.TestData, "test")
	return list
}

// byContent returns who rows are by their features and labels. All that are compared have the same features.
func byContent(d *dataset.Dataset) ledger.Features {
	return ledger.Features{Encoding: "of the run", Rows: ledger.NewSketch(d.Rows(), dataset.Identities(d))}
}
