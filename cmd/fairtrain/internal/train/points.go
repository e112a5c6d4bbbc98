package train

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
)

// pointsFlags are the flags of scorecards.
func pointsFlags() []cli.Flag {
	s := classifier.DefaultScale()
	return []cli.Flag{
		&cli.BoolFlag{Name: "points", Category: "Problem", Usage: "round the model to a scorecard of integer points, counted like any other model", DisableDefaultText: true},
		&cli.StringFlag{Name: "points-scale", Category: "Problem", Usage: "points `base=B,odds=O,pdo=P`: B at odds of O to 1, P more double the odds", DefaultText: fmt.Sprintf("base=%g,odds=%g,pdo=%g", s.Base, s.Odds, s.PDO)},
	}
}

// scaleOf returns the scale of the points, nil for no scorecard.
func scaleOf(c *cli.Context) (*classifier.Scale, error) {
	if !c.Bool("points") {
		return nil, command.CheckAlone(c, "points", "points-scale")
	}
	s := classifier.DefaultScale()
	parts := map[string]*float64{"base": &s.Base, "odds": &s.Odds, "pdo": &s.PDO}
	for _, pair := range strings.Split(c.String("points-scale"), ",") {
		if !c.IsSet("points-scale") {
			break
		}
		name, text, _ := strings.Cut(pair, "=")
		value, err := strconv.ParseFloat(text, 64)
		if parts[name] == nil || err != nil {
			return nil, command.Usagef("--points-scale: %q must be base=NUMBER, odds=NUMBER or pdo=NUMBER", pair)
		}
		*parts[name] = value
	}
	if err := s.Validate(); err != nil {
		return nil, command.Usage(fmt.Errorf("--points-scale: %w", err))
	}
	return &s, nil
}

// checkScorecard returns an error if features can't become a scorecard.
func checkScorecard(f *classifier.Features) error {
	err := f.CheckScorecard()
	switch {
	case err == nil:
		return nil
	case f.Kind == classifier.LIBSVM:
		return command.Usage(fmt.Errorf("--points: %w", err), "the rows as CSV have columns")
	}
	return command.Usage(fmt.Errorf("--points: %w", err),
		`--model-class additive makes bins of numbers, but for those that a schema keeps as "raw": as = "shape" makes them, too`)
}
