package evaluate

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/report"
	"github.com/fairtrain/fairtrain/train"
)

// documentFormats are how a report that can be handed over is written.
var documentFormats = map[string]func(*report.Document, io.Writer) error{
	"html":     (*report.Document).WriteHTML,
	"markdown": (*report.Document).WriteMarkdown,
	"json":     (*report.Document).WriteJSON,
}

// DocumentFlags are the flags for the content of such a report, besides the model and
// rows.
func DocumentFlags() []cli.Flag {
	const category = "Report"
	return []cli.Flag{
		&cli.StringFlag{Name: "card", Category: category, Usage: "take intended use and limits from the TOML `FILE`; docs/report.md has the keys"},
		&cli.IntFlag{Name: "min-group", Category: category, Value: report.DefaultMinGroup, Usage: "merge groups of fewer than `N` people in the report"},
	}
}

// checkDocumentFlags checks what DocumentFlags say.
func checkDocumentFlags(c *cli.Context) error {
	return command.CheckRange("min-group", float64(c.Int("min-group")), 1, 1e6)
}

// loadCard reads a card; nil for no path.
func loadCard(path string) (*report.Card, error) {
	if path == "" {
		return nil, nil
	}
	card, err := report.LoadCard(path)
	if err != nil {
		return nil, command.Advise(err, "docs/report.md has an example of a card")
	}
	return card, nil
}

// documentFormat returns the format of a report that goes to the path of a flag: the format asked for, or
// else the format of the file's extension, or else, if there is none, HTML.
func documentFormat(asked, flag, path string) (string, error) {
	if _, ok := documentFormats[asked]; ok {
		return asked, nil
	}
	if asked != "" {
		return "", command.Usagef("--format is %q, must be html, markdown or json", asked)
	}
	switch extension := strings.ToLower(filepath.Ext(path)); extension {
	case ".md", ".markdown":
		return "markdown", nil
	case ".json":
		return "json", nil
	case "", ".html", ".htm":
		return "html", nil
	default:
		return "", command.Usagef("--%s %s has the extension %s, must have .html, .htm, .md, .markdown, .json or none", flag, path, extension)
	}
}

// Handover is the report of a training run.
type Handover struct {
	Path     string   // to write it to
	Remarks  []string // on the rows, in sentences
	format   string
	minGroup int
	groups   []string // specifications, besides the groups of the constraints
	cardPath string
	card     *report.Card
}

// NewHandover returns the report that --report asks for, nil for none.
func NewHandover(c *cli.Context) (*Handover, error) {
	if !c.IsSet("report") {
		return nil, command.CheckAlone(c, "report", "card", "min-group")
	}
	h := &Handover{Path: c.String("report"), minGroup: c.Int("min-group"), groups: c.StringSlice("group"), cardPath: c.String("card")}
	if h.Path == "-" {
		return nil, command.Usage(errors.New("--report - would mix two reports on standard output"), "fairtrain report --out - writes one of a model")
	}
	var err error
	if h.format, err = documentFormat("", "report", h.Path); err != nil {
		return nil, err
	}
	return h, checkDocumentFlags(c)
}

// LoadCard reads the card that a flag names, if there is one. It may be called for nil.
func (h *Handover) LoadCard() (err error) {
	if h != nil {
		h.card, err = loadCard(h.cardPath)
	}
	return err
}

// Check refuses held-out rows that a report can't have, before anything is trained: it compares the groups on all rows.
// It may be called for nil.
func (h *Handover) Check(o *train.Options) error {
	if h == nil {
		return nil
	}
	for _, d := range []*dataset.Dataset{o.ValidationData, o.TestData} {
		if d == nil || d.SampleOf > 0 {
			continue
		}
		for _, spec := range append(input.GroupSpecs(o.Constraints), h.groups...) {
			if _, err := d.Strata(dataset.Whole(spec)); err != nil {
				return command.Advise(err, "a report compares the groups on all of its rows: train without --report, or without these rows")
			}
		}
	}
	return nil
}

// Rendered is the report of a run as a file. Training rows are not shown again as held-out
// rows.
func (h *Handover) Rendered(o *train.Options, r *train.Report, trained *classifier.Classifier) (command.Content, error) {
	s := report.Source{Model: trained, Card: h.card, MinGroup: h.minGroup, Groups: h.groups, Remarks: slices.Clone(h.Remarks)}
	seen := map[*dataset.Dataset]bool{nil: true}
	for _, set := range []report.Set{
		{Role: report.Training, Data: o.Data},
		{Role: report.Constraints, Data: o.ConstraintData},
		{Role: report.Validation, Data: o.ValidationData},
		{Role: report.Held, Data: o.TestData},
	} {
		if !seen[set.Data] {
			if set.Data.SampleOf > 0 {
				set.Shards = o.Model.Shards
			}
			s.Sets = append(s.Sets, set)
		}
		seen[set.Data] = true
	}
	if r.Guarantee != nil {
		s.Guarantee = &report.Guarantee{Guarantee: *r.Guarantee}
	}
	d, err := report.Build(s)
	if err != nil {
		return command.Content{}, err
	}
	return command.Rendered(h.Path, func(w io.Writer) error { return documentFormats[h.format](d, w) })
}
