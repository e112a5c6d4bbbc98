package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"

	"github.com/fairtrain/fairtrain/report/words"
)

//go:embed report.html
var page string

var pageTemplate = template.Must(template.New("report").Parse(page))

// outcomeWords are the outcomes in words, with their signs.
var outcomeWords = map[words.Outcome]struct{ Word, Sign, Class string }{
	words.Guaranteed:      {"Guaranteed", "✓", "good"},
	words.GuaranteedIf:    {"Guaranteed on a condition", "!", "unsure"},
	words.Satisfied:       {"Satisfied", "✓", "good"},
	words.SatisfiedWithin: {"Satisfied within one decision of each group", "!", "unsure"},
	words.SatisfiedNearly: {"Satisfied within the tolerance", "!", "unsure"},
	words.NotGuaranteed:   {"Satisfied, but not guaranteed", "!", "unsure"},
	words.NotOnNewRows:    {"NOT met on new rows", "!", "unsure"},
	words.Violated:        {"Violated", "✗", "bad"},
	words.NotJudged:       {"Not judged", "–", "unsure"},
	words.NoConstraint:    {"No constraint", "–", "unsure"},
}

// Heading is the verdict in a few words.
func (v Verdict) Heading() string { return outcomeWords[v.Outcome].Word }

// picture is a figure as HTML has it.
type picture struct {
	figure
	SVG template.HTML
}

// WriteHTML writes the report as one page without scripts and requests.
func (d *Document) WriteHTML(w io.Writer) error {
	figures := 0
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, map[string]any{
		"Doc": d, "Outcome": outcomeWords[d.Verdict.Outcome], "Sections": d.sections(),
		"Pictures": func(list []figure) []picture {
			var pictures []picture
			for _, f := range list {
				figures++
				pictures = append(pictures, picture{f, f.svg(fmt.Sprintf("figure%d", figures))})
			}
			return pictures
		},
	})
	if err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// WriteJSON writes all numbers of the report.
func (d *Document) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(d)
}
