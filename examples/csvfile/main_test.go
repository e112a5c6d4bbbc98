// Package csvfile trains a classifier on a CSV file so that women and men are hired at
// rates that differ by at most 0.05, keeps it in a file, and scores new rows with it.
package csvfile

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
)

func Example() {
	// What the schema leaves open is found out from the file. The column sex forms groups
	// and is no feature.
	schema := &tabular.Schema{Label: tabular.LabelSpec{Column: "hired"}}
	people, err := catalogue.LoadTable("people.csv", nil, schema.Protect([]string{"sex"}), tabular.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range people.Schema.Columns {
		fmt.Printf("%s: %s\n", c.Name, c.As)
	}

	o := train.DefaultOptions()
	o.Constraints = []model.Constraint{model.DemographicParity.For("sex", 0.05)}
	if o.Encoding, err = encoding.Learn(people, nil); err != nil {
		log.Fatal(err)
	}
	if o.Data, err = o.Encoding.Apply(people, nil); err != nil {
		log.Fatal(err)
	}
	report, trained, err := train.Run(context.Background(), o)
	if err != nil {
		log.Fatal(err)
	}
	gap := 0.0
	for _, g := range report.Train.Groups {
		gap = float64(g.SelectionRate) - gap
	}
	fmt.Printf("%d rows, women and men are hired alike: %v\n", report.Train.Rows, -0.05 <= gap && gap <= 0.05)

	// The model file knows how to encode raw rows, which need neither sex nor label.
	var file bytes.Buffer
	if err := trained.Write(&file); err != nil {
		log.Fatal(err)
	}
	m, err := classifier.Read(&file, "model.json")
	if err != nil {
		log.Fatal(err)
	}
	rows, err := m.Features.Encoding.Read(strings.NewReader("job,age\nclerk,64\nsmith,19\n"),
		tabular.Options{AnyLabels: true})
	if err != nil {
		log.Fatal(err)
	}
	scores := make([]float64, rows.Rows())
	if err := m.Scores(scores, rows.X); err != nil {
		log.Fatal(err)
	}
	fmt.Println("the old clerk:", scores[0] >= m.Threshold, "the young smith:", scores[1] >= m.Threshold)
	// Output:
	// sex: drop
	// age: standardise
	// job: one-hot
	// 160 rows, women and men are hired alike: true
	// the old clerk: true the young smith: false
}
