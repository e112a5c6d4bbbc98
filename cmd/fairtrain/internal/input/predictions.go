package input

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
	"gonum.org/v1/gonum/floats"

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

// NoLabels is what --label-column names if the true labels are unknown.
const NoLabels = "none"

// The columns of the output of predict: scores, and what the threshold of the model makes of them.
const (
	ScoreColumn    = "score"
	DecisionColumn = "decision"
)

// scoresOfOthers is what other programs call scores beside decisions.
const scoresOfOthers = "y_score"

// PredictionFlags are the flags on predictions of other programs.
func PredictionFlags() []cli.Flag {
	const category = "Predictions of other programs"
	return []cli.Flag{
		&cli.StringFlag{Name: "predictions", Category: category, Usage: "judge the predictions in the CSV or Parquet `FILE`, - for standard input, instead of a model's"},
		&cli.StringFlag{Name: "label-column", Category: category, Value: "y_true", Usage: "`COLUMN` of the true labels: 0 or -1 and 1, yes and no, or values of which --positive names one; none if nobody knows them: selection rates alone can be compared"},
		&cli.StringFlag{Name: "score-column", Category: category, Value: "y_pred", DefaultText: "y_pred, or else y_score, score or decision", Usage: "`COLUMN` of the scores from 0 to 1, or of the decisions: 0 or -1 and 1, the values of the labels, or others of which --positive names one"},
		&cli.StringFlag{Name: "weight-column", Category: category, Usage: "`COLUMN` of the weights of the rows; needs labels", DefaultText: "1 each"},
		&cli.StringSliceFlag{Name: "positive", Category: category, Usage: "the label or decision `VALUE`, or label numbers such as '>0', are the positive ones; several with commas or repeated", DefaultText: "1 or yes"},
	}
}

// Columns say what the columns of predictions mean.
type Columns struct {
	Groups []string // specifications

	label, score string   // the label is NoLabels if there are none
	weight       string   // "" for none
	positive     []string // positive labels and decisions; nil where their values say it
	skip         []string // labels of rows to leave out
	usual        bool     // the scores may be in other columns as well
	decided      bool     // a column of decisions shows by which threshold they were made
}

// PredictionColumns returns the columns that PredictionFlags name.
func PredictionColumns(c *cli.Context, groups []string) (Columns, error) {
	columns := Columns{
		Groups: groups, label: c.String("label-column"), score: c.String("score-column"), weight: c.String("weight-column"),
		positive: command.List(c, "positive"), usual: !c.IsSet("score-column"),
		skip: command.List(c, "skip-label"),
	}
	columns.decided = !c.IsSet("threshold") && !slices.Contains(append(columns.groupColumns(),
		columns.label, columns.score), DecisionColumn)
	return columns, columns.check()
}

// HasLabels reports whether the rows have true labels.
func (columns Columns) HasLabels() bool { return columns.label != NoLabels }

// groupColumns returns the columns that the groups are made of, each once.
func (columns Columns) groupColumns() []string {
	names := dataset.AttributesIn(columns.Groups...)
	slices.Sort(names)
	return slices.Compact(names)
}

// check refuses columns without a name or with two meanings.
func (columns Columns) check() error {
	type column struct{ flag, name string }
	list := []column{{"score-column", columns.score}}
	if columns.HasLabels() {
		list = slices.Insert(list, 0, column{"label-column", columns.label})
	} else if columns.weight != "" || len(columns.skip) > 0 {
		return command.Usagef("--label-column none excludes --weight-column and --skip-label")
	}
	if columns.weight != "" {
		list = append(list, column{"weight-column", columns.weight})
	}
	for _, name := range columns.groupColumns() {
		list = append(list, column{"group", name})
	}
	flags := map[string]string{} // by column
	for _, c := range list {
		switch earlier, taken := flags[c.name]; {
		case c.name == "":
			return command.Usagef("--%s is empty, must name a column", c.flag)
		case taken:
			return command.Usagef("--%s names the column %q, as --%s does", c.flag, c.name, earlier)
		}
		flags[c.name] = c.flag
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
	}
	if columns.HasLabels() {
		s.Label.Column = columns.label
	}
	if columns.usual {
		s.OtherNames = map[string]string{scoresOfOthers: columns.score, ScoreColumn: columns.score, DecisionColumn: columns.score}
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
	if columns.decided { // a file may lack the column of a group that nobody names
		s.Groups = append(s.Groups, tabular.GroupSpec{Column: DecisionColumn})
	}
	return s
}

// Predictions are rows with their given scores.
type Predictions struct {
	*dataset.Dataset
	Scores     []float64
	Threshold  float64  // by which they became decisions
	Remarks    []string // on what was taken for what
	Identities []uint64 // computed without the scores; nil unless options ask for them
}

// Read reads predictions of any program. The labels are undefined where they may be missing, or
// unknown.
func (columns Columns) Read(stdin io.Reader, name string, options tabular.Options) (*Predictions, error) {
	given := scoreColumn{positive: columns.positive, code: map[string]int{}}
	options.AnyLabels = options.AnyLabels || !columns.HasLabels()
	options.Groups, options.OnlyGroups = columns.groupColumns(), true
	options.Apart, options.Each = []string{columns.score}, map[string]func(string) error{columns.score: given.add}
	t, err := catalogue.LoadTable(name, stdin, columns.schema(), options)
	if err != nil {
		return nil, columns.advise(err)
	}
	columns.score = cmp.Or(t.Renamed[columns.score], columns.score)
	var decided *tabular.Column
	if columns.decided && slices.ContainsFunc([]string{ScoreColumn, scoresOfOthers}, func(name string) bool {
		return delimited.SameName(name, columns.score) // beside another one it may be about something else
	}) {
		decided = t.Column(DecisionColumn)
	}
	schema := *t.Schema
	if !options.AnyLabels || !columns.HasLabels() {
		decisions := slices.Clone(given.values())
		if decided != nil {
			decisions = append(decisions, decided.Levels...)
		}
		if schema.Label, err = columns.labels(t, decisions); err != nil {
			return nil, err
		}
	}
	d, err := (&encoding.Encoding{Schema: &schema}).Apply(t, nil)
	if _, ok := errors.AsType[*textfile.ParseError](err); ok { // about a label
		err = command.Advise(err, "--skip-label "+missing+" leaves out rows without a label, --skip-label VALUE rows with another label")
	}
	if err != nil {
		return nil, err
	}
	if d.Weights != nil && !slices.ContainsFunc(d.Weights, func(w float64) bool { return w > 0 }) {
		return nil, command.Advise(fmt.Errorf("%s: the weights %s are all 0", name, columns.weight), "without --weight-column all rows count alike")
	}
	scores, err := given.scores(schema.Label)
	if err != nil {
		return nil, fmt.Errorf("%s: column %s: %w", t.Name, columns.score, err)
	}
	p := &Predictions{Dataset: d, Scores: scores, Threshold: UsualThreshold, Identities: t.Identities}
	for _, several := range notesOf(t, tabular.SeveralNegative, true) {
		p.Remarks = append(p.Remarks, fmt.Sprintf("%s: label %s; --skip-label VALUE leaves such rows out", t.Name, several))
	}
	if others := unnamed(given.words, columns.positive); len(others) > 1 && len(others) < len(given.words) {
		p.Remarks = append(p.Remarks, fmt.Sprintf("%s: column %s: several decisions count as negative: %s", t.Name, columns.score, quoted(others)))
	}
	if decided != nil {
		positive := columns.positive
		if taken := higher(decided, scores, schema.Label, positive); taken != "" {
			positive = []string{taken}
			p.Remarks = append(p.Remarks, fmt.Sprintf("%s: taken for the positive decision, as its scores are higher: %s; --positive says which one it is", t.Name, taken))
		}
		if p.Threshold, err = thresholdOf(decided, scores, schema.Label, positive); err != nil {
			return nil, command.Advise(fmt.Errorf("%s: column %s: %w", t.Name, DecisionColumn, err),
				"--threshold T decides by the scores, --score-column "+DecisionColumn+" judges the decisions")
		}
	}
	return p, CheckGroupCount(d, columns.Groups)
}

// advise adds to an error about a column that the file lacks the flag that names another one.
func (columns Columns) advise(err error) error {
	lacks, ok := errors.AsType[*tabular.NoColumnError](err)
	switch {
	case !ok:
		return err
	case lacks.Label:
		return command.Advise(err, "--label-column COLUMN names the true labels",
			"--label-column none is for unknown labels: then selection rates are compared")
	case lacks.Column == columns.score:
		return command.Advise(err, "--score-column COLUMN names the scores or decisions")
	case lacks.Column == columns.weight:
		return err
	}
	return command.Advise(err, "--group G, or group=G of a constraint, names columns of the file")
}

// LacksLabels reports whether an error says that a file has no column of the labels.
func LacksLabels(err error) bool {
	lacks, ok := errors.AsType[*tabular.NoColumnError](err)
	return ok && lacks.Label
}

// labels says what the values in the column of the labels mean, if there are labels. A value that
// --positive names may be a decision only.
func (columns Columns) labels(t *tabular.Table, decisions []string) (tabular.LabelSpec, error) {
	label, what, all := tabular.LabelSpec{}, "decisions", decisions
	var levels []string
	if columns.HasLabels() {
		label.Column, what, all = columns.label, "values of "+columns.label, t.Column(columns.label).Levels
		levels = slices.DeleteFunc(slices.Clone(all), func(level string) bool {
			return slices.Contains(columns.skip, level) || slices.Contains(tabular.DefaultMissing(), level)
		})
	}
	for _, value := range columns.positive {
		switch {
		case slices.Contains(levels, value) || levels != nil && tabular.OtherNumbers([]string{value}, levels) != nil:
			label.Positive = append(label.Positive, value)
		case (tabular.LabelSpec{Positive: decisions}).Names(value) == 0:
			return label, fmt.Errorf("%s: --positive is %q, but the %s are %s", t.Name, value, what, quoted(all))
		}
	}
	if !columns.HasLabels() {
		return label, nil
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
	conditions := tabular.OtherNumbers(label.Positive, levels)
	if label = label.Completed(levels); conditions == nil {
		t.NoteNegatives(label)
	}
	return label, nil
}

// scoreColumn takes the values of a column of scores, or of decisions: numbers, or words.
type scoreColumn struct {
	positive []string // values that mean a positive decision, if somebody has named them
	numbers  []float64
	words    []string // the different ones
	code     map[string]int
	codes    []int // of the rows, index into words
}

// add takes the next value. An error is about its place.
func (s *scoreColumn) add(value string) error {
	number, err := strconv.ParseFloat(strings.Replace(value, ",", ".", 1), 64)
	isNumber := err == nil && !math.IsNaN(number) && !math.IsInf(number, 0)
	switch {
	case isNumber && s.words == nil:
		s.numbers = append(s.numbers, number)
		return nil
	case s.numbers != nil:
		return fmt.Errorf("value %q, expected a number", value)
	case s.words != nil && (isNumber || slices.Contains(tabular.DefaultMissing(), value)):
		return fmt.Errorf("value %q, expected a word, as %s", value, quoted(s.words))
	case slices.Contains(tabular.DefaultMissing(), value):
		return fmt.Errorf("value %q, expected a score from 0 to 1 or a decision", value)
	}
	code, known := s.code[value]
	if !known {
		code, value = len(s.words), strings.Clone(value)
		s.code[value], s.words = code, append(s.words, value)
		if s.positive == nil && len(unnamed(s.words, nil)) > 2 {
			return fmt.Errorf("value %q after %s, expected two decisions (--positive VALUE, once for each, names the positive ones)", value, quoted(s.words[:code]))
		}
	}
	s.codes = append(s.codes, code)
	return nil
}

// mostDecisions is how many numbers may mean decisions, if one is named as positive.
const mostDecisions = 100

// distinct are the different numbers of decisions, nil for scores or words.
func (s *scoreColumn) distinct() (list []float64) {
	for _, number := range s.numbers {
		switch {
		case slices.Contains(list, number):
		case number != math.Trunc(number) || len(list) == 2 && s.positive == nil || len(list) == mostDecisions:
			return nil
		default:
			list = append(list, number)
		}
	}
	return list
}

// values are the different values of decisions, nil for scores.
func (s *scoreColumn) values() []string {
	values := s.words
	for _, number := range s.distinct() {
		values = append(values, strconv.FormatFloat(number, 'g', -1, 64))
	}
	return values
}

// scores returns the scores; decisions are 1 if positive and 0 if not.
func (s *scoreColumn) scores(label tabular.LabelSpec) ([]float64, error) {
	values := s.values()
	rule, ok := decisionRule(values, s.positive, label)
	switch {
	case !ok && s.words != nil:
		return nil, unknownDecisions(values)
	case !ok:
		return s.numbers, s.checkRange(values)
	}
	var classes, decisions []float64
	for _, value := range values {
		classes = append(classes, max(0, float64(rule.Names(value))))
	}
	for _, code := range s.codes {
		decisions = append(decisions, classes[code])
	}
	distinct := s.distinct()
	for _, number := range s.numbers {
		decisions = append(decisions, classes[slices.Index(distinct, number)])
	}
	return decisions, nil
}

// checkRange refuses numbers that are no scores, of the given values if these seem to be decisions.
func (s *scoreColumn) checkRange(values []string) error {
	k := slices.IndexFunc(s.numbers, func(number float64) bool { return !(number >= 0 && number <= 1) })
	switch {
	case k < 0:
		return nil
	case values != nil:
		return unknownDecisions(values)
	}
	return command.Advise(fmt.Errorf("the score of row %d is %v, must be in [0, 1], or all be decisions: two values such as 0 and 1", k+1, s.numbers[k]),
		"scores from 0 to 100 are to be divided by 100; of log-odds x, 1/(1 + exp(-x)) is a score")
}

// decisionRule says what different values of decisions mean: what somebody has named positive, the
// labels, or else 0 and 1, -1 and 1, or true and false. It is not ok for other values.
func decisionRule(values, positive []string, label tabular.LabelSpec) (rule tabular.LabelSpec, ok bool) {
	named, others := tabular.LabelSpec{Positive: positive}, unnamed(values, positive)
	switch {
	case len(values) == 0:
		return rule, false
	case slices.ContainsFunc(values, func(v string) bool { return named.Names(v) > 0 }):
		return tabular.LabelSpec{Positive: positive, Negative: others}, true
	case !slices.ContainsFunc(values, func(v string) bool { return label.Names(v) == 0 }):
		return label, true
	}
	return tabular.UsualLabels(values)
}

// unnamed are the different decisions that nobody has named as positive.
func unnamed(values, positive []string) []string {
	named := tabular.LabelSpec{Positive: positive}
	return tabular.DistinctLabels(slices.DeleteFunc(slices.Clone(values),
		func(v string) bool { return named.Names(v) > 0 }))
}

// advicePositive says how labels and decisions get a meaning.
const advicePositive = "--positive VALUE says it; it may be given for labels and decisions"

func unknownDecisions(values []string) error {
	return command.Advise(fmt.Errorf("which decision is the positive one? the values are %s", quoted(values)), advicePositive)
}

// higher returns which of two words of decisions has the highest score, where there are no labels and
// nobody says what the words mean.
func higher(decisions *tabular.Column, scores []float64, label tabular.LabelSpec, positive []string) string {
	isWord := func(level string) bool {
		_, err := strconv.ParseFloat(level, 64)
		return level != "" && err != nil
	}
	if _, ok := decisionRule(decisions.Levels, positive, label); ok || positive != nil || label.Positive != nil ||
		len(decisions.Levels) != 2 || !isWord(decisions.Levels[0]) || !isWord(decisions.Levels[1]) {
		return ""
	}
	return decisions.Levels[decisions.Codes.At(floats.MaxIdx(scores))-1]
}

// thresholdOf returns a threshold between the scores of positive and of other decisions, the usual
// one if it makes the same of the scores.
func thresholdOf(decisions *tabular.Column, scores []float64, label tabular.LabelSpec, positive []string) (float64, error) {
	rule, ok := decisionRule(decisions.Levels, positive, label)
	if !ok {
		return 0, unknownDecisions(decisions.Levels)
	}
	lowest, highest := math.Inf(1), math.Inf(-1) // of positive, of negative
	var low, high int                            // their rows
	for i, s := range scores {
		if rule.Names(decisions.Levels[decisions.Codes.At(i)-1]) > 0 {
			if s < lowest {
				lowest, low = s, i
			}
		} else if s > highest {
			highest, high = s, i
		}
	}
	switch {
	case lowest <= highest:
		return 0, fmt.Errorf("no threshold makes them of the scores: row %d is positive with %v, row %d is not with %v", low+1, lowest, high+1, highest)
	case highest < UsualThreshold && UsualThreshold <= lowest:
		return UsualThreshold, nil
	case !math.IsInf(lowest, 1):
		return lowest, nil
	}
	return math.Nextafter(highest, math.Inf(1)), nil // nobody is decided positively
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
