// Package certifying has the command certify, and the test of a training run: whether
// requirements hold for the people from whom new rows are drawn. Read certify.go first; rows.go
// says which rows may be tested, remember.go how often a test is done, training.go how train --certify does it.
package certifying

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/ledger"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// program adds the commands of this package to what all of them share.
type program struct{ *command.Program }

// Command is fairtrain certify.
func Command(p *command.Program) *cli.Command {
	return &cli.Command{
		Name:  "certify",
		Usage: "test a model, or predictions, on new rows: a guarantee, or how many rows may be enough",
		Description: `Says whether constraints hold for the people from whom new rows are drawn. A false
"guaranteed" has a probability of at most 1 − confidence, if the rows are drawn in the same
way as future rows, and had no part in training or choosing the model. Without --constraint
it tests the constraints of the model. Every two groups of a constraint are compared.

   fairtrain certify --model m.json --data fresh.csv --constraint demographic-parity:group=sex,bound=0.05
   fairtrain certify --predictions scores.csv --constraint equalized-odds:group=sex,bound=0.1 --json

A test spends its rows: to change a model until it passes a test proves nothing. Tested
rows are remembered, by hashes of their values, in the folder --ledger and in the model
file. A further test on any of them is refused. With --reuse it is done at a higher
confidence: all further tests at one --confidence together then err with the probability of
a single test.

How many rows will be needed? Here for two groups, a third and the rest of the people,
with rates of positive decisions near 0.4 that truly differ by 0.01:

   fairtrain certify --plan --constraint demographic-parity:group=sex,bound=0.05 \
      --shares 0.33,0.67 --rate 0.4 --gap 0.01

The tests are exact for any number of rows; docs/guarantee.md has the proofs. Code 3 means
that what was asked is not guaranteed.`,
		Flags: slices.Concat(command.TalkFlags(), input.PredictionFlags(), []cli.Flag{
			input.ModelFlag(),
			input.DataFlag("", "test on the rows of `NAME|FILE`, - for standard input"),
			&cli.StringSliceFlag{Name: "constraint", Category: "Test", Usage: "test the constraint `SPEC`, written as for train; repeatable", DefaultText: "the model's"},
			&cli.StringFlag{Name: "on", Category: "Test", Value: train.Decisions, Usage: "what the given constraints bound: `scores|decisions`; shares and losses always bound scores"},
			&cli.Float64Flag{Name: "confidence", Category: "Test", Value: 0.95, Usage: "guarantee with confidence `P`: a false guarantee has a probability of at most 1 − P"},
			&cli.Float64Flag{Name: "threshold", Category: "Test", DefaultText: "as --predictions were decided, or 0.5", Usage: "with --predictions: a decision is positive if the score is at least `T`"},
			&cli.BoolFlag{Name: "reuse", Category: "Test", Usage: "test rows that were tested before, at a higher confidence", DisableDefaultText: true},
			&cli.StringFlag{Name: "ledger", Category: "Test", EnvVars: []string{"FAIRTRAIN_LEDGER"}, Usage: "remember tested rows in the folder `DIR`", DefaultText: "in the user's state folder"},
		}, planFlags()),
		Action: program{p}.certify,
	}
}

// Certification is the output of certify --json.
type Certification struct {
	guarantee.Certificate
	Model string `json:"model,omitempty"`
	// Threshold is the least score of a positive decision.
	Threshold float64 `json:"threshold"`
}

// CheckConfidence refuses confidences, from a file, that no test has.
func (f *Certification) CheckConfidence() error {
	const rounding = 1e-12
	if c := f.Confidence; c >= 0.5 && c < 1 && f.EarlierTests >= 0 && math.Abs(ledger.Confidence(c, f.EarlierTests)-f.TestedAt) <= rounding {
		return nil
	}
	return fmt.Errorf("the confidence is %v, of a test at %v after %d earlier ones, which certify does not write", f.Confidence, f.TestedAt, f.EarlierTests)
}

// Assumption is the assumption of a guarantee.
const Assumption = "the rows were drawn like future rows, independently of each other; nothing drifts; they had no part in training or choosing the model; what was used of them (groups, labels, scores, decisions) is true"

// errNotGuaranteed is the error of a test that was not passed.
var errNotGuaranteed = command.Fail(command.ExitNotReached, errors.New("what was asked is not guaranteed"))

func (p program) certify(c *cli.Context) error {
	if c.Bool("plan") {
		return p.plan(c)
	}
	if err := checkCertifyFlags(c); err != nil {
		return err
	}
	var m *classifier.Classifier
	if !c.IsSet("predictions") {
		var err error
		if m, err = input.LoadModel(p.Program, c); err != nil {
			return err
		}
	}
	requirements, err := requirements(c, m)
	if err != nil {
		return err
	}
	rows, err := p.readCertified(c, m, requirements)
	if err != nil {
		return err
	}
	evidence, err := rows.evidence(requirements)
	switch {
	case errors.Is(err, scoring.ErrWeighted) && m == nil:
		return command.Advise(err, "without --weight-column the test is about people who all count alike")
	case errors.Is(err, scoring.ErrWeighted):
		return command.Advise(err, "for a test about people who all count alike: fairtrain predict --id GROUP --id LABEL --out scores.csv, and certify --predictions scores.csv")
	case err != nil:
		return err
	}
	for _, spec := range guarantee.GroupsOf(requirements) {
		if err := rows.data.CheckLevels(spec); err != nil {
			return err
		}
	}
	book, err := openLedger(c)
	if err != nil {
		return err
	}
	unchecked := "predictions don't say what they were trained on"
	if m != nil {
		if unchecked, err = p.checkTraining(c, m, rows, book); err != nil {
			return err
		}
	}
	s := &sitting{book: book, rows: rows, requirements: requirements, evidence: evidence, confidence: c.Float64("confidence"), reuse: c.Bool("reuse")}
	if m != nil {
		s.known = m.Tests
	}
	if _, err := s.count(); err != nil { // before it waits for others
		return err
	}
	remarks, err := rows.remarks(requirements, nil)
	if err != nil {
		return err
	}

	result := Certification{Certificate: newCertificate(rows, remarks, unchecked), Threshold: rows.threshold}
	if m == nil {
		_, err = s.take(c.Context, &result.Certificate)
	} else {
		err = p.testModel(c, m, s, &result)
	}
	if err != nil {
		return err
	}
	if err := p.printCertification(c, &result); err != nil { // the rows can't be tested so again
		return command.Keep(err, "the outcome of the test", "certificate", func(w io.Writer) error { return json.NewEncoder(w).Encode(&result) }, book.Dir())
	}
	if !result.Holds {
		return errNotGuaranteed
	}
	return nil
}

// newCertificate returns what is known before the test. unchecked says why the rows were not compared with the
// training rows; it is empty if they were.
func newCertificate(rows *certifiedRows, remarks []string, unchecked string) guarantee.Certificate {
	return guarantee.Certificate{
		Assumption: Assumption, Remarks: remarks, Data: rows.data.Name,
		TrainingRowsChecked: unchecked == "", WhyUnchecked: unchecked,
	}
}

// test tests requirements at the confidence TestedAt; the report has the confidence that
// was asked for.
func test(ctx context.Context, r *guarantee.Certificate, requirements []guarantee.Requirement, e guarantee.Rows, asked float64) (err error) {
	r.Report, err = command.Interruptible(ctx, func() (*guarantee.Report, error) {
		return guarantee.Test(requirements, e, r.TestedAt)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", r.Data, err)
	}
	r.Confidence = asked
	r.Statement = statement(r)
	return nil
}

// checkCertifyFlags refuses flags that contradict each other or are out of range.
func checkCertifyFlags(c *cli.Context) error {
	if err := input.CheckPredictionFlags(c); err != nil {
		return err
	}
	for _, flag := range planFlags() {
		if err := command.CheckAlone(c, "plan", flag.Names()[0]); err != nil {
			return err
		}
	}
	switch {
	case c.IsSet("predictions"):
		if err := command.CheckNames(c.String("predictions")); err != nil {
			return err
		}
		if len(c.StringSlice("constraint")) == 0 {
			return command.Usagef("--predictions needs --constraint, as there is no model with constraints")
		}
	case c.IsSet("threshold"):
		return command.Usagef("--threshold needs --predictions: a model is tested with its own threshold")
	case !c.IsSet("data"):
		return command.Usage(errors.New("fairtrain certify needs --data, --predictions or --plan"))
	default:
		if err := command.CheckNames(c.String("model"), c.String("data")); err != nil {
			return err
		}
	}
	return errors.Join(checkOn(c), checkConfidence(c), command.CheckRange("threshold", c.Float64("threshold"), 0, 1))
}

func checkOn(c *cli.Context) error {
	if on := c.String("on"); on != train.Scores && on != train.Decisions {
		return command.Usagef("--on is %q, must be %s or %s", on, train.Scores, train.Decisions)
	}
	return nil
}

func checkConfidence(c *cli.Context) error {
	if x := c.Float64("confidence"); !(x >= 0.5 && x < 1) {
		return command.Usagef("--confidence is %v, must be in [0.5, 1), such as 0.95", x)
	}
	return nil
}

// requirements returns the requirements to test: from the flags, or else the model's.
func requirements(c *cli.Context, m *classifier.Classifier) ([]guarantee.Requirement, error) {
	var list []guarantee.Requirement
	add := func(spec, on string) error {
		constraint, err := model.ParseConstraint(spec)
		if err != nil {
			return err
		}
		r, err := train.ToGuarantee(constraint, on)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(list, func(other guarantee.Requirement) bool { return other.Spec == r.Spec }) {
			list = append(list, r)
		}
		return nil
	}
	for _, spec := range c.StringSlice("constraint") {
		if err := add(spec, c.String("on")); err != nil {
			return nil, command.Usage(err)
		}
	}
	if len(list) > 0 || m == nil {
		return list, nil
	}
	for _, promised := range m.Constraints {
		if promised.Spec == model.Unconstrained().String() {
			continue
		}
		if err := add(promised.Spec, promised.On); err != nil {
			return nil, command.Advise(fmt.Errorf("%s: %w", c.String("model"), err), "--constraint SPEC says what to test")
		}
	}
	if len(list) == 0 {
		return nil, command.Usagef("the model has no constraints, --constraint SPEC says what to test")
	}
	return list, nil
}

// statement says what the test found, in a sentence.
func statement(r *guarantee.Certificate) string {
	var asked, failed []string
	for _, v := range r.Requirements {
		asked = append(asked, v.Name())
		if !v.Holds {
			failed = append(failed, v.Name())
		}
	}
	if r.Holds {
		verb := "holds"
		if len(asked) > 1 {
			verb = "hold together"
		}
		return fmt.Sprintf("Guaranteed with %s %% confidence: %s %s for the people that the %d rows of %s are drawn from%s%s.",
			percent(r.Confidence), strings.Join(asked, " and "), verb, r.Rows, r.Data, compared(r.Groups()), conditions(r))
	}
	verb := "holds"
	if len(failed) > 1 {
		verb = "hold"
	}
	return fmt.Sprintf("Not guaranteed: the %d rows of %s do not show with %s %% confidence that %s %s.",
		r.Rows, r.Data, percent(r.TestedAt), strings.Join(failed, " and "), verb)
}

// conditions are what the guarantee rests on beyond the assumption, at the end of a sentence.
func conditions(r *guarantee.Certificate) string {
	var list []string
	if r.EarlierTests > 0 {
		list = append(list, "if the choice of a test of these rows depended only on whether earlier tests were passed")
	}
	if r.WhyUnchecked != "" {
		list = append(list, "if none of these rows was used in training, which could not be checked: "+r.WhyUnchecked)
	}
	if list == nil {
		return ""
	}
	return ", " + strings.Join(list, ", and ")
}

// compared names the groups that requirements were tested for.
func compared(names []string) string {
	const many = 12
	last := len(names) - 1
	switch {
	case last < 0:
		return ""
	case last == 0:
		return ", in the group " + names[0]
	case last >= many:
		return fmt.Sprintf(", in the %d groups that these rows have", len(names))
	}
	return ", in the groups " + strings.Join(names[:last], ", ") + " and " + names[last]
}
