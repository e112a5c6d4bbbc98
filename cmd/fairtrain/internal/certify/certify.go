// Package certify has the command certify, and the test of a training run: whether constraints are
// satisfied for the people from whom new rows are drawn. Read certify.go first; rows.go says which
// rows may be tested, ledger.go that a test is done once, training.go how train --certify does it.
package certify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/ledger"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/train"
	"github.com/fairtrain/fairtrain/train/scoring"
)

// program adds the commands of this package to what all of them share.
type program struct{ *command.Program }

// Command is fairtrain certify.
func Command(p *command.Program) *cli.Command {
	return &cli.Command{
		Name:  "certify",
		Usage: "test a model, or predictions, on new rows: a guarantee, a violation, or how many rows may be enough",
		Description: `Tests whether constraints are satisfied for the people from whom new rows are drawn. A false
"guaranteed" has a probability of at most 1 − confidence if these rows are drawn like future
ones, and had no part in training or choosing the model. A test spends its rows: they are
remembered in a ledger, and a further test on them needs --reuse. Exit code 3: not
guaranteed, or violated: the rows show at the same confidence that a constraint is not satisfied.
docs/guarantee.md says what a guarantee means. --plan says how many rows a test will need.

   fairtrain certify --model m.json --data fresh.csv
   fairtrain certify --predictions scores.csv --constraint equalized-odds:group=sex,bound=0.1
   fairtrain certify --plan --constraint demographic-parity:group=sex,bound=0.05 \
      --shares 0.33,0.67 --rate 0.4 --gap 0.01`,
		Flags:  slices.Concat(command.TalkFlags(), input.JudgedFlags("test on the rows of `NAME|FILE`, - for standard input"), testFlags("Test"), planFlags()),
		Action: command.Action(readCertify, program{p}.certify),
	}
}

// Certification is the output of certify --json.
type Certification struct {
	guarantee.Certificate
	Model string `json:"model,omitempty"`
	// Threshold is the least score of a positive decision.
	Threshold float64 `json:"threshold"`
}

// Assumption is the assumption of a guarantee.
const Assumption = "the rows were drawn like future rows, independently of each other; nothing drifts; they had no part in training or choosing the model; what was used of them (groups, labels, scores, decisions) is true"

// The errors of a test that was not passed.
var (
	errNotGuaranteed = command.Fail(command.ExitNotReached, errors.New("not guaranteed"))
	errViolated      = command.Fail(command.ExitNotReached, errors.New("violated"))
)

// testOptions say how to test, and where tests are remembered.
type testOptions struct {
	ledger     ledger.Ledger
	confidence float64 // wanted
	reuse      bool    // test rows that were tested before
}

// testFlags are the flags of testOptions; both certify and train have them.
func testFlags(category string) []cli.Flag {
	return []cli.Flag{
		&cli.Float64Flag{Name: "confidence", Category: category, Value: 0.95, Usage: "a false guarantee has a probability of at most 1 − `P`"},
		&cli.BoolFlag{Name: "reuse", Category: category, Usage: "test rows again, at a higher confidence", DisableDefaultText: true},
		&cli.StringFlag{Name: "ledger", Category: category, EnvVars: []string{"FAIRTRAIN_LEDGER"}, Usage: "the ledger of tested rows is in the folder `DIR`", DefaultText: "in the user's state folder"},
	}
}

func readTestFlags(c *cli.Context) (o testOptions, err error) {
	o = testOptions{confidence: c.Float64("confidence"), reuse: c.Bool("reuse")}
	if err := checkConfidence(o.confidence); err != nil {
		return o, err
	}
	dir := c.String("ledger")
	if dir == "" {
		if dir, err = ledger.DefaultDir(); err != nil {
			return o, command.Advise(err, "--ledger DIR names a folder for what was tested")
		}
	}
	o.ledger = ledger.In(dir)
	return o, nil
}

// certifyOptions are the flags of certify.
type certifyOptions struct {
	plan *planOptions // nil without --plan; else there is nothing more
	testOptions
	input.Judged
	requirements []guarantee.Requirement // nil: the model's
	weighted     bool                    // a column of predictions has weights
}

func readCertify(c *cli.Context) (o certifyOptions, err error) {
	if c.Bool("plan") {
		o.plan, err = readPlan(c)
		return o, err
	}
	for _, flag := range planFlags() {
		if err := command.CheckAlone(c, "plan", flag.Names()[0]); err != nil {
			return o, err
		}
	}
	if o.Judged, err = input.ReadJudged(c, nil); err != nil {
		return o, err
	}
	switch {
	case o.Model == nil && o.Constraints == nil:
		return o, command.Usagef("--predictions needs --constraint, as there is no model with constraints")
	case o.Model != nil && o.Threshold != nil:
		return o, command.Usagef("--threshold needs --predictions: a model is tested with its own threshold")
	}
	o.requirements, o.weighted = o.Constraints, c.IsSet("weight-column")
	o.testOptions, err = readTestFlags(c)
	return o, err
}

// certify tests rows, and prints the outcome.
func (p program) certify(ctx context.Context, o certifyOptions) error {
	if o.plan != nil {
		return p.plan(o.plan)
	}
	var m *classifier.Classifier
	if o.Model != nil {
		var err error
		if m, err = input.LoadModel(ctx, p.Program, *o.Model); err != nil {
			return err
		}
		if o.requirements == nil {
			if o.requirements, err = input.ConstraintsOf(m, o.Model.Path); err != nil {
				return err
			}
		}
	}
	rows, err := p.readCertified(ctx, o, m)
	if err != nil {
		return err
	}
	var evidence guarantee.Rows
	if err = scoring.CheckWeights(rows.data); err == nil {
		evidence, err = rows.evidence(o.requirements)
	}
	switch {
	case errors.Is(err, guarantee.ErrWeighted) && m == nil:
		return command.Advise(err, "without --weight-column all rows count alike")
	case errors.Is(err, guarantee.ErrWeighted):
		return command.Advise(err, "certify --predictions tests the output of fairtrain predict --id GROUP --id LABEL, whose rows count alike")
	case err != nil:
		return err
	}
	for _, spec := range guarantee.SpecsOf(o.requirements) {
		if err := rows.data.CheckLevels(spec); err != nil {
			return err
		}
	}
	s := &holdoutTest{testOptions: o.testOptions, rows: rows, requirements: o.requirements, evidence: evidence}
	unchecked := "predictions don't say what they were trained on"
	if m != nil {
		s.inModel = m.Tests
		if unchecked, err = p.checkTraining(ctx, m, rows, o.ledger); err != nil {
			return err
		}
	}
	if _, err := s.earlier(); err != nil { // before it waits for others
		return err
	}
	remarks, err := rows.remarks(o.requirements, nil)
	if err != nil {
		return err
	}

	result := Certification{Certificate: newCertificate(rows, remarks, unchecked), Threshold: rows.threshold}
	if m == nil {
		_, err = s.do(ctx, &result.Certificate)
	} else {
		result.Model = o.Model.Path
		err = p.testModel(ctx, m, s, &result)
	}
	if err != nil {
		return err
	}
	if err := p.printCertification(&result); err != nil { // the rows can't be tested so again
		return command.Rescue(err, "the outcome of the test", "certificate",
			func(w io.Writer) error { return json.NewEncoder(w).Encode(&result) }, o.ledger.Dir())
	}
	return notPassed(result.Report)
}

// notPassed returns the error of a test that was not passed.
func notPassed(r *guarantee.Report) error {
	switch {
	case r.Holds:
		return nil
	case r.Violated():
		return errViolated
	}
	return errNotGuaranteed
}

// newCertificate returns what is known before the test. unchecked says why the rows were not
// compared with the training rows; it is empty if they were.
func newCertificate(rows *certifiedRows, remarks []string, unchecked string) guarantee.Certificate {
	return guarantee.Certificate{
		Assumption: Assumption, Remarks: remarks, Data: rows.data.Name,
		TrainingRowsChecked: unchecked == "", WhyUnchecked: unchecked,
	}
}

// test tests constraints at the confidence TestedAt; the report has the confidence that was wanted.
func test(ctx context.Context, r *guarantee.Certificate, requirements []guarantee.Requirement, e guarantee.Rows, wanted float64) (err error) {
	r.Report, err = command.Interruptible(ctx, func() (*guarantee.Report, error) {
		return guarantee.Test(requirements, e, r.TestedAt)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", r.Data, err)
	}
	r.Confidence = wanted
	r.Statement = words.Statement(r)
	return nil
}

func checkConfidence(x float64) error {
	if !(x >= 0.5 && x < 1) {
		return command.Usagef("--confidence is %v, must be in [0.5, 1), such as 0.95", x)
	}
	return nil
}

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
			decided += results.Wrap(fmt.Sprintf("%s is decided by %s.", v.Name, v.DecidedBy),
				command.ReportWidth) + "\n"
		}
		table = append(table, []string{v.Name, words.Terse(v.Estimate), words.Terse(v.Limit), words.Terse(v.Bound), v.Verdict})
	}
	command.WriteTable(b, words.TestedHead, table)
	b.WriteString(decided)
}
