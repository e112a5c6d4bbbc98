package certify

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/train"
)

// planFlags are the flags with assumptions about the people.
func planFlags() []cli.Flag {
	const category = "Plan"
	return []cli.Flag{
		&cli.BoolFlag{Name: "plan", Category: category, Usage: "only say how many rows a test will need", DisableDefaultText: true},
		&cli.StringSliceFlag{Name: "shares", Category: category, Usage: "shares `A,B,…` of the groups (A alone: against all others); once for each of the groups of --constraint, in their order"},
		&cli.Float64Flag{Name: "rate", Category: category, Value: 0.5, Usage: "suppose an average of `R` (decisions, scores or losses) in all groups but the first"},
		&cli.Float64Flag{Name: "gap", Category: category, Usage: "suppose that the average of the first group is lower by `D`"},
		&cli.Float64Flag{Name: "base-rate", Category: category, Value: 0.5, Usage: "suppose that the share `B` of each group has the label +1"},
		&cli.Float64Flag{Name: "power", Category: category, Value: guarantee.Power, Usage: "the test is to be passed with probability `P`"},
	}
}

// planned is the output of certify --plan --json.
type planned struct {
	RowsNeeded   *int     `json:"rows_needed"` // nil if no number is enough, or none that can be found
	Confidence   float64  `json:"confidence"`
	Power        float64  `json:"power"`
	Requirements []string `json:"requirements"`
	// MostVariance is whether there is one on scores, which are supposed to vary as much as their
	// means allow.
	MostVariance bool `json:"scores_of_most_variance,omitempty"`
}

// planOptions are the flags of certify --plan.
type planOptions struct {
	requirements      []guarantee.Requirement
	prospect          guarantee.Prospect
	confidence, power float64
}

func readPlan(c *cli.Context) (*planOptions, error) {
	for _, name := range []string{"model", "data", "predictions", "label-column", "score-column", "weight-column", "positive", "skip-label", "threshold", "reuse"} {
		if c.IsSet(name) {
			return nil, command.Usagef("--%s has no meaning with --plan, which reads no rows", name)
		}
	}
	if len(command.List(c, "constraint")) == 0 {
		return nil, command.Usagef("--plan needs --constraint")
	}
	o := &planOptions{
		confidence: c.Float64("confidence"), power: c.Float64("power"),
		prospect: guarantee.Prospect{Rate: c.Float64("rate"), Gap: c.Float64("gap"), Positive: c.Float64("base-rate")},
	}
	var err error
	if o.requirements, err = input.GivenConstraints(c); err != nil {
		return nil, err
	}
	o.prospect.Groups, err = groupShares(c.StringSlice("shares"), o.requirements)
	return o, err
}

// plan says how many rows a test needs.
func (p program) plan(o *planOptions) error {
	result := planned{Confidence: o.confidence, Power: o.power}
	var named []string
	for _, r := range o.requirements {
		result.Requirements = append(result.Requirements, r.Spec)
		named = append(named, guarantee.Verdict{Spec: r.Spec, On: r.On(), Measure: r.Measure()}.Name())
		result.MostVariance = result.MostVariance || r.On() == train.Scores
	}
	rows, err := guarantee.Plan(o.requirements, o.prospect, o.confidence, o.power)
	none := errors.Is(err, guarantee.ErrNotWithin) || errors.Is(err, guarantee.ErrTooMany)
	switch {
	case none:
		err = command.Fail(command.ExitNotReached, err)
	case err != nil:
		return command.Usage(err)
	default:
		result.RowsNeeded = &rows
	}
	if p.JSON {
		return cmp.Or(p.PrintJSON(result), err)
	}
	if none {
		return err
	}
	are := "are"
	if len(named) == 1 {
		are = "is"
	}
	text := fmt.Sprintf("About %d rows are enough: with them %s %s guaranteed at %s confidence with a probability of about %.6g %%, if the people are as supposed.",
		rows, strings.Join(named, " and "), are, words.Confidence(result.Confidence), 100*result.Power)
	if result.MostVariance {
		text += " Scores are supposed to vary as much as their means allow; with others fewer rows may be enough."
	}
	return p.Print([]byte(results.Wrap(text, command.ReportWidth) + "\n"))
}

// groupShares gives every group of the requirements its list of shares.
func groupShares(lists []string, requirements []guarantee.Requirement) (map[string][]float64, error) {
	shares := map[string][]float64{}
	for _, r := range requirements {
		if shares[r.Group] != nil || r.Group == "" {
			continue
		}
		if len(shares) == len(lists) {
			return nil, command.Usagef("--shares is missing for the groups %s, such as --shares 0.3,0.7", r.Group)
		}
		for text := range strings.SplitSeq(lists[len(shares)], ",") {
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return nil, command.Usagef("--shares has %q, must be numbers such as 0.3,0.7", text)
			}
			shares[r.Group] = append(shares[r.Group], x)
		}
	}
	if len(shares) < len(lists) {
		return nil, command.Usagef("--shares is given %d times, but the constraints have %d distinct groups", len(lists), len(shares))
	}
	return shares, nil
}
