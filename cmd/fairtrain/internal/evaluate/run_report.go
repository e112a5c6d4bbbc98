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

// documentFormats are how a report is written.
var documentFormats = map[string]func(*report.Document, io.Writer) error{
	"html":     (*report.Document).WriteHTML,
	"markdown": (*report.Document).WriteMarkdown,
	"json":     (*report.Document).WriteJSON,
}

// ReportFlags are the flags for the content of a report, besides the model and rows.
func ReportFlags() []cli.Flag {
	const category = "Report"
	return []cli.Flag{
		&cli.StringFlag{Name: "card", Category: category, Usage: "take intended use and limits from the TOML `FILE`"},
		&cli.IntFlag{Name: "min-group", Category: category, Value: report.DefaultMinGroup, Usage: "merge groups of fewer than `N` people in the report"},
	}
}

func checkMinGroup(n int) error { return command.CheckRange("min-group", float64(n), 1, 1e6) }

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

// documentFormat returns the format of a report that goes to the path of a flag: the given format,
// or else that of the file's extension, or else, if there is none, HTML.
func documentFormat(given, flag, path string) (string, error) {
	if _, ok := documentFormats[given]; ok {
		return given, nil
	}
	if given != "" {
		return "", command.Usagef("--format is %q, must be html, markdown or json", given)
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

// RunReport is the report of a training run.
type RunReport struct {
	Path     string // to write it to
	Card     string // file with intended use and limits, "" for none
	MinGroup int
	Groups   []string // specifications, besides the groups of the constraints
	Remarks  []string // on the rows, in sentences

	format string
	card   *report.Card
}

// Prepare checks the options and reads the card. The report may be nil.
func (r *RunReport) Prepare() (err error) {
	switch {
	case r == nil:
		return nil
	case r.Path == "-":
		return command.Usage(errors.New("--report - would mix two reports on standard output"),
			"fairtrain report --out - writes one of a model")
	}
	if r.format, err = documentFormat("", "report", r.Path); err != nil {
		return err
	}
	if err := checkMinGroup(r.MinGroup); err != nil {
		return err
	}
	r.card, err = loadCard(r.Card)
	return err
}

// Check refuses held-out rows that a report can't have, before anything is trained: it compares the
// groups on all rows. The report may be nil.
func (r *RunReport) Check(o *train.Options) error {
	if r == nil {
		return nil
	}
	for _, d := range []*dataset.Dataset{o.ValidationData, o.TestData} {
		if d == nil || d.SampleOf > 0 {
			continue
		}
		for _, spec := range append(input.GroupSpecs(o.Constraints), r.Groups...) {
			if _, err := d.Strata(dataset.Whole(spec)); err != nil {
				return command.Advise(err, "a report compares the groups on all of its rows: train without --report, or without these rows")
			}
		}
	}
	return nil
}

// Rendered is the report as a file. Training rows are not shown again as held-out rows.
func (r *RunReport) Rendered(o *train.Options, found *train.Report, trained *classifier.Classifier) (command.Content, error) {
	s := report.Source{Model: trained, Card: r.card, MinGroup: r.MinGroup, Groups: r.Groups, Remarks: slices.Clone(r.Remarks)}
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
	if found.Guarantee != nil {
		s.Guarantee = &report.Guarantee{Guarantee: *found.Guarantee}
	}
	d, err := report.Build(s)
	if err != nil {
		return command.Content{}, err
	}
	return command.Rendered(r.Path, func(w io.Writer) error { return documentFormats[r.format](d, w) })
}
