package evaluate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/certify"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/internal/sidefile"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/report"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// ReportCommand is fairtrain report.
func ReportCommand(p *command.Program) *cli.Command {
	return &cli.Command{
		Name:  "report",
		Usage: "a report on a model, or on predictions, for people: HTML, Markdown or JSON",
		Description: `Writes one file without scripts and requests: the verdict, the constraints and their
cost, the groups, what the model uses, the data, and how to reproduce it. Groups of fewer than
--min-group people are merged. Of the predictions of any program it has the verdict, the
constraints and the groups. Exit code 3: a constraint is violated, or with --strict undecided.
docs/report.md describes the report and the card.

   fairtrain report --data people.csv --test new.csv --out report.html
   fairtrain report --predictions scores.parquet --constraint demographic-parity:group=sex,bound=0.05
   fairtrain report --data people.csv --group "sex*race" --card card.toml --out report.md
   fairtrain certify --data fresh.csv --json > test.json
   fairtrain report --data people.csv --certificate test.json`,
		Flags: slices.Concat(command.TalkFlags(), ReportFlags(), input.JudgedFlags("the training rows `NAME|FILE`, or other labelled rows, which count as held out"), []cli.Flag{
			&cli.StringFlag{Name: "test", Category: "Data", Usage: "evaluate on these held-out rows too, `NAME|FILE` or -"},
			&cli.StringFlag{Name: "certificate", Category: "Data", Usage: "the guarantee is in `FILE`, the output of certify --json"},
			&cli.StringSliceFlag{Name: "group", Category: "Report", Usage: "compare the groups `G` too; several with commas or repeated", DefaultText: "the constrained groups"},
			input.StrictFlag(),
			&cli.StringFlag{Name: "out", Category: "Output", Value: "report.html", Usage: "write the report to `FILE`, - for standard output"},
			&cli.StringFlag{Name: "format", Category: "Output", Usage: "write it as `FORMAT`: html|markdown|json", DefaultText: "by the file's extension"},
			command.ForceFlag(),
		}),
		Action: command.Action(program{p}.readReport, program{p}.report),
	}
}

// reportOptions are the options of report.
type reportOptions struct {
	input.Judged
	test, certificate, card string // "" for none
	groups                  []string
	minGroup                int
	out, format             string
	command                 string // that makes the report again
	strict                  bool
}

func (p program) readReport(c *cli.Context) (o reportOptions, err error) {
	o = reportOptions{
		test: c.String("test"), certificate: c.String("certificate"), card: c.String("card"), groups: command.List(c, "group"),
		minGroup: c.Int("min-group"), out: c.String("out"), command: command.Line(c, "Output"), strict: c.Bool("strict"),
	}
	if o.Judged, err = input.ReadJudged(c, o.groups); err != nil {
		return o, err
	}
	if o.out == "-" && p.JSON {
		return o, command.Usagef("--json and --out - both want standard output")
	}
	if err := errors.Join(checkMinGroup(o.minGroup), checkSpecs(o.groups)); err != nil {
		return o, err
	}
	if o.format, err = documentFormat(c.String("format"), "out", o.out); err != nil {
		return o, err
	}
	f := command.NewFiles(c)
	if o.Model == nil {
		f.ReadsData("predictions", o.Name)
	} else {
		f.Reads("model", o.Model.Path)
		f.ReadsData("data", o.Name)
	}
	for _, flag := range []string{"test", "certificate", "card"} {
		switch name := c.String(flag); {
		case !c.IsSet(flag):
		case name == "":
			return o, command.Usagef("--%s is empty, must be a file", flag)
		case flag == "test":
			f.ReadsData(flag, name)
		default:
			f.Reads(flag, name)
		}
	}
	f.Writes("out", o.out, command.Report)
	return o, f.Check()
}

// report writes the report of a model.
func (p program) report(ctx context.Context, o reportOptions) error {
	source, err := p.reportSource(ctx, o)
	if err != nil {
		return err
	}
	d, err := command.Interruptible(ctx, func() (*report.Document, error) { return report.Build(source) })
	if err != nil {
		return err
	}
	if err := p.WriteOutput(o.out, func(w io.Writer) error { return documentFormats[o.format](d, w) }); err != nil {
		return err
	}
	if p.JSON {
		if err := d.WriteJSON(p.Stdout); err != nil {
			return err
		}
	} else if o.out != "-" {
		p.Remark("%s", strings.TrimSpace(fmt.Sprintf("report written to %s: %s. %s %s", o.out,
			d.Verdict.Outcome.Heading(), d.Verdict.Sentence, d.Verdict.SideEffects)))
	}
	if err := Failure(d.Verdicts, o.strict); err != nil || d.Verdict.Outcome != words.Violated {
		return err
	}
	return command.Fail(command.ExitNotReached, errors.New(d.Verdict.Outcome.Word()))
}

// predictionSource is what a report on predictions is made from.
func (p program) predictionSource(ctx context.Context, o reportOptions, s report.Source) (report.Source, error) {
	d, err := o.Predictions(ctx, p.Program, tabular.Options{})
	if err != nil {
		return s, err
	}
	s.Command = o.command
	s.Sets = []report.Set{{Role: report.Predicted, Data: d.Dataset, Scored: scoring.Given(d.Dataset, d.Scores, d.Threshold)}}
	return s, nil
}

// reportSource reads everything that a report is made from.
func (p program) reportSource(ctx context.Context, o reportOptions) (report.Source, error) {
	s := report.Source{MinGroup: o.minGroup, Groups: o.groups}
	for _, c := range o.Constraints {
		s.Constraints = append(s.Constraints, classifier.Constraint{Spec: c.Spec, On: c.On()})
	}
	var err error
	if s.Card, err = loadCard(o.card); err != nil {
		return s, err
	}
	if o.Model == nil {
		return p.predictionSource(ctx, o, s)
	}
	if s.Model, err = input.LoadModel(ctx, p.Program, *o.Model); err != nil {
		return s, err
	}
	if o.certificate != "" {
		if s.Guarantee, err = loadCertificate(o.certificate, s.Model); err != nil {
			return s, err
		}
	}
	if s.Sets, err = p.reportRows(ctx, o, s.Model); err != nil || s.Sets[0].Role != report.Training {
		return s, err
	}
	for _, set := range s.Sets[1:] {
		s.Remarks = certify.Seen(s.Sets[0].Data, certify.Judged{Rows: set.Data, Which: "test"})
	}
	return s, nil
}

// reportRows reads the rows of a report and gives them their roles.
func (p program) reportRows(ctx context.Context, o reportOptions, m *classifier.Classifier) ([]report.Set, error) {
	specs := slices.Concat(constrainedGroups(m), model.WithinOf(constraintsOf(m)...), guarantee.SpecsOf(o.Constraints), o.groups)
	from := input.Reader{Context: ctx, Program: p.Program, Features: m.Features, Groups: specs}
	read := func(name string) (*dataset.Dataset, error) {
		d, err := from.Read(name, tabular.Options{Groups: dataset.AttributesIn(specs...), OnlyGroups: len(specs) > 0})
		return d, input.AdviseLabel(err)
	}
	d, err := read(o.Name)
	if err != nil {
		return nil, err
	}
	role, err := roleOf(d, m, o.test == "")
	if err != nil || o.test == "" {
		return []report.Set{{Role: role, Data: d}}, err
	}
	test, err := read(o.test)
	switch {
	case err != nil:
		return nil, err
	case test.Hash == d.Hash:
		return nil, command.Usagef("--test %s has the rows of --data", test.Name)
	case m.Training.Data.HasFileOf(test):
		return nil, trainedOnFile(test, m.Training.Data)
	}
	return []report.Set{{Role: role, Data: d}, {Role: report.Held, Data: test}}, nil
}

// trainedOnFile is the error for rows of which a part are training rows.
func trainedOnFile(d *dataset.Dataset, training classifier.Source) error {
	return command.Advise(fmt.Errorf("%s: the model was trained on %s, which has a file of these rows", d.Name, training.Name),
		"the report needs all rows that the model was trained on, or others")
}

// roleOf returns whether rows are training rows or held-out rows, which must be alone.
func roleOf(d *dataset.Dataset, m *classifier.Classifier, alone bool) (report.Role, error) {
	const hint = "train --report writes the report of a run with all of its rows"
	t := m.Training.Data
	switch {
	case d.Hash == t.SHA256 && d.Rows() != t.Rows:
		return "", command.Advise(fmt.Errorf("%s: the model was trained on %d of its rows, and these are %d", d.Name, t.Rows, d.Rows()), hint)
	case d.Hash == t.SHA256 && m.Training.ConstraintData != nil:
		return "", command.Advise(fmt.Errorf("the constraints bound the rows of %s", m.Training.ConstraintData.Name), hint)
	case d.Hash == t.SHA256:
		return report.Training, nil
	case t.HasFileOf(d):
		return "", trainedOnFile(d, t)
	case !alone:
		return "", command.Usage(fmt.Errorf("%s is not what the model was trained on", d.Name),
			"to judge the model on other rows, give them as --data, alone")
	}
	return report.Held, nil
}

// loadCertificate reads the output of certify --json, which must be of a test that the model
// remembers.
func loadCertificate(path string, m *classifier.Classifier) (*report.Guarantee, error) {
	var found certify.Certification
	if err := readJSON(path, &found); err != nil {
		return nil, command.Advise(err, "fairtrain certify --json prints one")
	}
	if found.Report == nil || len(found.Requirements) == 0 {
		return nil, fmt.Errorf("%s: holds no test, expected the output of certify --json", path)
	}
	var specs, names []string
	for _, v := range found.Requirements {
		if v.Upper == nil && v.Lower == nil {
			return nil, fmt.Errorf("%s: the constraint %s has neither upper nor lower", path, v.Spec)
		}
		specs, names = append(specs, v.Spec), append(names, v.Name())
	}
	remembered := slices.ContainsFunc(m.Tests, func(t classifier.Test) bool {
		return t.Rows == found.Rows && t.Holds == found.Holds && t.Confidence == found.TestedAt &&
			// earlier versions did not write what is on scores
			(slices.Equal(t.Requirements, names) || slices.Equal(t.Requirements, specs))
	})
	if !remembered {
		return nil, fmt.Errorf("%s: the model file has no such test, of %s on %d rows", path,
			strings.Join(specs, " and "), found.Rows)
	}
	if found.Threshold != m.Threshold {
		return nil, fmt.Errorf("%s: the test has the threshold %v, the model %v: it is a test of another model", path, found.Threshold, m.Threshold)
	}
	found.Assumption = certify.Assumption
	return &report.Guarantee{Guarantee: train.Guarantee{Certificate: found.Certificate}}, nil
}

// readJSON reads one JSON value from a file.
func readJSON(path string, value any) error {
	text, err := sidefile.Read(path, sidefile.Most)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, value); err != nil {
		return fmt.Errorf("%s: %w", sidefile.Position(path, text, err), err)
	}
	return nil
}

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
