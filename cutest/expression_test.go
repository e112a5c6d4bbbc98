package cutest

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// expression decodes a problem whose objective is a Fortran expression in X and Y, with a
// parameter P = 3, and returns its value.
func expression(t *testing.T, text string, x, y float64) (float64, error) {
	t.Helper()
	data := `VARIABLES
    X
    Y
GROUPS
 N  OBJ
ELEMENT TYPE
 EV TYPE      X                        Y
 EP TYPE      P
ELEMENT USES
 T  E         TYPE
 V  E         X                        X
 V  E         Y                        Y
 P  E         P         3.0
GROUP USES
 E  OBJ       E
`
	var cards strings.Builder
	for i := 0; i < len(text); i += 40 {
		code := "F "
		if i > 0 {
			code = "F+"
		}
		fmt.Fprintf(&cards, " %s                     %s\n", code, text[i:min(len(text), i+40)])
	}
	code := "ELEMENTS      TEST\nTEMPORARIES\n I  K\n L  YES\nINDIVIDUALS\n T  TYPE\n A  K                   7\n A  YES                 X .GT. Y\n" +
		cards.String() + "ENDATA\n"
	p, err := Decode(strings.NewReader(sifText(data, code)), "test.sif", Options{})
	if err != nil {
		return 0, err
	}
	return p.NewEvaluator().Objective([]float64{x, y}), nil
}

// TestExpressions checks precedence, types and intrinsic functions.
func TestExpressions(t *testing.T) {
	const x, y = 1.7, -0.6
	tests := []struct {
		text string
		want float64
	}{
		{"X + Y * X", x + y*x},
		{"- X ** 2", -x * x},
		{"2 ** 3 ** 2", 512},
		{"X ** (-2)", 1 / (x * x)},
		{"X ** -2", 1 / (x * x)},
		{"X * -Y", -x * y},
		{"-X * Y - -Y", -x*y + y},
		{"X - Y - P", x - y - 3},
		{"X / Y / P", x / y / 3},
		{"7 / 2", 3},
		{"-7 / 2", -3},
		{"7.0 / 2", 3.5},
		{"K / 2 * X", 3 * x},
		{"2 ** (-1)", 0},
		{"P ** 0.5", math.Sqrt(3)},
		{"X ** 1.5", math.Pow(x, 1.5)},
		{"X ** 1.852", math.Pow(x, 1.852)},
		{"X ** P", math.Pow(x, 3)},
		{"ABS(Y) ** K", math.Pow(-y, 7)},
		{"1.5D0 + 2.D+0 + .5E-1 + 1D1", 13.55},
		{"dsqrt(x) + DLOG(X) + ALOG10(X)", math.Sqrt(x) + math.Log(x) + math.Log10(x)},
		{"DSIN(X)*DCOS(X)/TAN(X)", math.Sin(x) * math.Cos(x) / math.Tan(x)},
		{"ASIN(Y) + ACOS(Y) * ATAN(X)", math.Asin(y) + math.Acos(y)*math.Atan(x)},
		{"ATAN2(X, Y) + DATAN2(Y, X)", math.Atan2(x, y) + math.Atan2(y, x)},
		{"SINH(X) - COSH(X) * TANH(X)", math.Sinh(x) - math.Cosh(x)*math.Tanh(x)},
		{"SIGN(X, Y) + DSIGN(Y, X)", -x - y},
		{"MAX(X, Y, P) - MIN(X, Y, 2)", 3 - y},
		{"MOD(K, 4) + MOD(X, 0.5)", 3 + math.Mod(x, 0.5)},
		{"MOD(-7, 4) / 2", -1},
		{"DIM(X, Y) + DIM(Y, X)", x - y},
		{"INT(X) + NINT(X) * 10 + AINT(X)", 1 + 20 + 1},
		{"DBLE(K) / 2 + FLOAT(K / 2)", 3.5 + 3},
		{"ERF(X) + GAMMA(X)", math.Erf(x) + math.Gamma(x)},
		{"EXP(X)", math.Exp(x)},
		{"X ** 0", 1},
		{"HUGE(X) / HUGE(X)", 1},
		{"1.5_wp * X", 1.5 * x},
	}
	for _, test := range tests {
		got, err := expression(t, test.text, x, y)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
		} else if math.Abs(got-test.want) > 4e-16*max(1, math.Abs(test.want)) {
			t.Errorf("%s = %.17g, want %.17g", test.text, got, test.want)
		}
	}
}

// TestLogical evaluates conditions in all spellings.
func TestLogical(t *testing.T) {
	const x, y = 1.7, -0.6
	tests := []struct {
		text string
		want bool
	}{
		{"X .GT. Y", true},
		{"X > Y .AND. Y >= 0.0", false},
		{"X .LE. Y .OR. .NOT. X .LT. 1.0", true},
		{"X == 1.7 .EQV. Y /= -0.6", false},
		{"X .EQ. 1.7D0 .NEQV. .FALSE.", true},
		{"K.EQ.7.AND.K/2.EQ.3", true},
		{"YES .AND. .TRUE.", true},
		{"1.GE.X", false},
		{"X <= Y .OR. X < Y", false},
	}
	for _, test := range tests {
		got, err := logical(t, test.text, x, y)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
		} else if got != test.want {
			t.Errorf("%s = %v, want %v", test.text, got, test.want)
		}
	}
}

// logical evaluates a condition in X, Y, K = 7 and YES = X > Y.
func logical(t *testing.T, text string, x, y float64) (bool, error) {
	t.Helper()
	data := "VARIABLES\n    X\n    Y\nGROUPS\n N  OBJ\nELEMENT TYPE\n EV TYPE      X                        Y\n" +
		"ELEMENT USES\n T  E         TYPE\n V  E         X                        X\n V  E         Y                        Y\nGROUP USES\n E  OBJ       E\n"
	code := "ELEMENTS      TEST\nTEMPORARIES\n I  K\n L  YES\n L  TEST\n R  V\nINDIVIDUALS\n T  TYPE\n A  K                   7\n" +
		" A  YES                 X .GT. Y\n A  TEST                " + text +
		"\n I  TEST      V         1.0\n E  TEST      V         2.0\n F                      V\nENDATA\n"
	p, err := Decode(strings.NewReader(sifText(data, code)), "test.sif", Options{})
	if err != nil {
		return false, err
	}
	return p.NewEvaluator().Objective([]float64{x, y}) == 1, nil
}
