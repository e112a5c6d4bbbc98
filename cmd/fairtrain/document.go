package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/report"
	"github.com/fairtrain/fairtrain/train"
)

// The formats of a report that can be handed over.
const (
	htmlDocument     = "html"
	markdownDocument = "markdown"
	jsonDocument     = "json"
)

// documentFlags are the flags of what is in such a report, besides the model and rows.
func documentFlags() []cli.Flag {
	const category = "Report"
	return []cli.Flag{
		&cli.StringFlag{Name: "card", Category: category, Usage: "intended use and limits as `FILE` tells them, in TOML; docs/report.md has the keys"},
		&cli.IntFlag{Name: "min-group", Category: category, Value: report.DefaultMinGroup, Usage: "fold groups of fewer than `N` people in the report"},
	}
}

// checkDocumentFlags checks what documentFlags say.
func checkDocumentFlags(c *cli.Context) error {
	return checkRange("min-group", float64(c.Int("min-group")), 1, 1e6)
}

// loadCard reads the card that a flag names, nil for none.
func loadCard(c *cli.Context) (*report.Card, error) {
	if !c.IsSet("card") {
		return nil, nil
	}
	card, err := report.LoadCard(c.String("card"))
	if err != nil {
		return nil, advise(err, "docs/report.md has an example of a card")
	}
	return card, nil
}

// documentFormat returns the format of a report: the one asked for, or that of the file's
// extension, or HTML.
func documentFormat(asked, path string) (string, error) {
	switch {
	case asked == htmlDocument || asked == markdownDocument || asked == jsonDocument:
		return asked, nil
	case asked != "":
		return "", usagef("--format is %q, must be %s, %s or %s", asked, htmlDocument, markdownDocument, jsonDocument)
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".md", ".markdown":
		return markdownDocument, nil
	case ".json":
		return jsonDocument, nil
	}
	return htmlDocument, nil
}

// documentWriter returns what writes a report in a format.
func documentWriter(d *report.Document, format string) func(io.Writer) error {
	switch format {
	case markdownDocument:
		return d.WriteMarkdown
	case jsonDocument:
		return d.WriteJSON
	}
	return d.WriteHTML
}

// handover is the report of a training run.
type handover struct {
	path, format string
	minGroup     int
	groups       []string // specifications, besides those of the constraints
	card         *report.Card
}

// newHandover returns what --report asks for, nil for nothing.
func newHandover(c *cli.Context) (*handover, error) {
	if !c.IsSet("report") {
		for _, flag := range []string{"card", "min-group"} {
			if c.IsSet(flag) {
				return nil, usagef("--%s needs --report", flag)
			}
		}
		return nil, nil
	}
	h := &handover{path: c.String("report"), minGroup: c.Int("min-group"), groups: c.StringSlice("group")}
	if h.path == "-" {
		return nil, usage(errors.New("--report - would mix two reports on standard output"), "fairtrain report --out - writes one of a model")
	}
	var err error
	if h.format, err = documentFormat("", h.path); err != nil {
		return nil, err
	}
	return h, checkDocumentFlags(c)
}

// document makes the report of a run. Rows that took part in training are not shown again as
// held out.
func (h *handover) document(o *train.Options, r *train.Report, trained *classifier.Classifier) (*report.Document, error) {
	s := report.Source{Model: trained, Card: h.card, MinGroup: h.minGroup, Groups: h.groups}
	seen := map[*dataset.Dataset]bool{nil: true}
	for _, set := range []report.Set{
		{Role: report.Training, Data: o.Data},
		{Role: report.Constraints, Data: o.ConstraintData},
		{Role: report.Validation, Data: o.ValidationData},
		{Role: report.Held, Data: o.TestData},
	} {
		if !seen[set.Data] {
			s.Sets = append(s.Sets, set)
		}
		seen[set.Data] = true
	}
	if r.Guarantee != nil {
		s.Guarantee = &report.Guarantee{Guarantee: *r.Guarantee}
	}
	return report.Build(s)
}

// runCommand returns the command line that starts a run: the flags that are given and have a
// part in the result, files by their names alone.
func runCommand(c *cli.Context) string {
	apart := map[string]bool{
		"json": true, "quiet": true, "jobs": true, "config": true, "model": true, "force": true, "verbose": true,
		"save-on-interrupt": true, "ledger": true, "reuse": true, "report": true, "card": true, "min-group": true,
	}
	files := map[string]bool{"data": true, "constraint-data": true, "test": true, "certify": true, "schema": true}
	words := []string{"fairtrain", c.Command.Name}
	for _, flag := range c.Command.Flags {
		name := flag.Names()[0]
		level := given(c, name)
		if apart[name] || !level.IsSet(name) {
			continue
		}
		var values []string
		switch flag.(type) {
		case *cli.BoolFlag:
			word := "--" + name
			if !level.Bool(name) {
				word += "=false"
			}
			words = append(words, word)
			continue
		case *cli.StringSliceFlag:
			values = level.StringSlice(name)
		case *cli.StringFlag:
			values = []string{level.String(name)}
			if files[name] {
				values[0] = filepath.Base(values[0])
			}
		default:
			values = []string{fmt.Sprint(level.Value(name))}
		}
		for _, value := range values {
			words = append(words, "--"+name, shellQuoted(value))
		}
	}
	return strings.Join(words, " ")
}
