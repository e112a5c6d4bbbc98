package cutest

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/internal/datatest"
)

// refValue is a float64 that JSON may hold as the string "NaN", "Inf" or "-Inf".
type refValue float64

func (v *refValue) UnmarshalJSON(data []byte) error {
	var f float64
	if err := json.Unmarshal(data, &f); err == nil {
		*v = refValue(f)
		return nil
	}
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	switch strings.ToLower(strings.TrimPrefix(s, "+")) {
	case "nan":
		*v = refValue(math.NaN())
	case "inf", "infinity":
		*v = refValue(math.Inf(1))
	case "-inf", "-infinity":
		*v = refValue(math.Inf(-1))
	default:
		return fmt.Errorf("%q is not a number", s)
	}
	return nil
}

// reference holds values computed by the original Fortran tools.
type reference struct {
	Name           string           `json:"name"`
	File           string           `json:"sif_file"`
	Classification string           `json:"classification"`
	N              int              `json:"n"`
	M              int              `json:"m"`
	NNZJ           int              `json:"nnzj"`
	NoObjective    bool             `json:"noobj"`
	VarNames       []string         `json:"var_names"`
	ConNames       []string         `json:"con_names"`
	VarTypes       []int            `json:"x_type"`
	Lower          []refValue       `json:"bl"`
	Upper          []refValue       `json:"bu"`
	Equality       []int            `json:"equatn"`
	Linear         []int            `json:"linear"`
	ConLower       []refValue       `json:"cl"`
	ConUpper       []refValue       `json:"cu"`
	Points         []referencePoint `json:"points"`
}

type referencePoint struct {
	X   []refValue   `json:"x"`
	F   refValue     `json:"f"`
	G   []refValue   `json:"g"`
	C   []refValue   `json:"c"`
	Jv  []refValue   `json:"Jv"`
	JTu []refValue   `json:"JTu"`
	J   [][]refValue `json:"J_rows"`
}

// dataDir returns the folder of the SIF files with reference values, or skips the test.
func dataDir(tb testing.TB) string {
	tb.Helper()
	return filepath.Dir(datatest.Path(tb, "sif/ref"))
}

// withExternal is the one file of the collection that calls an external function.
const withExternal = "HS67"

// sifFiles lists the files of dir that can be decoded.
func sifFiles(tb testing.TB, dir string) []string {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.SIF"))
	if err != nil {
		tb.Fatal(err)
	}
	return slices.DeleteFunc(paths, func(path string) bool { return filepath.Base(path) == withExternal+".SIF" })
}

// officialParams reads the parameters that give problems their official sizes.
func officialParams(tb testing.TB, path string) map[string]map[string]string {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	params := make(map[string]map[string]string)
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if key, value, ok := strings.Cut(fields[len(fields)-1], "="); ok {
			params[fields[0]] = map[string]string{key: value}
		}
	}
	return params
}

func readReference(tb testing.TB, path string) *reference {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	ref := new(reference)
	if err := json.Unmarshal(data, ref); err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
	return ref
}

func decodeFile(tb testing.TB, path string, params map[string]string) *Problem {
	tb.Helper()
	f, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	p, err := Decode(f, filepath.Base(path), Options{Params: params})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// tally counts how well values agree.
type tally struct {
	values, tight int
	worst         float64
}

// TestReference compares every SIF file with the values of the original tools.
func TestReference(t *testing.T) {
	dir := dataDir(t)
	paths, _ := filepath.Glob(filepath.Join(dir, "ref", "*.json"))
	official := officialParams(t, filepath.Join(dir, "paper-set.tsv"))
	for name := range official {
		paths = append(paths, filepath.Join(dir, "ref-official", name+".json"))
	}
	total := tally{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		t.Run(name, func(t *testing.T) {
			if name == withExternal {
				t.Skip("it calls an external function: see TestExternalFunctions")
			}
			ref := readReference(t, path)
			var params map[string]string
			if strings.Contains(path, "official") {
				params = official[name]
			}
			p := decodeFile(t, filepath.Join(dir, ref.File+".SIF"), params)
			compareStructure(t, p, ref)
			if t.Failed() {
				return
			}
			for k := range ref.Points {
				compareValues(t, p, &ref.Points[k], k, &total)
			}
		})
	}
	t.Logf("%d values, %.3f %% within 1e-12, worst %.2g", total.values,
		100*float64(total.tight)/float64(max(1, total.values)), total.worst)
	if total.values == 0 || float64(total.tight) < 0.95*float64(total.values) {
		t.Errorf("fewer than 95 %% of the values agree to 1e-12")
	}
}

// TestExternalFunctions checks that a call of an external function is refused where it
// stands, also when its Fortran follows.
func TestExternalFunctions(t *testing.T) {
	f, err := os.Open(filepath.Join(dataDir(t), withExternal+".SIF"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = Decode(f, "HS67.SIF", Options{})
	const want = "HS67.SIF:230:25: external functions are not supported (HS67)"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func compareStructure(t *testing.T, p *Problem, ref *reference) {
	if p.N() != ref.N || p.M() != ref.M {
		t.Fatalf("n, m = %d, %d, want %d, %d", p.N(), p.M(), ref.N, ref.M)
	}
	if p.HasObjective == ref.NoObjective {
		t.Errorf("HasObjective = %v, want %v", p.HasObjective, !ref.NoObjective)
	}
	if p.Classification != ref.Classification {
		t.Errorf("classification %q, want %q", p.Classification, ref.Classification)
	}
	if len(p.Columns) != ref.NNZJ {
		t.Logf("nnzj = %d, reference %d", len(p.Columns), ref.NNZJ)
	}
	for j, v := range p.Variables {
		if v.Name != ref.VarNames[j] || int(v.Type) != ref.VarTypes[j] ||
			!near(v.Lower, ref.Lower[j]) || !near(v.Upper, ref.Upper[j]) {
			t.Fatalf("variable %d is %+v, want %q type %d [%v, %v]", j, v, ref.VarNames[j],
				ref.VarTypes[j], ref.Lower[j], ref.Upper[j])
		}
		if !near(v.Start, ref.Points[0].X[j]) {
			t.Fatalf("variable %s starts at %v, want %v", v.Name, v.Start, ref.Points[0].X[j])
		}
	}
	for i, c := range p.Constraints {
		if c.Name != ref.ConNames[i] || (c.Kind == Equality) != (ref.Equality[i] == 1) ||
			c.Linear != (ref.Linear[i] == 1) ||
			c.Lower != float64(ref.ConLower[i]) || c.Upper != float64(ref.ConUpper[i]) {
			t.Fatalf("constraint %d is %+v, want %q equality %d linear %d [%v, %v]", i, c,
				ref.ConNames[i], ref.Equality[i], ref.Linear[i], ref.ConLower[i], ref.ConUpper[i])
		}
	}
}

// near allows for the differences between elementary functions of different libraries.
func near(got float64, want refValue) bool {
	return math.Abs(got-float64(want)) <= 1e-15*max(1, math.Abs(got))
}

func compareValues(t *testing.T, p *Problem, ref *referencePoint, point int, total *tally) {
	e, v := p.NewEvaluator(), p.NewValues()
	x := floats(ref.X)
	e.All(v, x)
	own := tally{}
	check := func(what string, i int, got, want, size float64) {
		d := difference(got, want, size)
		own.values++
		if d <= 1e-12 {
			own.tight++
		}
		if d > own.worst {
			own.worst = d
		}
		if d > 1e-9 && !t.Failed() {
			t.Errorf("point %d: %s[%d] = %.17g, want %.17g (relative %.2g)", point, what, i, got, want, d)
		}
	}
	check("f", 0, v.Objective, float64(ref.F), 0)
	for j, g := range ref.G {
		check("g", j, v.Gradient[j], float64(g), 0)
	}
	for i, c := range ref.C {
		check("c", i, v.Constraints[i], float64(c), 0)
	}
	jv, jvSize := make([]float64, p.M()), make([]float64, p.M())
	jtu, jtuSize := make([]float64, p.N()), make([]float64, p.N())
	dense := make([]float64, p.N())
	for i := range p.M() {
		clear(dense)
		for k := p.RowStart[i]; k < p.RowStart[i+1]; k++ {
			j, a := p.Columns[k], v.Jacobian[k]
			dense[j] = a
			term := a * math.Cos(float64(j+1))
			jv[i] += term
			jvSize[i] += math.Abs(term)
			term = a * math.Cos(float64(i+1))
			jtu[j] += term
			jtuSize[j] += math.Abs(term)
		}
		if ref.J != nil {
			for j, a := range ref.J[i] {
				check("J", i*p.N()+j, dense[j], float64(a), 0)
			}
		}
	}
	for i, a := range ref.Jv {
		check("Jv", i, jv[i], float64(a), jvSize[i])
	}
	for j, a := range ref.JTu {
		check("JTu", j, jtu[j], float64(a), jtuSize[j])
	}
	total.values += own.values
	total.tight += own.tight
	total.worst = max(total.worst, own.worst)
}

// difference is relative to the larger of |want|, 1 and size, the scale of the sum that
// was computed.
func difference(got, want, size float64) float64 {
	if got == want || math.IsNaN(got) && math.IsNaN(want) {
		return 0
	}
	d := math.Abs(got-want) / max(math.Abs(want), size, 1)
	if math.IsNaN(d) {
		return math.Inf(1)
	}
	return d
}

func floats(v []refValue) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}
