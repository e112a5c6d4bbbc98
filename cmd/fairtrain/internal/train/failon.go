package train

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/certify"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/report/words"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

// judges are the rows that may decide about the exit code.
var judges = []words.Role{words.Training, words.Unseen, words.Validation, words.Held, words.Certified}

// failOnFlag is the flag that says which rows decide about the exit code.
func failOnFlag() cli.Flag {
	var names []string
	for _, role := range judges {
		names = append(names, string(role))
	}
	return &cli.StringSliceFlag{
		Name: "fail-on", Category: "Output", DefaultText: "training, and certified with --certify",
		Usage: "exit code 3 if a constraint is not met on the rows `" + strings.Join(names, "|") + "`, certified: not guaranteed; several with commas or repeated",
	}
}

// failOn reads the flag. It refuses rows that the run does not have.
func failOn(c *cli.Context, q *request) (roles []words.Role, err error) {
	missing := map[words.Role]string{}
	if q.names.Test == "" {
		missing[words.Held] = "--test"
	}
	if q.validation == 0 {
		missing[words.Validation] = "--validation"
	}
	if !c.IsSet("certify") {
		missing[words.Certified] = "--certify"
	}
	for _, name := range command.List(c, "fail-on") {
		role := words.Role(name)
		switch {
		case !slices.Contains(judges, role):
			return nil, command.Usagef("--fail-on is %q, must be training, unseen, validation, test or certified", name)
		case missing[role] != "":
			return nil, command.Usagef("--fail-on %s needs %s", name, missing[role])
		}
		roles = append(roles, role)
	}
	if roles == nil {
		roles = []words.Role{words.Training, words.Certified}
	}
	return roles, nil
}

// checkUnseen refuses --fail-on unseen where nothing is cross-validated.
func checkUnseen(roles []words.Role, o *train.Options) error {
	if slices.Contains(roles, words.Unseen) && o.Choice == nil {
		return command.Usagef("--fail-on unseen: nothing is cross-validated, as %s has features and no columns; --validation SHARE holds rows out", o.Data.Name)
	}
	return nil
}

// outcomeFailure returns an error unless a run ended well, which had so many passes, and its constraints
// are met on the rows of the roles.
func outcomeFailure(r *train.Report, maxPasses float64, roles []words.Role) error {
	switch r.Status {
	case solver.Interrupted:
		return command.Fail(command.ExitInterrupted, errors.New("interrupted"))
	case solver.Diverged:
		return command.Fail(command.ExitDiverged, fmt.Errorf("%s diverged", r.Method),
			"a smaller step may help: fairtrain help "+r.Method)
	case solver.Converged, train.NotReached:
		for _, role := range roles {
			if err := failureOn(role, r, maxPasses); err != nil {
				return err
			}
		}
		return nil
	}
	return command.Fail(command.ExitNotReached,
		fmt.Errorf("KKT residual %.2e after %.0f passes, above the tolerance %.0e", r.ScaledResidual, r.Passes, r.Tolerance),
		"--max-passes allows more, --tol is the tolerance")
}

// failureOn returns an error if a constraint is not met on the rows of a role, or not judged there.
func failureOn(role words.Role, r *train.Report, maxPasses float64) error {
	if role == words.Certified {
		return certify.Failure(r)
	}
	var violated, unknown []string
	for k, f := range words.Findings(r) {
		v := f.Value(role)
		switch {
		case role == words.Training: // or the rows of --constraint-data
			if !r.Requirements[k].Satisfied {
				violated = append(violated, f.Spec)
			}
		case v == nil || !v.Value.Defined():
			unknown = append(unknown, f.Spec)
		case !v.Met:
			violated = append(violated, f.Spec)
		}
	}
	switch {
	case violated != nil && role == words.Training:
		hints := []string{"a looser bound, fewer constraints or larger groups may be reached"}
		if r.Passes >= maxPasses {
			hints = append(hints, "--max-passes allows a longer search")
		}
		return command.Fail(command.ExitNotReached, fmt.Errorf("not reached: %s", strings.Join(violated, ", ")), hints...)
	case violated != nil:
		return command.Fail(command.ExitNotReached, fmt.Errorf("not met on %s: %s", role.Rows(), strings.Join(violated, ", ")))
	case unknown != nil:
		return command.Fail(command.ExitNotReached, fmt.Errorf("not judged on %s: %s", role.Rows(), strings.Join(unknown, ", ")))
	}
	return nil
}
