package classifier

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/internal/datatest"
)

// example returns a model of three features with every field filled in.
func example() *Classifier {
	return &Classifier{
		Features:  Features{Kind: LIBSVM, Count: 3, Names: []string{"age<30", "female & single", "prior"}},
		Weights:   []float64{0.1 + 0.2, -1e-310, math.Copysign(0, -1)},
		Intercept: -math.Pi,
		Threshold: 0.5,
		Constraints: []Constraint{
			{Name: "share(71)", Spec: "share:group=71,omega=0.3", Value: -1e-5, Satisfied: true},
		},
		Training: Training{
			Version:        "v0.1.0",
			GoVersion:      "go1.26",
			Method:         "finite-sum",
			Options:        map[string]string{"tau": "180", "radius": "+Inf"},
			Seed:           math.MaxUint64,
			Data:           Source{Name: "a9a", SHA256: strings.Repeat("ab", 32), Rows: 32561},
			ConstraintData: &Source{Name: "a9a.t", SHA256: strings.Repeat("cd", 32), Rows: 16281},
			Status:         "converged",
			Objective:      0.3278253,
			KKTResidual:    9e-4,
			Passes:         31.2,
		},
		Tests: []Test{
			{
				Time: "2026-11-21T10:00:00Z", Data: "fresh.csv", Fingerprint: "00112233445566aa", Rows: 1200,
				Requirements: []string{"demographic-parity:group=71,bound=0.1"}, Confidence: 0.95, Holds: true,
			},
		},
	}
}

func written(t testing.TB, c *Classifier) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWriteAndLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.json")
	want := example()
	var b bytes.Buffer
	if err := want.Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !math.Signbit(got.Weights[2]) {
		t.Error("the weight −0 became +0")
	}
}

func TestDigest(t *testing.T) {
	digest := func(change func(c *Classifier)) string {
		c := example()
		change(c)
		d, err := c.Digest()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	same := digest(func(*Classifier) {})
	if tested := digest(func(c *Classifier) { c.Tests = append(c.Tests, Test{Rows: 7}) }); tested != same {
		t.Error("a test makes another model")
	}
	if other := digest(func(c *Classifier) { c.Weights[0]++ }); other == same {
		t.Error("other weights are the same model")
	}
}

func TestWeightsKeepTheirBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := example()
		c.Weights = rapid.SliceOfN(rapid.Float64Range(-1e150, 1e150), 1, 20).Draw(t, "weights")
		c.Features = Features{Kind: LIBSVM, Count: len(c.Weights)}
		var b bytes.Buffer
		if err := c.Write(&b); err != nil {
			t.Fatal(err)
		}
		got, err := Read(&b, "model.json")
		if err != nil {
			t.Fatal(err)
		}
		for j, w := range c.Weights {
			if math.Float64bits(w) != math.Float64bits(got.Weights[j]) {
				t.Fatalf("weight %d: wrote %v, read %v", j, w, got.Weights[j])
			}
		}
	})
}

// TestWriteIsThatOfPackageJSON compares lists of numbers of every size.
func TestWriteIsThatOfPackageJSON(t *testing.T) {
	c := example()
	c.Weights = []float64{0, math.Copysign(0, -1), 1, -0.1, 1.2345e149, math.SmallestNonzeroFloat64}
	for e := -12.0; e < 25; e++ {
		c.Weights = append(c.Weights, math.Pow(10, e), -math.Pow(10, e)/3)
	}
	for len(c.Weights) < 5000 { // more than are written at once
		c.Weights = append(c.Weights, 1/float64(len(c.Weights)))
	}
	c.Features = Features{Kind: LIBSVM, Count: len(c.Weights)}
	want, err := json.MarshalIndent(file{Format, c}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(written(t, c)); got != string(want) {
		t.Errorf("wrote\n%.2000s\nwant\n%.2000s", got, want)
	}
}

func TestWriteRefusesAnInvalidModel(t *testing.T) {
	bad := example()
	bad.Weights[0], bad.Weights[1], bad.Intercept, bad.Threshold = -1e151, math.NaN(), math.Inf(1), math.NaN()
	var b bytes.Buffer
	err := bad.Write(&b)
	for _, field := range []string{"weights[0] is -1e+151, must be at most 1e+150 in size", "weights[1] is NaN", "intercept is +Inf", "threshold is NaN"} {
		if err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("error %v does not say %q", err, field)
		}
	}
	if b.Len() > 0 {
		t.Errorf("written: %s", &b)
	}
}

func TestLoadMissingFile(t *testing.T) {
	if _, err := Load(filepath.Join(t.TempDir(), "absent.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want fs.ErrNotExist", err)
	}
}

// badFiles maps each way to spoil the example's file to a part of the error it must give.
func badFiles(t testing.TB) map[string]struct{ content, want string } {
	good := written(t, example())
	replace := func(old, new string) string {
		t.Helper()
		if strings.Count(good, old) != 1 {
			t.Fatalf("%q occurs %d times in the example file:\n%s", old, strings.Count(good, old), good)
		}
		return strings.Replace(good, old, new, 1)
	}
	without := func(field string) string {
		t.Helper()
		var fields map[string]json.RawMessage
		if err := json.Unmarshal([]byte(good), &fields); err != nil {
			t.Fatal(err)
		}
		delete(fields, field)
		data, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	return map[string]struct{ content, want string }{
		"empty":                {"", "m.json:1:1: not a model file: unexpected end"},
		"a LIBSVM file":        {"+1 3:1 11:1\n", "m.json:1:1: not a model file: invalid character '+'"},
		"not an object":        {"[1, 2]", "not a model file"},
		"null":                 {"null", `format is ""`},
		"truncated":            {good[:len(good)/2], "not a model file: unexpected end"},
		"trailing garbage":     {good + "{}", "after top-level value"},
		"newer version":        {replace(`"fairtrain-model/1"`, `"fairtrain-model/2"`), `format is "fairtrain-model/2", must be "fairtrain-model/1"`},
		"newer version, other": {`{"format":"fairtrain-model/2","tree":{}}`, `format is "fairtrain-model/2"`},
		"no format":            {without("format"), `format is ""`},
		"no features":          {without("features"), "features is missing"},
		"no weights":           {without("weights"), "weights is missing"},
		"no intercept":         {without("intercept"), "intercept is missing"},
		"no threshold":         {without("threshold"), "threshold is missing"},
		"no training":          {without("training"), "training is missing"},
		"unknown field":        {replace(`"intercept"`, `"offset"`), `m.json: unknown field "offset"`},
		"unknown encoding":     {replace(`"libsvm"`, `"one-hot"`), `features.kind is "one-hot", must be "libsvm"`},
		"no features at all":   {`{"format":"fairtrain-model/1","features":{"kind":"libsvm","count":0},"weights":[],"intercept":0,"threshold":0.5,"training":{}}`, "features.count is 0"},
		"fewer weights":        {replace("-1e-310,", ""), "weights has 2 entries for 3 features"},
		"fewer names":          {replace(`"age<30",`, ""), "features.names has 2 entries for 3 features"},
		"null weight":          {replace("-1e-310", "null"), "weights[1] is null"},
		"weight 1e999":         {replace("-1e-310", "1e999"), "m.json:14:7: weights: found number 1e999, need float64"},
		"weight NaN":           {replace("-1e-310", "NaN"), "m.json:14:3: not a model file: invalid character 'N'"},
		"weight as text":       {replace("-1e-310", `"0.5"`), "weights: found string, need float64"},
		"threshold 1.5":        {replace(`"threshold": 0.5`, `"threshold": 1.5`), "threshold is 1.5, must be in [0, 1]"},
		"fractional rows":      {replace("32561", "32561.5"), "training.data.rows: found number 32561.5, need int"},
	}
}

func TestReadErrors(t *testing.T) {
	for name, test := range badFiles(t) {
		t.Run(name, func(t *testing.T) {
			_, err := Read(strings.NewReader(test.content), "m.json")
			if err == nil || !strings.HasPrefix(err.Error(), "m.json:") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %q, want %q", err, test.want)
			}
		})
	}
}

// seeds are models to be damaged.
func seeds(t testing.TB) []string {
	list := []string{written(t, example())}
	for _, bad := range badFiles(t) {
		list = append(list, bad.content)
	}
	slices.Sort(list)
	return list
}

func FuzzRead(f *testing.F) { datatest.Fuzz(f, seeds(f), checkModel) }

// checkModel expects that a model that is read can be written and read again.
func checkModel(t *testing.T, content string) {
	c, err := Read(strings.NewReader(content), "m.json")
	if err != nil {
		if !strings.HasPrefix(err.Error(), "m.json:") {
			t.Errorf("the error %q does not name the file", err)
		}
		return
	}
	first := written(t, c)
	again, err := Read(strings.NewReader(first), "again")
	if err != nil {
		t.Fatal(err)
	}
	// Empty and absent lists are the same to a reader, so compare what is written.
	if second := written(t, again); first != second {
		t.Error(cmp.Diff(first, second))
	}
}

// matrix builds a matrix of the given width from rows of 1-based features and
// their values.
func matrix(width int, rows ...map[int]float64) *sparse.Matrix {
	var b sparse.Builder
	for _, r := range rows {
		var cols []int
		var vals []float64
		for j := range width {
			if v, ok := r[j+1]; ok {
				cols, vals = append(cols, j), append(vals, v)
			}
		}
		b.Add(1, cols, vals)
	}
	m, _ := b.Finish(width)
	return m
}

func TestScores(t *testing.T) {
	c := &Classifier{
		Features: Features{Kind: LIBSVM, Count: 3}, Weights: []float64{1, -2, 1e4}, Intercept: 0.5, Threshold: 0.5,
	}
	got := make([]float64, 6)
	x := matrix(3, nil, map[int]float64{1: 1}, map[int]float64{1: 1.5, 2: 1}, map[int]float64{2: 1},
		map[int]float64{3: 1}, map[int]float64{3: -1})
	if err := c.Scores(got, x); err != nil {
		t.Fatal(err)
	}
	for i, t0 := range []float64{0.5, 1.5, 0, -1.5, 1e4 + 0.5, -1e4 + 0.5} {
		if want := (1 + math.Tanh(t0/2)) / 2; math.Abs(got[i]-want) > 1e-15 {
			t.Errorf("row %d: score %v, want σ(%v) = %v", i, got[i], t0, want)
		}
	}
}

func TestScoresOfNarrowAndWideData(t *testing.T) {
	c := example()
	scores := make([]float64, 1)
	if err := c.Scores(scores, matrix(2, map[int]float64{2: 1})); err != nil || scores[0] != sigmoid(-math.Pi) {
		t.Errorf("data without the last feature: score %v (%v), want σ(−π)", scores[0], err)
	}
	err := c.Scores(scores, matrix(4, map[int]float64{4: 1}))
	if err == nil || err.Error() != "the data have 4 features, the model has 3" {
		t.Errorf("data with a feature too many: error %v", err)
	}
}

func TestSigmoidTails(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-1e4, 1e4).Draw(t, "t")
		s, mirrored := sigmoid(x), sigmoid(-x)
		if !(s >= 0 && s <= 1) || math.Abs(s+mirrored-1) > 1e-15 {
			t.Fatalf("σ(%v) = %v, σ(%v) = %v", x, s, -x, mirrored)
		}
	})
	if got, want := sigmoid(-700), math.Exp(-700); got != want { // 1 + e⁻⁷⁰⁰ rounds to 1
		t.Errorf("σ(−700) = %v, want %v", got, want)
	}
}

// TestShiftRounded: what a model file keeps of a shift tells of no single person.
func TestShiftRounded(t *testing.T) {
	s := Shift{Column: "job", Lowest: LevelRate{"job=a", 1368, 0.61695}, Highest: LevelRate{"job=b", 52, 0.9}, FreeLowest: 0.12349, FreeHighest: 1}
	want := Shift{Column: "job", Lowest: LevelRate{"job=a", 1370, 0.617}, Highest: LevelRate{"job=b", 50, 0.9}, FreeLowest: 0.123, FreeHighest: 1}
	if diff := cmp.Diff(want, s.Rounded(5)); diff != "" {
		t.Error(diff)
	}
}
