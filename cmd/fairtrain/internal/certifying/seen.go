package certifying

import (
	"fmt"
	"sync"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/ledger"
)

// Judged are rows on which a model is judged beside training, and what they are called.
type Judged struct {
	Rows  *dataset.Dataset
	Which string
}

// Seen says, in sentences, if judged rows are training rows, or other rows of the people, that a model is trained on.
// Such rows tell nothing about other people. Where rows are elsewhere it says nothing.
func Seen(training *dataset.Dataset, list ...Judged) (remarks []string) {
	trained := sync.OnceValue(func() ledger.Features { return byContent(training) })
	for _, j := range list {
		if j.Rows == nil || training.SampleOf > 0 || j.Rows.SampleOf > 0 {
			continue
		}
		if j.Rows == training {
			remarks = append(remarks, fmt.Sprintf("The %s rows are the training rows: what is said of them says little about other people.", j.Which))
			continue
		}
		judged := byContent(j.Rows)
		share, same := judged.Overlaps(trained())
		switch _, repeated := judged.RepeatedWith(trained()); {
		case same:
			remarks = append(remarks, fmt.Sprintf("About %.0f %% of the %s rows are training rows: what is said of them says little about other people.", 100*share, j.Which))
		case repeated:
			remarks = append(remarks, fmt.Sprintf("The training and %s rows repeat each other more evenly than by chance: if these are several rows of the same people, what is said of the %[1]s rows says little about other people.", j.Which))
		}
	}
	return remarks
}

// byContent returns who rows are by their features and labels. All that are compared have the same features.
func byContent(d *dataset.Dataset) ledger.Features {
	return ledger.Features{Encoding: "of the run", Rows: ledger.NewSketch(d.Rows(), dataset.Identities(d))}
}
