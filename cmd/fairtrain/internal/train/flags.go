package train

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/certify"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/evaluate"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/dataset/libsvm"
	"github.com/fairtrain/fairtrain/dataset/people"
	"github.com/fairtrain/fairtrain/dataset/shards"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/model"
	"github.com/fairtrain/fairtrain/results"
	"github.com/fairtrain/fairtrain/solver"
	"github.com/fairtrain/fairtrain/train"
)

const noTest = "none" // --test none

// defaultConstraints are those of the built-in data, which have groups that differ.
var defaultConstraints = map[string]string{
	people.TrainName: "demographic-parity:group=sex,bound=0.02",
	census.TrainName: "demographic-parity:group=71,bound=0.01",
}

// TrainCommand is fairtrain train.
func TrainCommand(p *command.Program) *cli.Command {
	return &cli.Command{
		Name:  "train",
		Usage: "train one fair classifier, write the model, print a report",
		Description: `Searches for the most accurate additive or linear classifier that satisfies fairness constraints, on
the rows of CSV, Parquet or LIBSVM files. Without --data it trains on people, invented applicants for jobs.

   fairtrain train
   fairtrain train --data people.csv --label hired \
      --constraint demographic-parity:group=sex,bound=0.02
   fairtrain train --schema adult --data adult.data --test adult.test --certify 0.3 \
      --constraint equalized-odds:group=race,bound=0.05
   fairtrain train --data people.csv --label hired --model-class linear --aim training \
      --constraint demographic-parity:group=sex,bound=0.02

An additive model adds up a smooth function of each number, in bins, and a weight of each category;
a linear one multiplies numbers by weights. Cross-validation chooses the penalties and, for
constraints on decisions, the search that satisfies them on unseen rows: --model-class, --l2 and
--aim training say otherwise. LIBSVM rows get a linear model without a penalty.

Constraints, of which several may be given:

   demographic-parity:group=G,bound=E   selection rates differ by at most E
   equal-opportunity:group=G,bound=E    true positive rates differ by at most E
   predictive-equality:group=G,bound=E  false positive rates differ by at most E
   equalized-odds:group=G,bound=E       true and false positive rates differ by at most E
   error-parity:group=G,bound=E         error rates differ by at most E
   rate-ratio:group=G,min=R             the ratio of selection rates is at least R
   min-rate:group=G,of=RATE,min=R       each group's tpr|tnr|selection_rate|accuracy is at least R
   max-selection:bound=R                at most the share R of all people is selected
   bounded-group-loss:group=G,bound=E   the loss of each group is at most E (on scores)
   share:group=G,omega=W                the group has at least the share W of scores (on scores)
   none                                 unconstrained

All but share take within=COLUMN: groups are compared among the people of each value of it, as in
demographic-parity:group=sex,bound=0.05,within=department. max-selection with group=G caps each group.
They take min-rows=N, too, which leaves out groups of fewer rows. Without it all groups count.
G is a column (each value is a group), column=value (against all others), column=A|B, a cut
such as age<25 or age[25,45], a product such as sex*race, or for LIBSVM a feature number.
Columns of groups are excluded from the features unless --use-group is given.
docs/decisions.md says how decisions are bounded, docs/guarantee.md what --certify shows.
Default constraints: people ` + defaultConstraints[people.TrainName] + `,
synthetic ` + defaultConstraints[census.TrainName] + `.
Schemas: ` + strings.Join(tabular.SchemaNames(), ", ") + `.
Methods: ` + strings.Join(solver.Names(), ", ") + `;
"fairtrain help METHOD" lists the options of one, for --set.`,
		Flags: append(slices.Concat(trainingFlags("satisfy the constraint `SPEC`; several with commas or repeated"),
			pointsFlags(), certify.TrainFlags(), evaluate.ReportFlags(), resultFlags("model.json")),
			&cli.BoolFlag{Name: "save-on-interrupt", Category: "Output", Usage: "on Ctrl-C, SIGTERM or SIGHUP, write the best model so far", DisableDefaultText: true},
		),
		Action: program{Program: p}.trainAction(),
	}
}

// resultFlags are the flags of what a run writes, and of its exit code; model is the file of its model.
func resultFlags(model string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "report", Category: "Report", Usage: "write a report for people to `FILE`: HTML, or by its extension .md or .json"},
		&cli.StringFlag{Name: "model", Category: "Output", Value: model, Usage: "write the model to `FILE`, - for standard output"},
		command.ForceFlag(),
		failOnFlag(),
		&cli.BoolFlag{Name: "verbose", Category: "Output", Usage: "print the problem, the method and its constraints too", DisableDefaultText: true},
	}
}

// trainingFlags are the flags of commands that train: how to talk, the data, the problem
// and the method; constraint says how to use the flag of that name.
func trainingFlags(constraint string) []cli.Flag {
	defaults := train.DefaultOptions()
	return slices.Concat(command.TalkFlags(), command.RunFlags(), input.CSVFlags(), []cli.Flag{
		input.DataFlag(people.TrainName, "train on these labelled rows, `NAME|FILE` or -"),
		&cli.StringFlag{Name: "constraint-data", Category: "Data", Usage: "the constraints bound these rows, `NAME|FILE` or -", DefaultText: "as --data"},
		&cli.StringFlag{Name: "test", Category: "Data", Usage: "evaluate on these held-out rows too, `NAME|FILE`, - or none", DefaultText: "NAME.t, if known"},
		&cli.Float64Flag{Name: "validation", Category: "Data", Usage: "hold out the share `F` of the rows, at random, and evaluate on them too", DefaultText: "none"},
		&cli.IntFlag{Name: "features", Category: "Data", Usage: "LIBSVM rows have `N` features", DefaultText: "the largest index in --data"},

		&cli.StringSliceFlag{Name: "constraint", Category: "Problem", Usage: constraint},
		&cli.StringFlag{Name: "aim", Category: "Problem", Usage: "satisfy the constraints on `unseen|training` rows; unseen by cross-validation", DefaultText: "unseen for CSV, training for LIBSVM"},
		&cli.StringFlag{Name: "on", Category: "Problem", Usage: "all constraints bound `scores|decisions`", DefaultText: "decisions, unless marked above"},
		&cli.Float64Flag{Name: "temperature", Category: "Problem", Usage: "end the smoothing of decisions at `T`; scores are σ(margin/T)", DefaultText: "0.03 for decisions, 1 for scores"},
		&cli.StringFlag{Name: "loss", Category: "Problem", Usage: "minimise the `logistic|robust` loss", DefaultText: "logistic; of LIBSVM robust for scores"},
		&cli.Float64Flag{Name: "threshold", Category: "Problem", Value: defaults.Threshold, Usage: "a false positive costs `T`, a false negative 1-T"},
		&cli.Float64Flag{Name: "alpha", Category: "Problem", Value: defaults.Model.Alpha, Usage: "`A` bounds the influence of misfits on the robust loss"},
		&cli.StringFlag{Name: "model-class", Category: "Problem", Usage: "train an `additive|linear` model: smooth functions of numbers, or multiples of them", DefaultText: "additive for CSV, linear for LIBSVM"},
		&cli.Float64Flag{Name: "l2", Category: "Problem", Usage: "add the penalty (`L`/2)‖weights‖², of shapes on steps between neighbouring bins", DefaultText: "by cross-validation for CSV, 0 for LIBSVM"},
		&cli.StringFlag{Name: "interactions", Category: "Problem", Usage: "add up to `N|auto` pairs of columns that cross-validation finds useful", DefaultText: "none"},
		&cli.BoolFlag{Name: "intercept", Category: "Problem", Usage: "fit an intercept", DefaultText: "yes for CSV, no for LIBSVM"},
		&cli.StringFlag{Name: "class-weight", Category: "Problem", Usage: "a positive row counts `W` times; balanced: both classes count alike", DefaultText: "1"},

		&cli.StringFlag{Name: "solver", Category: "Method", Value: defaults.Method.Name(), Usage: "use the method `NAME`"},
		&cli.StringSliceFlag{Name: "set", Category: "Method", Usage: "set the option `KEY=VALUE` of the method"},
		&cli.Float64Flag{Name: "tol", Category: "Method", Value: defaults.Tolerance, Usage: "stop at a KKT residual of `T`, features scaled to size 1"},
		&cli.Float64Flag{Name: "max-passes", Category: "Method", Value: defaults.MaxPasses, Usage: "stop after `N` passes over the data", DefaultText: fmt.Sprintf("%g, up to %g on fewer than %d rows", defaults.MaxPasses, mostPasses*defaults.MaxPasses, fewRows)},
		&cli.StringFlag{Name: "output", Category: "Method", Value: string(defaults.Output), Usage: "return the `last|best|random` iterate"},
	})
}

// Passes over fewer than fewRows rows take no time, and may be up to mostPasses times as many.
const fewRows, mostPasses = 1000, 7

// passesOver is the default of --max-passes for so many rows: as much work as over fewRows rows,
// within mostPasses.
func passesOver(rows int) float64 {
	return train.DefaultOptions().MaxPasses * min(max(fewRows/float64(rows), 1), mostPasses)
}

// request are the options of commands that train.
type request struct {
	options    train.Options // but for the data and what depends on them
	names      input.Names
	reading    catalogue.InputOptions
	groups     []string // specifications of groups that are no features, or are features by useGroup
	useGroup   bool
	features   int            // of LIBSVM rows, 0 for any
	validation float64        // share of the rows held out
	testGiven  bool           // test rows are given
	passes     bool           // --max-passes is given
	balanced   bool           // --class-weight is balanced
	notes      []tabular.Note // what reading has found out; load fills it
	// sharded reads the rows to train on where they are in shards; otherwise nil.
	sharded func() (catalogue.Input, *shards.Rows, error)
	// method makes the method of a run; each needs one of its own.
	method func() (solver.Method, error)
}

// request reads the flags of commands that train.
func (p program) request(c *cli.Context) (*request, error) {
	o, err := runOptions(c)
	if err != nil {
		return nil, err
	}
	q := &request{
		options: o, names: trainNames(c), useGroup: c.Bool("use-group"), validation: c.Float64("validation"),
		passes: c.IsSet("max-passes"), balanced: c.String("class-weight") == balanced,
	}
	name, pairs := c.String("solver"), command.List(c, "set")
	q.method = func() (solver.Method, error) { return parseMethod(name, pairs) }
	q.testGiven = c.IsSet("test") // those that data known by name bring are other rows
	if p.sharded != nil {
		q.sharded = func() (catalogue.Input, *shards.Rows, error) { return p.sharded(c, q.names.Data, &q.options) }
	}
	if c.IsSet("features") {
		q.features = c.Int("features")
		if err := command.CheckRange("features", float64(q.features), 1, math.MaxInt32); err != nil {
			return nil, err
		}
	}
	if q.reading, err = input.CSVOptions(c, q.names.Data, o.Constraints); err != nil {
		return nil, err
	}
	q.reading.Rows = libsvm.Options{Features: q.features}
	q.groups = slices.Concat(input.GroupSpecs(o.Constraints), command.List(c, "group"))
	if jobs := command.Given(c, "jobs").Int("jobs"); jobs > 0 {
		runtime.GOMAXPROCS(jobs)
	}
	return q, nil
}

// runOptions reads the options of a run except the data.
func runOptions(c *cli.Context) (train.Options, error) {
	o := train.DefaultOptions()
	o.Version = results.ReadBuild().Version
	o.Command = command.Line(c, "Output", "Report")
	o.Seed = command.Given(c, "seed").Uint64("seed")
	o.Tolerance = c.Float64("tol")
	o.MaxPasses = c.Float64("max-passes")
	o.Output = solver.Output(c.String("output"))
	o.Model.Alpha = c.Float64("alpha")
	o.Model.L2, o.ChooseL2 = c.Float64("l2"), !c.IsSet("l2")
	o.Class, o.Aim = c.String("model-class"), c.String("aim")
	o.Model.Intercept = c.Bool("intercept")
	o.NoIntercept = c.IsSet("intercept") && !o.Model.Intercept
	o.Model.Temperature = c.Float64("temperature")
	o.Threshold = c.Float64("threshold")
	o.On, o.Loss = c.String("on"), c.String("loss")
	if c.IsSet("alpha") && o.Loss == "" {
		o.Loss = train.Robust
	}
	if err := checkOptions(c, &o); err != nil {
		return o, err
	}
	if o.Loss == train.Logistic && c.IsSet("alpha") {
		return o, command.Usagef("--alpha is of the robust loss, and --loss is logistic")
	}
	var err error
	if o.ClassWeight, err = classWeight(c.String("class-weight")); err != nil {
		return o, err
	}
	if o.Interactions, err = interactions(c.String("interactions")); err != nil {
		return o, err
	}
	if o.Method, err = parseMethod(c.String("solver"), command.List(c, "set")); err != nil {
		return o, err
	}
	if o.Constraints, err = parseConstraints(command.List(c, "constraint"), c.String("data")); err != nil {
		return o, err
	}
	if c.IsSet("temperature") && !slices.ContainsFunc(o.Constraints, func(c model.Constraint) bool { return !model.IsNone(c) }) {
		return o, command.Usagef("--temperature is about what a constraint bounds, and --constraint is none")
	}
	return o, checkThreshold(&o)
}

// checkThreshold refuses one that makes all decisions alike.
func checkThreshold(o *train.Options) error {
	if (o.Threshold == 0 || o.Threshold == 1) && o.OnDecisions() {
		return command.Usagef("--threshold is %v, must be in (0, 1) for constraints on decisions", o.Threshold)
	}
	return nil
}

// checkOptions refuses flags that are out of range.
func checkOptions(c *cli.Context, o *train.Options) error {
	held := c.Float64("validation")
	for _, f := range []struct {
		name  string
		value any
		ok    bool
		must  string
	}{
		{"model-class", o.Class, slices.Contains([]string{"", train.Additive, train.Linear}, o.Class), "additive or linear"},
		{"aim", o.Aim, slices.Contains([]string{"", train.AimUnseen, train.AimTraining}, o.Aim), "unseen or training"},
		{"on", o.On, slices.Contains([]string{"", train.Scores, train.Decisions}, o.On), "scores or decisions"},
		{"loss", o.Loss, slices.Contains([]string{"", train.Logistic, train.Robust}, o.Loss), "logistic or robust"},
		{
			"output", string(o.Output), slices.Contains([]solver.Output{solver.Last, solver.Best, solver.Random}, o.Output),
			"last, best or random (--model names the file to write)",
		},
		{
			"temperature", o.Model.Temperature,
			!c.IsSet("temperature") || o.Model.Temperature >= model.LeastTemperature && !math.IsInf(o.Model.Temperature, 1),
			fmt.Sprintf("≥ %g and finite", model.LeastTemperature),
		},
		{"threshold", o.Threshold, o.Threshold >= 0 && o.Threshold <= 1, "in [0, 1]"},
		{"validation", held, !c.IsSet("validation") || held > 0 && held < 1, "in (0, 1)"},
		{"tol", o.Tolerance, o.Tolerance > 0 && !math.IsInf(o.Tolerance, 1), "positive"},
		{"max-passes", o.MaxPasses, o.MaxPasses > 0 && o.MaxPasses <= 1e9, "in (0, 1e9]"},
		{"alpha", o.Model.Alpha, o.Model.Alpha > 0, "positive"},
		{"l2", o.Model.L2, o.Model.L2 >= 0 && !math.IsInf(o.Model.L2, 1), "≥ 0 and finite"},
	} {
		if !f.ok {
			return command.Usagef("--%s is %#v, must be %s", f.name, f.value, f.must)
		}
	}
	return nil
}

// balanced is the class weight that makes both classes count alike.
const balanced = "balanced"

// classWeight parses --class-weight; the weight of balanced depends on the data.
func classWeight(flag string) (float64, error) {
	if flag == "" || flag == balanced {
		return 1, nil
	}
	w, err := strconv.ParseFloat(flag, 64)
	if err != nil || !(w > 0) || math.IsInf(w, 1) {
		return 0, command.Usagef("--class-weight is %q, must be a positive number or balanced", flag)
	}
	return w, nil
}

// interactions parses --interactions.
func interactions(flag string) (int, error) {
	switch flag {
	case "":
		return 0, nil
	case "auto":
		return train.AutoInteractions, nil
	}
	n, err := strconv.Atoi(flag)
	if err != nil || n < 0 {
		return 0, command.Usagef("--interactions is %q, must be a number of pairs of columns or auto", flag)
	}
	return n, nil
}

func parseConstraints(specs []string, data string) ([]model.Constraint, error) {
	if len(specs) == 0 && defaultConstraints[data] != "" {
		specs = []string{defaultConstraints[data]}
	}
	if len(specs) == 0 {
		return nil, command.Usage(errors.New("no --constraint: which group should be treated fairly?"),
			"for example --constraint demographic-parity:group=G,bound=0.02, where G is a column of a CSV file or the feature that marks the group",
			"--constraint none trains without")
	}
	var constraints []model.Constraint
	for _, spec := range specs {
		constraint, err := model.ParseConstraint(spec)
		if err != nil {
			return nil, command.Usage(err, "fairtrain train --help describes the constraints")
		}
		if constraint == model.Unconstrained() && len(specs) > 1 {
			return nil, command.Usagef("--constraint none along with others")
		}
		constraints = append(constraints, constraint)
	}
	return constraints, nil
}

// trainNames returns the names of the data. Data known by name bring their test rows.
func trainNames(c *cli.Context) input.Names {
	n := input.Names{Data: c.String("data"), Constraint: c.String("constraint-data"), Test: c.String("test")}
	if !c.IsSet("constraint-data") {
		n.Constraint = n.Data
	}
	if !c.IsSet("test") {
		n.Test = catalogue.TestRows(n.Data)
	} else if n.Test == noTest {
		n.Test = ""
	}
	return n
}

// parseMethod returns a method with its options set from KEY=VALUE pairs.
func parseMethod(name string, pairs []string) (solver.Method, error) {
	options := map[string]any{}
	for _, pair := range pairs {
		key, text, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, command.Usage(fmt.Errorf("--set %q is not KEY=VALUE", pair),
				"fairtrain help METHOD lists the options of a method")
		}
		options[key] = text
		if number, err := strconv.ParseFloat(text, 64); err == nil {
			options[key] = number
		}
	}
	if name == "fsfo" {
		completeFSFO(options)
	}
	method, err := solver.Make(name, options)
	if method == nil {
		return nil, command.Usage(fmt.Errorf("--solver: %w", err))
	}
	hint := fmt.Sprintf("fairtrain help %s lists the options", method.Name())
	if err != nil {
		return nil, command.Usage(fmt.Errorf("--set: %w", err), hint)
	}
	if err := solver.Validate(method); err != nil {
		return nil, command.Usage(err, hint)
	}
	return method, nil
}

// completeFSFO lets Algorithm 1 train on any data: its step size needs constants that data don't
// bound, so it estimates them, and its theory's batches are larger than those of the experiments
// on small problems. A step size or batch sizes that are given stand.
func completeFSFO(options map[string]any) {
	own := false // steps or batches
	for key := range options {
		own = own || key == "eta" || strings.HasPrefix(key, "batch_") || strings.HasPrefix(key, "recurse_")
	}
	if _, given := options["rule"]; !given && !own {
		options["rule"] = solver.Theory
	}
	if _, given := options["constants"]; !given {
		options["constants"] = solver.FromEstimate
	}
}

// flagArguments returns a command line from which another process takes the same options.
func flagArguments(c *cli.Context) []string {
	list := []string{c.App.Name, c.Command.Name}
	for flag, value := range command.GivenFlags(c) {
		list = append(list, "--"+flag.Names()[0]+"="+value)
	}
	return list
}
