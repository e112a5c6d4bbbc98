package input

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/encoding"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/dataset/tabular/delimited"
	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// UsualThreshold is the threshold of predictions whose file does not state one.
const UsualThreshold = 0.5

// NoLabels is what --label-column names if nobody knows the true labels.
const NoLabels = "none"

// ScoreColumn is the column of scores in the output of predict.
const ScoreColumn = "score"

// PredictionFlags are the flags on predictions of other programs.
func PredictionFlags() []cli.Flag {
	const category = "Predictions of other programs"
	return []cli.Flag{
		&cli.StringFlag{
			Name: "predictions", Category: category,
			Usage: "judge the predictions in the CSV `FILE`, - for standard input, instead of a model's, by the columns of the groups; decided as the column decision of a file of fairtrain predict says, or at 0.5",
		},
		&cli.StringFlag{Name: "label-column", Category: category, Value: "y_true", Usage: "`COLUMN` of the true labels: 0 or -1 and 1, yes and no, or two values of which --positive names one; none if nobody knows them, and selection rates alone can be compared"},
		&cli.StringFlag{Name: "score-column", Category: category, Value: "y_pred", Usage: "`COLUMN` of the scores from 0 to 1, or of the decisions: 0 or -1 and 1, the two values of the labels, or two others of which --positive names one; in a file of fairtrain predict, score"},
		&cli.StringFlag{Name: "weight-column", Category: category, Usage: "`COLUMN` of the weights of the rows; needs labels", DefaultText: "1 each"},
		&cli.StringSliceFlag{Name: "positive", Category: category, Usage: "the label or decision `VALUE`, or label numbers such as '>0', are the positive ones; repeatable", DefaultText: "1 or yes"},
	}
}

// CheckPredictionFlags refuses flags that would play no part.
func CheckPredictionFlags(c *cli.Context) error {
	useless, reason := []string{"model", "data"}, "excludes --predictions, which brings scores and labels along"
	if !c.IsSet("predictions") {
		useless, reason = []string{"label-column", "score-column", "weight-column", "positive"}, "needs --predictions"
	}
	for _, name := range useless {
		if c.IsSet(name) {
			return command.Usagef("--%s %s", name, reason)
		}
	}
	return nil
}

// Columns say what the columns of predictions mean.
type Columns struct {
	Groups []string // specifications

	label, score string   // the label is NoLabels if there are none
	weight       string   // "" for none
	positive     []string // positive labels and decisions; missing ones are detected
	skip         []string // labels of rows to leave out
	evaluated    bool     // the command has --group and --skip-label, as evaluate does
	usual        bool     // the scores may be in predict's column as well
	decided      bool     // decisions beside the scores say by which threshold they were made
}

// PredictionColumns returns the columns that PredictionFlags name.
func PredictionColumns(c *cli.Context, groups []string) (Columns, error) {
	columns := Columns{
		Groups: groups, label: c.String("label-column"), score: c.String("score-column"), weight: c.String("weight-column"),
		positive: c.StringSlice("positive"), usual: !c.IsSet("score-column"),
		skip: c.StringSlice("skip-label"), evaluated: command.Has(c, "skip-label"),
	}
	columns.decided = !c.IsSet("threshold") && !slices.Contains(append(columns.groupColumns(),
		columns.label, columns.score), DecisionColumn)
	return columns, columns.check()
}

// HasLabels reports whether the rows have true labels.
func (columns Columns) HasLabels() bool { return columns.label != NoLabels }

// labelColumn returns the column of the labels. If there are none, it is one that no file is to
// have, while groups may have any name.
func (columns Columns) labelColumn() string {
	if columns.HasLabels() {
		return columns.label
	}
	return "(" + NoLabels + ")"
}

// groupColumns returns the columns that the groups are made of, each once.
func (columns Columns) groupColumns() []string {
	var names []string
	for _, spec := range columns.Groups {
		names = append(names, dataset.AttributesIn(spec)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// check refuses columns without a name or with two meanings.
func (columns Columns) check() error {
	type column struct{ flag, name string }
	var list []column
	switch {
	case columns.HasLabels():
		list = append(list, column{"label-column", columns.label})
	case columns.score == NoLabels:
		return command.Usagef("--score-column none excludes --label-column none, which means that there are no labels")
	case columns.weight != "":
		return command.Usagef("--weight-column %s excludes --label-column none: rows without labels are not weighted", columns.weight)
	case len(columns.skip) > 0:
		return command.Usagef("--skip-label %s excludes --label-column none", columns.skip[0])
	}
	list = append(list, column{"score-column", columns.score})
	if columns.weight != "" {
		list = append(list, column{"weight-column", columns.weight})
	}
	for _, name := range columns.groupColumns() {
		list = append(list, column{"group", name})
	}
	meanings := map[string]string{}
	for _, c := range list {
		switch earlier, taken := meanings[c.name]; {
		case c.name == "":
			return command.Usagef("--%s is empty, must name a column", c.flag)
		case taken:
			return command.Usagef("--%s names the column %q, as --%s does", c.flag, c.name, earlier)
		}
		meanings[c.name] = c.flag
	}
	return nil
}

// schema declares the columns. No value stands for a missing one, so a gap in place of a
// number is a fault with its position. Only in groups gaps have a level of their own.
func (columns Columns) schema() *tabular.Schema {
	header := true
	s := &tabular.Schema{
		Format:  delimited.Format{Header: &header},
		Missing: []string{},
		Others:  tabular.Drop,
		Weight:  columns.weight,
		Label:   tabular.LabelSpec{Column: columns.labelColumn()},
	}
	for _, value := range columns.skip {
		s.Label.Skip = append(s.Label.Skip, value)
		if value == missing {
			s.Label.Skip = append(s.Label.Skip, tabular.DefaultMissing()...)
		}
	}
	for _, name := range columns.groupColumns() {
		missing := map[string][]string{dataset.MissingLevel: tabular.DefaultMissing()}
		s.Groups = append(s.Groups, tabular.GroupSpec{Column: name, Merge: missing})
	}
	return s
}

// Predictions are rows with their given scores.
type Predictions struct {
	*dataset.Dataset
	Scores     []float64
	Threshold  float64  // by which they became decisions
	Identities []uint64 // computed without the scores; nil unless options ask for them
}

// Read reads predictions of any program. The labels are undefined where they may be missing, or
// nobody knows them.
func (columns Columns) Read(stdin io.Reader, name string, options tabular.Options) (*Predictions, error) {
	read, decisions := scoreColumn{positive: columns.positive}, decisionColumn{scoreColumn: scoreColumn{positive: columns.positive}}
	options.AnyLabels, options.Groups = options.AnyLabels || !columns.HasLabels(), columns.groupColumns()
	options.Apart, options.Each = []string{columns.score}, map[string]func(string) error{columns.score: read.add}
	if columns.decided {
		options.Each[DecisionColumn], options.MayLack = decisions.add, []string{DecisionColumn}
	}
	named := false // a column has the name that stands for no labels
	if !columns.HasLabels() {
		options.Each[NoLabels], options.MayLack = func(string) error { named = true; return nil }, append(options.MayLack, NoLabels)
	}
	if columns.usual {
		options.Alias = map[string]string{ScoreColumn: columns.score}
	}
	t, err := catalogue.LoadTable(name, stdin, columns.schema(), options)
	if err != nil {
		return nil, columns.advise(err)
	}
	schema := *t.Schema
	if slices.Contains(t.Aliased, ScoreColumn) {
		columns.score = ScoreColumn
	}
	isDecision := func(value string) bool {
		return read.has(value) || columns.score == ScoreColumn && decisions.has(value)
	}
	switch {
	case named:
		return nil, fmt.Errorf("%s: --label-column none means that there are no labels, but a column has this name: give it another one", t.Name)
	case !columns.HasLabels():
		err = columns.checkPositive(t.Name, read.values(), isDecision)
	case !options.AnyLabels:
		schema.Label, err = columns.labels(t, isDecision)
	}
	if err != nil {
		return nil, err
	}
	d, err := (&encoding.Encoding{Schema: &schema}).Apply(t, nil)
	if _, ok := errors.AsType[*textfile.ParseError](err); ok && columns.evaluated { // about a label
		err = command.Advise(err, "--skip-label "+missing+" leaves out rows without a label, --skip-label VALUE rows with another label")
	}
	if err != nil {
		return nil, err
	}
	scores, err := read.scores(schema.Label)
	if err != nil {
		return nil, fmt.Errorf("%s: column %s: %w", t.Name, columns.score, err)
	}
	threshold := UsualThreshold
	// In the file of another program, a column of that name may be about something else.
	if columns.score == ScoreColumn {
		if threshold, err = decisions.threshold(scores, schema.Label); err != nil {
			return nil, fmt.Errorf("%s: column %s: %w", t.Name, DecisionColumn, err)
		}
	}
	return &Predictions{d, scores, threshold, t.Identities}, CheckGroupCount(d, columns.Groups)
}

// advise adds the flags that name columns to an error about the header, which may be below titles.
func (columns Columns) advise(err error) error {
	if fault, ok := errors.AsType[*textfile.ParseError](err); ok &&
		(fault.Line == 1 || strings.HasPrefix(fault.Msg, "there is no column")) {
		groups := "--constraint"
		if columns.evaluated {
			groups = "--group"
		}
		hints := []string{"--label-column, --score-column, --weight-column and " + groups + " name the columns"}
		if LacksLabels(err) && columns.evaluated { // certify does without if it can
			hints = append(hints, "--label-column none says that nobody knows the true labels: then selection rates are compared")
		}
		return command.Advise(err, hints...)
	}
	return err
}

// checkPositive refuses positive values that are no decisions, where there are no labels that they
// could be.
func (columns Columns) checkPositive(name string, given []string, isDecision func(value string) bool) error {
	for _, value := range columns.positive {
		switch {
		case isDecision(value):
		case given == nil:
			return command.Advise(fmt.Errorf("%s: --positive is %q, but the values of %s are neither words nor two whole numbers", name, value, columns.score),
				"--threshold T decides by scores from 0 to 1")
		default:
			return fmt.Errorf("%s: --positive is %q, but the values of %s are %s", name, value,
				columns.score, quoted(given))
		}
	}
	return nil
}

// LacksLabels reports whether an error says that a file has no column of the labels.
func LacksLabels(err error) bool {
	fault, ok := errors.AsType[*tabular.LabelError](err)
	return ok && fault.Fault == tabular.NoColumn
}

// labels says what the values in the column of the labels mean. A positive value may be a decision
// only.
func (columns Columns) labels(t *tabular.Table, isDecision func(value string) bool) (tabular.LabelSpec, error) {
	all := t.Column(columns.label).Levels
	levels := slices.DeleteFunc(slices.Clone(all), func(level string) bool {
		return slices.Contains(columns.skip, level) || slices.Contains(tabular.DefaultMissing(), level)
	})
	label := tabular.LabelSpec{Column: columns.label}
	for _, value := range columns.positive {
		switch {
		case slices.Contains(levels, value) || tabular.OtherNumbers([]string{value}, levels) != nil:
			label.Positive = append(label.Positive, value)
		case !isDecision(value):
			return label, fmt.Errorf("%s: --positive is %q, but the values of %s are %s", t.Name,
				value, columns.label, quoted(all))
		}
	}
	if usual, ok := tabular.UsualLabels(levels); ok && label.Positive == nil {
		usual.Column = columns.label
		return usual, nil
	}
	if word, ok := tabular.PositiveWord(tabular.DistinctLabels(levels)); ok && word != "" && label.Positive == nil {
		label.Positive = []string{word}
	}
	if label.Positive == nil {
		return label, command.Advise(t.LastLevel(columns.label,
			"which label is the positive one? the values of %s are %s", columns.label, quoted(levels)), advicePositive)
	}
	label = label.Completed(levels)
	if tabular.OtherNumbers(label.Positive, levels) == nil && len(tabular.DistinctLabels(label.Negative)) > 1 {
		err := t.LastLevel(columns.label, "the values of %s are %s, expected %s and one other",
			columns.label, quoted(levels), quoted(label.Positive))
		if columns.evaluated {
			err = command.Advise(err, "--skip-label VALUE leaves out rows with another label",
				"--positive VALUE, once more, makes another one positive, too")
		}
		return label, err
	}
	return label, nil
}

// mostGroups bounds the number of groups: nobody reads more, and each takes memory for
// every row.
const mostGroups = 1000

// CheckGroupCount refuses columns with so many values that they can't be groups.
func CheckGroupCount(d *dataset.Dataset, specs []string) error {
	for _, spec := range specs {
		if dataset.Combinations(d, spec) > mostGroups {
			return command.Advise(fmt.Errorf("%s: --group %s makes more than %d groups", d.Name,
				spec, mostGroups), "--group COLUMN=VALUE is a single one")
		}
	}
	return nil
}

// quoted lists the first of some values.
func quoted(values []string) string {
	const most = 5
	var list []string
	for _, v := range values[:min(most, len(values))] {
		list = append(list, fmt.Sprintf("%q", v))
	}
	if len(values) > most {
		list = append(list, fmt.Sprintf("… (%d in all)", len(values)))
	}
	return strings.Join(list, ", ")
}
