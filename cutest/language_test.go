package cutest

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/cutest/sif"
)

// sifText puts the parts of a small file together: the sections after NAME, and the code.
func sifText(data, code string) string {
	return "NAME          TEST\n" + data + "ENDATA\n" + code
}

func mustDecode(t *testing.T, text string, params ...string) *Problem {
	t.Helper()
	opt := Options{Params: make(map[string]string)}
	for _, p := range params {
		key, value, _ := strings.Cut(p, "=")
		opt.Params[key] = value
	}
	p, err := Decode(strings.NewReader(text), "test.sif", opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// evaluateAt returns all values at x and checks the derivatives by central differences.
func evaluateAt(t *testing.T, p *Problem, x []float64) *Values {
	t.Helper()
	e, v := p.NewEvaluator(), p.NewValues()
	e.All(v, x)
	checkDerivatives(t, p, x, v)
	return v
}

// checkDerivatives compares ∇f and J at x with central differences.
func checkDerivatives(t *testing.T, p *Problem, x []float64, v *Values) {
	t.Helper()
	e := p.NewEvaluator()
	const h = 1e-6
	y := append([]float64(nil), x...)
	plus, minus := make([]float64, p.M()), make([]float64, p.M())
	dense := denseJacobian(p, v)
	for j := range x {
		y[j] = x[j] + h
		up := e.Objective(y)
		e.Constraints(plus, y)
		y[j] = x[j] - h
		down := e.Objective(y)
		e.Constraints(minus, y)
		y[j] = x[j]
		if slope := (up - down) / (2 * h); math.Abs(slope-v.Gradient[j]) > 1e-6*max(1, math.Abs(slope)) {
			t.Errorf("∂f/∂%s = %g, differences give %g", p.Variables[j].Name, v.Gradient[j], slope)
		}
		for i := range plus {
			slope, got := (plus[i]-minus[i])/(2*h), dense[i][j]
			if math.Abs(slope-got) > 1e-6*max(1, math.Abs(slope)) {
				t.Errorf("∂%s/∂%s = %g, differences give %g", p.Constraints[i].Name, p.Variables[j].Name, got, slope)
			}
		}
	}
}

func denseJacobian(p *Problem, v *Values) [][]float64 {
	dense := make([][]float64, p.M())
	for i := range dense {
		dense[i] = make([]float64, p.N())
		for k := p.RowStart[i]; k < p.RowStart[i+1]; k++ {
			dense[i][p.Columns[k]] = v.Jacobian[k]
		}
	}
	return dense
}

// TestSections goes through the data part: parameters, loops, linear terms, constants,
// ranges, bounds, starting point.
func TestSections(t *testing.T) {
	p := mustDecode(t, sifText(`
*   classification LLR2-AN-4-6
 IE N                   3              $-PARAMETER
 IE 1                   1
 IE TWO                 2
 IE -1                  -1
 IA N+1       N         1
 I- N-2       N                        TWO
 RE HALF                0.5D+0
 RF ROOT      SQRT      16.0
 RI RN        N
 R/ QUOT      RN                       ROOT
 AE A(1)                10.0
VARIABLES
 DO I         1                        N
 X  X(I)
 ND
    Y         'INTEGER'
    B         'ZERO-ONE'
GROUPS
 N  OBJ       X1        1.0            X2        2.0
 N  OBJ       X1        0.5
 XE LIN       X(N)      3.0
 DO I         N                        1
 DI I         -1
 XL LE(I)     X(I)      1.0
 OD I
 G  GE        Y         1.0            B         -1.0
 ZG GE        X1                       QUOT
 E  SCALED    'SCALE'   4.0
 E  SCALED    Y         8.0
 DE BOTH      LIN       2.0            SCALED    -1.0
CONSTANTS
    SET       'DEFAULT' 1.0
    SET       OBJ       -5.0
 Z  SET       LIN                      A(1)
    OTHER     LIN       99.0
RANGES
    SET       LE1       -7.0           GE        2.5
BOUNDS
 FR SET       'DEFAULT'
 LO SET       X1        -1.0
 UP SET       X1        4.0
 FX SET       X2        2.5
 XX SET       X(N)      1.5
 UP OTHER     X1        77.0
START POINT
 XV SET       X(1)      0.25
 Z  SET       Y                        HALF
    SET       GE        3.0
`, ""))
	if p.Name != "TEST" || p.Classification != "LLR2-AN-4-6" {
		t.Errorf("name %q, classification %q", p.Name, p.Classification)
	}
	variables := []Variable{
		{Name: "X1", Type: sif.Real, Lower: -1, Upper: 4, Start: 0.25},
		{Name: "X2", Type: sif.Real, Lower: 2.5, Upper: 2.5, Start: 0},
		{Name: "X3", Type: sif.Real, Lower: 1.5, Upper: 1.5, Start: 0},
		{Name: "Y", Type: sif.Integer, Lower: -Infinity, Upper: Infinity, Start: 0.5},
		{Name: "B", Type: sif.Binary, Lower: -Infinity, Upper: Infinity, Start: 0},
	}
	if diff := cmp.Diff(variables, p.Variables); diff != "" {
		t.Errorf("variables (-want +got):\n%s", diff)
	}
	constraints := []Constraint{
		{"LIN", Equality, 0, 0, true},
		{"LE3", LessEq, -Infinity, 0, true},
		{"LE2", LessEq, -Infinity, 0, true},
		{"LE1", LessEq, -7, 0, true},
		{"GE", GreaterEq, 0, 2.5, true},
		{"SCALED", Equality, 0, 0, true},
		{"BOTH", Equality, 0, 0, true},
	}
	if diff := cmp.Diff(constraints, p.Constraints); diff != "" {
		t.Errorf("constraints (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"N"}, p.Parameters); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
	v := evaluateAt(t, p, []float64{1, 2, 3, 4, 5})
	if want := 1.5*1 + 2*2 + 5; v.Objective != want {
		t.Errorf("f = %v, want %v", v.Objective, want)
	}
	want := []float64{3*3 - 10, 3 - 1, 2 - 1, 0, 4 - 5 + 0.75 - 1, (8*4 - 1) / 4.0, 6*3 - 8*4 - 1}
	if diff := cmp.Diff(want, v.Constraints); diff != "" {
		t.Errorf("c (-want +got):\n%s", diff)
	}
}

// TestParameterChoice sets a parameter that the file offers.
func TestParameterChoice(t *testing.T) {
	text := sifText(`*IE N                   10             $-PARAMETER  original value
 IE N                   3              $-PARAMETER
*IE N                   20             $-PARAMETER
 RE A                   1.5            $-PARAMETER  slope
 IE 1                   1
VARIABLES
 DO I         1                        N
 X  X(I)
 ND
GROUPS
 ZN OBJ       X1                       A
`, "")
	p := mustDecode(t, text, "N=5", "A=2.5")
	if p.N() != 5 {
		t.Errorf("n = %d, want 5", p.N())
	}
	if diff := cmp.Diff([]string{"N", "A"}, p.Parameters); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
	if v := evaluateAt(t, p, make([]float64, 5)); v.Gradient[0] != 2.5 {
		t.Errorf("∂f/∂x1 = %v, want 2.5", v.Gradient[0])
	}
	_, err := Decode(strings.NewReader(text), "test.sif", Options{Params: map[string]string{"M": "1"}})
	if want := "test.sif: parameter M cannot be set: the file offers N, A"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestBoundRules covers each kind of bound and the two old rules about zero.
func TestBoundRules(t *testing.T) {
	cards := []struct {
		card         string
		lower, upper float64
	}{
		{" LO SET       V         2.0", 2, Infinity},
		{" UP SET       V         3.0", 0, 3},
		{" UP SET       V         0.0", -Infinity, 0},
		{" UP SET       V         -1.0", 0, -1},
		{" FX SET       V         4.0", 4, 4},
		{" FR SET       V", -Infinity, Infinity},
		{" MI SET       V", -Infinity, 0},
		{" PL SET       V", 0, Infinity},
		{" XL SET       V         2.0", 2, Infinity},
		{" XU SET       V         3.0", 0, 3},
		{" XX SET       V         4.0", 4, 4},
		{" XR SET       V", -Infinity, Infinity},
		{" XM SET       V", -Infinity, 0},
		{" XP SET       V", 0, Infinity},
		{" ZL SET       V                        P", 6, Infinity},
		{" ZU SET       V                        P", 0, 6},
		{" ZX SET       V                        P", 6, 6},
	}
	for _, test := range cards {
		for _, target := range []string{"V        ", "'DEFAULT'"} {
			card := strings.Replace(test.card, "V        ", target, 1)
			if !strings.Contains(test.card, "V        ") {
				card = strings.Replace(test.card, "V", strings.TrimSpace(target), 1)
			}
			p := mustDecode(t, sifText(" RE P                   6.0\nVARIABLES\n    V\nGROUPS\n N  OBJ\nBOUNDS\n"+card+"\n", ""))
			if v := p.Variables[0]; v.Lower != test.lower || v.Upper != test.upper {
				t.Errorf("%q gives [%g, %g], want [%g, %g]", card, v.Lower, v.Upper, test.lower, test.upper)
			}
		}
	}
}

const nonlinearData = `VARIABLES
    X
    Y
    Z
GROUPS
 N  OBJ
 E  CON       Z         1.0
CONSTANTS
    SET       CON       0.5
START POINT
    SET       'DEFAULT' 0.7
ELEMENT TYPE
 EV PROD      A                        B
 EV DIFF      A                        B
 EV DIFF      C
 IV DIFF      U
 EP DIFF      P
ELEMENT USES
 T  'DEFAULT' PROD
 V  E1        A                        X
 V  E1        B                        Y
 T  E2        DIFF
 V  E2        A                        X
 V  E2        B                        Y
 V  E2        C                        W
 P  E2        P         3.0
GROUP TYPE
 GV SQUARE    T
 GP SQUARE    Q
GROUP USES
 T  OBJ       SQUARE
 E  OBJ       E1        2.0            E2
 P  OBJ       Q         0.5
 E  CON       E2        -1.0           E1
OBJECT BOUND
 LO SET                 -10.0
`

const nonlinearCode = `ELEMENTS      TEST
TEMPORARIES
 R  S
 R  BIG
 L  NEG
 M  EXP
GLOBALS
 A  BIG                 1.0D+1
INDIVIDUALS
 T  PROD
 F                      A * B
 G  A                   B
 G  B                   A
 H  A         B         1.0
 T  DIFF
 R  U         A         1.0            B         -2.0
 R  U         C         0.5
 A  NEG                 U .LT. 0.0
 I  NEG       S         -1.0
 E  NEG       S         +1.0
 F                      S * P * U ** 2 + BIG *
 F+                       EXP( U / BIG )
 G  U                   2.0 * S * P * U
 G+                     + EXP( U / BIG )
 H  U         U         2.0 * S
ENDATA
GROUPS        TEST
INDIVIDUALS
 T  SQUARE
 F                      Q * T * T
 G                      2.0 * Q * T
 H                      2.0 * Q
ENDATA
`

// TestNonlinear covers elements with internal variables, default types, group types with
// parameters, conditions and continuations.
func TestNonlinear(t *testing.T) {
	p := mustDecode(t, sifText(nonlinearData, nonlinearCode))
	if diff := cmp.Diff([]Variable{
		{Name: "X", Type: sif.Real, Lower: 0, Upper: Infinity, Start: 0.7},
		{Name: "Y", Type: sif.Real, Lower: 0, Upper: Infinity, Start: 0.7},
		{Name: "Z", Type: sif.Real, Lower: 0, Upper: Infinity, Start: 0.7},
		{Name: "W", Type: sif.Real, Lower: 0, Upper: Infinity, Start: 0},
	}, p.Variables); diff != "" {
		t.Errorf("variables (-want +got):\n%s", diff)
	}
	if p.ObjectiveBound != [2]float64{-10, Infinity} {
		t.Errorf("objective bound %v", p.ObjectiveBound)
	}
	for _, x := range [][]float64{{1, 2, 3, 4}, {5, 1, -1, 2}} {
		u := x[0] - 2*x[1] + 0.5*x[3]
		s := math.Copysign(1, u)
		e1, e2 := x[0]*x[1], s*3*u*u+10*math.Exp(u/10)
		v := evaluateAt(t, p, x)
		if want := 0.5 * (2*e1 + e2) * (2*e1 + e2); math.Abs(v.Objective-want) > 1e-13*want {
			t.Errorf("f = %v, want %v", v.Objective, want)
		}
		if want := x[2] - 0.5 - e2 + e1; math.Abs(v.Constraints[0]-want) > 1e-12 {
			t.Errorf("c = %v, want %v", v.Constraints[0], want)
		}
	}
}

// TestBorrowedName checks that a type may use another type's variable as a temporary.
func TestBorrowedName(t *testing.T) {
	p := mustDecode(t, sifText(nonlinearData, strings.Replace(nonlinearCode,
		" F                      A * B\n", " A  U                   A * B\n F                      U\n", 1)))
	q := mustDecode(t, sifText(nonlinearData, nonlinearCode))
	x := []float64{1, 2, 3, 4}
	if diff := cmp.Diff(evaluateAt(t, q, x), evaluateAt(t, p, x)); diff != "" {
		t.Errorf("values (-direct +borrowed):\n%s", diff)
	}
}

// TestScale divides a group by its scale, of either sign, on a card of any kind.
func TestScale(t *testing.T) {
	for card, want := range map[string]float64{
		" N  OBJ       'SCALE'   -2.0":             -1.5,
		" XN OBJ       'SCALE'   -2.0":             -1.5,
		" ZN OBJ       'SCALE'                  S": -1.5,
		" N  OBJ       'SCALE'   2.0":              1.5,
	} {
		p := mustDecode(t, sifText(" RE S                   -2.0\nVARIABLES\n    X\nGROUPS\n N  OBJ       X         1.0\n"+card+"\n", ""))
		if v := evaluateAt(t, p, []float64{3}); v.Objective != want || v.Gradient[0] != want/3 {
			t.Errorf("%s: f = %v, f' = %v, want %v and %v", card, v.Objective, v.Gradient[0], want, want/3)
		}
	}
}

// TestInterleavedUses has cards of elements and of groups in an order in which none follows
// another one of the same element or group.
func TestInterleavedUses(t *testing.T) {
	data := func(elements, groups string) string {
		return `VARIABLES
    X
    Y
GROUPS
 N  A
 N  B
 N  C
ELEMENT TYPE
 EV PROD      V                        W
 EP PROD      P                        Q
 EV SUM       V                        W
ELEMENT USES
 T  'DEFAULT' SUM
` + elements + `GROUP TYPE
 GV SQUARE    T
 GP SQUARE    P                        Q
 GV CUBE      T
GROUP USES
 T  'DEFAULT' CUBE
` + groups
	}
	const code = `ELEMENTS      TEST
INDIVIDUALS
 T  PROD
 F                      P * V * W + Q
 G  V                   P * W
 G  W                   P * V
 T  SUM
 F                      V + W
 G  V                   1.0
 G  W                   1.0
ENDATA
GROUPS        TEST
INDIVIDUALS
 T  SQUARE
 F                      P * T * T + Q
 G                      2.0 * P * T
 H                      2.0 * P
 T  CUBE
 F                      T ** 3
 G                      3.0 * T ** 2
 H                      6.0 * T
ENDATA
`
	apart := data(` T  E         PROD
 V  F         V                        X
 V  E         V                        X
 P  E         P         3.0
 V  F         W                        Y
 V  E         W                        Y
 P  E         Q         0.5
`, ` T  A         SQUARE
 E  B         E
 P  A         P         2.0
 E  C         F
 E  A         E
 T  C         TRIVIAL
 E  B         F
 P  A         Q         7.0
 E  C         E
 T  A         SQUARE
 E  A         F
`)
	together := data(` T  E         PROD
 V  E         V                        X
 V  E         W                        Y
 P  E         P         3.0            Q         0.5
 V  F         V                        X
 V  F         W                        Y
`, ` T  A         SQUARE
 P  A         P         2.0            Q         7.0
 E  A         E                        F
 E  B         E                        F
 T  C         TRIVIAL
 E  C         F                        E
`)
	x := []float64{2, 5}
	got := evaluateAt(t, mustDecode(t, sifText(apart, code)), x)
	// E = 3·2·5 + ½ and F = 2 + 5; f = 2 (E + F)² + 7 + (E + F)³ + E + F.
	const sum = 37.5
	if want := 2*sum*sum + 7 + sum*sum*sum + sum; got.Objective != want {
		t.Errorf("f = %v, want %v", got.Objective, want)
	}
	if diff := cmp.Diff(evaluateAt(t, mustDecode(t, sifText(together, code)), x), got); diff != "" {
		t.Errorf("values (-together +apart):\n%s", diff)
	}
}

// TestAlternatives takes the first of several vectors of constants and ranges, bounds and
// starting points. A vector of bounds or a starting point is over once another one begins.
func TestAlternatives(t *testing.T) {
	p := mustDecode(t, sifText(`VARIABLES
    X
    Y
GROUPS
 N  OBJ       X         1.0
 G  CON       Y         1.0
CONSTANTS
    ONE       OBJ       1.0
    TWO       OBJ       2.0
    ONE       CON       3.0
RANGES
    ONE       OBJ       1.0
    TWO       CON       2.0
    ONE       CON       3.0
BOUNDS
 UP ONE       X         1.0
 UP TWO       X         2.0
 UP ONE       Y         3.0
START POINT
    ONE       X         1.0
    TWO       X         2.0
    ONE       Y         3.0
`, ""))
	if diff := cmp.Diff([]Variable{{Name: "X", Type: sif.Real, Lower: 0, Upper: 1, Start: 1}, {Name: "Y", Type: sif.Real, Lower: 0, Upper: Infinity, Start: 0}}, p.Variables); diff != "" {
		t.Errorf("variables: %s", diff)
	}
	if v := evaluateAt(t, p, []float64{0, 0}); v.Objective != -1 || v.Constraints[0] != -3 ||
		p.Constraints[0].Upper-p.Constraints[0].Lower != 3 {
		t.Errorf("f = %v, c = %v of %+v", v.Objective, v.Constraints, p.Constraints)
	}
}

// TestQuadratic covers the section of Hessian entries under all its names.
func TestQuadratic(t *testing.T) {
	for _, header := range []string{"QUADRATIC", "HESSIAN", "QUADS", "QUADOBJ", "QSECTION", "QMATRIX"} {
		p := mustDecode(t, sifText("VARIABLES\n    X\n    Y\nGROUPS\n N  OBJ       X         1.0\nBOUNDS\n"+header+
			"\n    X         X         4.0            Y         3.0\n", ""))
		if v := evaluateAt(t, p, []float64{2, 5}); v.Objective != 2+0.5*4*4+3*2*5 {
			t.Errorf("%s: f = %v", header, v.Objective)
		}
	}
}

// TestFreeFormat compares a file with its translation to free format.
func TestFreeFormat(t *testing.T) {
	free := "NAME          TEST\nFREE FORMAT\n" + `VARIABLES
 _ X; _ Y; _ Z
GROUPS
 N OBJ; E CON Z 1.0  $ remark
CONSTANTS
 _ SET CON 0.5
START POINT
 _ SET 'DEFAULT' 0.7
ELEMENT TYPE
 EV PROD A _ B ; EV DIFF A _ B
 EV DIFF C ; IV DIFF U; EP DIFF P
ELEMENT USES
$ a remark on its own
 T 'DEFAULT' PROD
 V E1 A _ X; V E1 B _ Y
 T E2 DIFF
 V E2 A _ X; V E2 B _ Y ; V E2 C _ W
 P E2 P 3.0
GROUP TYPE
 GV SQUARE T; GP SQUARE Q
GROUP USES
 T OBJ SQUARE
 E OBJ E1 2.0 E2 1.0
 P OBJ Q 0.5
 E CON E2 -1.0 E1 1.0
OBJECT BOUND
 LO SET _ -10.0
ENDATA
` + nonlinearCode
	x := []float64{1, 2, 3, 4}
	fixed := mustDecode(t, sifText(nonlinearData, nonlinearCode))
	p := mustDecode(t, strings.Replace(free, "ELEMENTS      TEST", "FIXED FORMAT\nELEMENTS      TEST", 1))
	if diff := cmp.Diff(fixed.Variables, p.Variables); diff != "" {
		t.Errorf("variables (-fixed +free):\n%s", diff)
	}
	if diff := cmp.Diff(evaluateAt(t, fixed, x), evaluateAt(t, p, x)); diff != "" {
		t.Errorf("values (-fixed +free):\n%s", diff)
	}
}
