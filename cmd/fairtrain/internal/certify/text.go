package certify

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/train"
)

// printCertification prints the outcome of a test.
func (p program) printCertification(r *Certification) error {
	if p.JSON {
		return p.PrintJSON(r)
	}
	var b bytes.Buffer
	say := func(text string) { b.WriteString(results.Wrap(text, command.ReportWidth) + "\n") }
	say(r.Statement)
	if needed := words.RowsNeeded(&r.Certificate); needed != "" {
		say(needed)
	}
	say(words.AssumptionInShort)
	b.WriteString("\n")
	WriteTest(&b, &r.Certificate)
	b.WriteString("\n")
	for _, note := range words.GuaranteeNotes(&r.Certificate) {
		say(note)
	}
	method := fmt.Sprintf("Method: %s", r.Method)
	if slices.ContainsFunc(r.Requirements, func(v guarantee.Verdict) bool { return v.On == train.Decisions }) {
		method += fmt.Sprintf("; threshold %.6g", r.Threshold)
	}
	say(method + ".")
	return p.Print(b.Bytes())
}

// WriteTest writes a table of the constraints of a test.
func WriteTest(b *bytes.Buffer, g *words.Certificate) {
	var table [][]string
	decided := ""
	for k := range g.Requirements {
		v := words.TestOf(&g.Requirements[k])
		if v.DecidedBy != "" {
			decided += results.Wrap(fmt.Sprintf("%s is decided by %s.", v.Name, v.DecidedBy), command.ReportWidth) + "\n"
		}
		table = append(table, []string{v.Name, words.Terse(v.Estimate), words.Terse(v.Limit), words.Terse(v.Bound), v.Verdict})
	}
	command.WriteTable(b, words.TestedHead, table)
	b.WriteString(decided)
}
