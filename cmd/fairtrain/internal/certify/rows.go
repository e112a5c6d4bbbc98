package certify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/ledger"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// certifiedRows are the rows of a test.
type certifiedRows struct {
	data      *dataset.Dataset
	threshold float64
	views     []ledger.Sketch // what identifies the rows, see ledger.Entry
	features  ledger.Features // see ledger.Entry
	// evidence is what the rows say about requirements by their scores.
	evidence func([]guarantee.Requirement) (guarantee.Rows, error)

	encoding *encoding.Encoding // by which data were encoded; nil for none
}

// readCertified reads the rows to test, scored by the model or, if the model is nil, by
// another program.
func (p program) readCertified(ctx context.Context, o certifyOptions, m *classifier.Classifier) (*certifiedRows, error) {
	read := func(anyLabels bool) (*certifiedRows, error) {
		if m == nil {
			return p.readPredictions(ctx, o, anyLabels)
		}
		return p.readAndScore(ctx, m, o.Name, guarantee.SpecsOf(o.requirements), anyLabels)
	}
	weighted := o.weighted || m != nil && m.Features.Encoding != nil && m.Features.Encoding.Schema.Weight != ""
	return readLabelled(o.requirements, o.Name == "-" || weighted, read)
}

// readLabelled reads rows. If only labels are missing and no requirement needs them, it reads
// the rows without labels. It does not if strict is set: standard input can be read only
// once, and rows without labels are read without weights, which a test must know.
func readLabelled(requirements []guarantee.Requirement, strict bool, read func(anyLabels bool) (*certifiedRows, error)) (*certifiedRows, error) {
	rows, err := read(false)
	if err == nil || strict || input.NeedLabels(requirements) {
		return rows, err
	}
	unlabelled, second := read(true)
	if second != nil {
		return nil, err
	}
	for _, spec := range guarantee.CellsOf(requirements) {
		if _, second := unlabelled.data.Strata(spec); second != nil {
			return nil, err
		}
	}
	return unlabelled, nil
}

// readAndScore reads rows and scores them.
func (p program) readAndScore(ctx context.Context, m *classifier.Classifier, name string, groups []string, anyLabels bool) (*certifiedRows, error) {
	d, ids, err := input.Reader{Context: ctx, Program: p.Program, Features: m.Features, Groups: groups}.Identified(name, tabular.Options{AnyLabels: anyLabels})
	if err != nil {
		return nil, err
	}
	if err := checkLevels(m.Features.Encoding, d, groups); err != nil {
		return nil, err
	}
	scored, err := scoring.New(m, d)
	if err != nil {
		return nil, err
	}
	return &certifiedRows{data: d, threshold: m.Threshold, views: []ledger.Sketch{ledger.NewSketch(d.Rows(), ids)}, features: byFeatures(d, m.Features), encoding: m.Features.Encoding, evidence: scored.Evidence}, nil
}

// checkLevels refuses rows that lack a group of the training rows: they show
// nothing about that group.
func checkLevels(e *encoding.Encoding, d *dataset.Dataset, groups []string) error {
	if e == nil {
		return nil
	}
	for _, spec := range groups {
		if absent := e.Absent(d, spec); absent != nil {
			return adviseGroups(fmt.Errorf("%s: no row has %s, which the model knows from training, so nothing can be guaranteed for that group", d.Name, absent[0]), absent[0])
		}
	}
	return nil
}

// adviseGroups adds to an error about a group without rows which constraints do without it.
func adviseGroups(err error, group string) error {
	attribute, _, _ := strings.Cut(group, "=")
	return command.Advise(err,
		fmt.Sprintf("a constraint with \"group=%s=A|B\" compares some groups, and one with group=%[1]s=A a single group with all others", attribute),
		"merge in a schema joins small groups")
}

// readPredictions reads the predictions of any program.
func (p program) readPredictions(ctx context.Context, o certifyOptions, anyLabels bool) (*certifiedRows, error) {
	d, err := o.Predictions(ctx, p.Program, tabular.Options{AnyLabels: anyLabels, Identify: true})
	if err != nil {
		return nil, err
	}
	// Without the scores, rows are also recognised if they come with other predictions. But
	// if there are few other values, only the scores distinguish the rows.
	views := []ledger.Sketch{sketchOf(d.Identities), sketchOf(ledger.Refine(d.Identities, d.Scores))}
	rows := &certifiedRows{data: d.Dataset, threshold: d.Threshold, views: views}
	rows.evidence = func(requirements []guarantee.Requirement) (guarantee.Rows, error) {
		return scoring.Evidence(d.Dataset, d.Scores, rows.threshold, requirements)
	}
	return rows, nil
}

func sketchOf(hashes []uint64) ledger.Sketch {
	return ledger.NewSketch(len(hashes), slices.Values(hashes))
}

// checkTraining refuses the training rows of the model, and the file on which it was judged
// in training. If it can't compare all training rows, it says why.
func (p program) checkTraining(ctx context.Context, m *classifier.Classifier, rows *certifiedRows, tests ledger.Ledger) (unchecked string, err error) {
	const training = "the model was trained on"
	parts := []otherRows{{Source: m.Training.Data, use: training}}
	if m.Training.ConstraintData != nil {
		parts = append(parts, otherRows{Source: *m.Training.ConstraintData, use: training})
	}
	for _, b := range m.Training.Unconstrained {
		if b.Rows != classifier.TrainRows {
			parts = append(parts, otherRows{Source: b.Source, use: "was looked at while training"})
		}
	}
	for _, other := range parts {
		if err := p.findRows(ctx, m, rows, tests, &other); err != nil {
			return "", err
		}
		if err := checkApart(rows, other); err != nil {
			return "", err
		}
		if other.use == training {
			unchecked = cmp.Or(other.unknown, unchecked)
		}
	}
	return unchecked, nil
}

// otherRows are rows that must not be among those of a test.
type otherRows struct {
	classifier.Source
	use      string          // what they were for
	views    []ledger.Sketch // their content, as far as that is known
	features []ledger.Features
	unknown  string // why that is not known, "" if it is
}

// byFeatures identifies rows by their features alone.
func byFeatures(d *dataset.Dataset, f classifier.Features) ledger.Features {
	return ledger.Features{Encoding: f.Fingerprint(), Rows: ledger.NewSketch(d.Rows(), dataset.FeatureIdentities(d))}
}

// checkApart refuses rows that are among other rows.
func checkApart(rows *certifiedRows, other otherRows) error {
	const hint = "a guarantee needs rows that had no part in training"
	source, name, use := other.Source, other.Name, other.use
	if source.SHA256 == rows.data.Hash {
		return command.Advise(fmt.Errorf("%s is the file that %s", rows.data.Name, use), hint)
	}
	if source.HasFileOf(rows.data) {
		return command.Advise(fmt.Errorf("%s and %s have a file in common, which %s", rows.data.Name, name, use), hint)
	}
	for _, sketch := range other.views {
		if share, same := rows.views[0].Overlaps(sketch); same {
			return command.Advise(fmt.Errorf("%s: about %.0f %% of the rows are also in %s, which %s", rows.data.Name, 100*share, name, use), hint)
		}
	}
	for _, features := range other.features {
		if share, same := rows.features.Overlaps(features); same {
			return command.Advise(fmt.Errorf("%s: about %.0f %% of the rows have the features of a row of %s, which %s", rows.data.Name, 100*share, name, use),
				"probably the same people are in both, with other columns or with numbers written otherwise", hint)
		}
		if err := checkRepeats(rows, features, name); err != nil {
			return err
		}
	}
	return nil
}

// checkRepeats refuses rows if they and rows of training are several of the same people, each with
// a number of its own.
func checkRepeats(rows *certifiedRows, training ledger.Features, name string) error {
	if share, multiple := rows.features.RepeatedWith(training); multiple {
		return command.Advise(fmt.Errorf("%s and %s: %.0f %% of the rows have the features of another row, and more evenly than by chance, so these are several rows of the same people", rows.data.Name, name, 100*share),
			"each person must be one row; a number that each row has does not make other people of them")
	}
	return nil
}

// findRows identifies the rows of a source as far as they can be compared with the given rows:
// those that training noted in the ledger, and those of the file if it is still the same.
func (p program) findRows(ctx context.Context, m *classifier.Classifier, rows *certifiedRows, tests ledger.Ledger, other *otherRows) error {
	entries, err := tests.Entries()
	if err != nil {
		return err
	}
	noted, compared := false, false // by this build, with features of the same encoding
	for _, e := range entries {
		if e.Use == ledger.Training && e.SHA256 == other.SHA256 {
			other.views, other.features = append(other.views, e.Rows[0]), append(other.features, e.Features)
			if e.Features.Encoding == m.Features.Fingerprint() {
				noted, compared = true, compared || !rows.views[0].TooFew(e.Rows[0])
			}
		}
	}
	if other.Name == "-" || other.Name == "" {
		other.unknown = "the model was trained on standard input"
	} else if err := p.addFile(ctx, m, rows, other); err != nil {
		return err
	}
	switch {
	case compared:
		other.unknown = ""
	case noted && other.unknown != "":
		other.unknown = "too few rows to compare with so many"
	}
	return nil
}

// addFile identifies the rows of the file of a source if the file is still the same.
func (p program) addFile(ctx context.Context, m *classifier.Classifier, rows *certifiedRows, other *otherRows) error {
	d, ids, err := input.Reader{Context: ctx, Program: p.Program, Features: m.Features}.Identified(strings.TrimSuffix(other.Name, " (train)"), tabular.Options{})
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case d == nil || d.Hash != other.SHA256:
		other.unknown = other.Name + " is not here as it was"
		return nil
	case err != nil:
		other.unknown = err.Error()
	default:
		other.views = append(other.views, rows.views[0].Counterpart(d.Rows(), ids))
	}
	other.features = append(other.features, ledger.Features{
		Encoding: m.Features.Fingerprint(), Rows: rows.features.Rows.Counterpart(d.Rows(),
			dataset.FeatureIdentities(d)),
	})
	return nil
}

// Between these shares of rows that have the values of another row a note says so: beyond the
// largest, the values hardly identify a row.
const someRepeated, mostRepeated = 0.01, 0.5

// remarks say what the rows leave out, and what may be wrong with them. It refuses rows that occur
// several times. A remark that some may is left out if there is one of all rows that these are a
// part of.
func (r *certifiedRows) remarks(requirements []guarantee.Requirement, ofAll []string) ([]string, error) {
	list := append([]string{}, ofAll...)
	for _, spec := range guarantee.GroupsOf(requirements) {
		strata, err := r.data.Strata(spec)
		if err != nil {
			return nil, err
		}
		if all, found := dataset.Combinations(r.data, spec), len(strata.Names); all > found {
			list = append(list, fmt.Sprintf("%d of the %d combinations of %s have no rows: nothing is said about such people", all-found, all, spec))
		}
		list = append(list, words.LeftOut(r.data.LeftOut(spec))...)
	}
	if r.encoding != nil {
		const much = 0.1 // of the rows
		for _, d := range r.encoding.Drifts(r.data, much) {
			list = append(list, words.Drift(&d, true))
		}
	}
	share := 0.0
	for _, rows := range append([]ledger.Sketch{r.features.Rows}, r.views...) {
		var multiple bool
		if share, multiple = rows.Repeated(); multiple {
			return nil, command.Advise(fmt.Errorf("%s: %.0f %% of the rows have the values of another row, and more evenly than by chance, so these are several rows of the same people",
				r.data.Name, 100*share), "each person must be one row; a number that each row has does not make other people of them")
		}
	}
	if share > someRepeated && share <= mostRepeated && len(ofAll) == 0 {
		list = append(list, fmt.Sprintf("%.0f %% of the rows have the values of another row: if these are the same people, the guarantee is void", 100*share))
	}
	return list, nil
}

// Judged are rows on which a model is evaluated, and what they are called.
type Judged struct {
	Rows  *dataset.Dataset
	Which string
}

// Seen says, in sentences, if judged rows are training rows, or other rows of the people, that a
// model is trained on. Such rows say nothing about other people. Where rows are in shards it says
// nothing.
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

// byContent identifies rows by their features and labels. All that are compared have the same
// features.
func byContent(d *dataset.Dataset) ledger.Features {
	return ledger.Features{Encoding: "of the run", Rows: ledger.NewSketch(d.Rows(), dataset.Identities(d))}
}
