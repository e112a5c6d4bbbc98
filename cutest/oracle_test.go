package cutest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fairtrain/fairtrain/problem"
)

// orthogonal is min (x1−2)² + x2² + x3 subject to x1² + x2² = 1, x2 x3 = 1, with x3 fixed
// at 2.
const orthogonal = `VARIABLES
    X1
    X3
    X2
GROUPS
 N  OBJ1      X1        1.0
 N  OBJ2      X2        1.0
 N  OBJ3      X3        1.0
 E  CON1
 E  CON2
CONSTANTS
    SET       OBJ1      2.0            CON1      1.0
    SET       CON2      1.0
BOUNDS
 FR SET       'DEFAULT'
 FX SET       X3        2.0
START POINT
    SET       X1        0.5            X2        0.3
ELEMENT TYPE
 EV SQ        A
 EV PR        A                        B
ELEMENT USES
 T  Q1        SQ
 V  Q1        A                        X1
 T  Q2        SQ
 V  Q2        A                        X2
 T  P         PR
 V  P         A                        X2
 V  P         B                        X3
GROUP TYPE
 GV SQUARE    T
GROUP USES
 T  OBJ1      SQUARE
 T  OBJ2      SQUARE
 E  CON1      Q1                       Q2
 E  CON2      P
`

const orthogonalCode = `ELEMENTS      TEST
INDIVIDUALS
 T  SQ
 F                      A * A
 G  A                   2.0 * A
 T  PR
 F                      A * B
 G  A                   B
 G  B                   A
ENDATA
GROUPS        TEST
INDIVIDUALS
 T  SQUARE
 F                      T * T
 G                      2.0 * T
ENDATA
`

func newTestOracle(t *testing.T) *Oracle {
	t.Helper()
	o, err := NewOracle(mustDecode(t, sifText(orthogonal, orthogonalCode)))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestOracle checks values, the elimination of a fixed variable and a padded Jacobian.
func TestOracle(t *testing.T) {
	o := newTestOracle(t)
	if n, m := o.Dims(); n != 2 || m != 2 {
		t.Fatalf("dims %d, %d, want 2, 2", n, m)
	}
	if diff := cmp.Diff([]int{0, 2}, o.free); diff != "" {
		t.Errorf("free variables (-want +got):\n%s", diff)
	}
	x := make([]float64, 2)
	o.Start(x)
	if diff := cmp.Diff([]float64{0.5, 0.3}, x); diff != "" {
		t.Errorf("start (-want +got):\n%s", diff)
	}
	want := problem.Values{
		WantObjective: true,
		Objective:     1.5*1.5 + 0.3*0.3 + 2,
		Gradient:      []float64{-3, 0.6},
		Constraint:    []float64{0.25 + 0.09 - 1, 0.6 - 1},
		Jacobian:      problem.NewJacobian(2, 2),
	}
	copy(want.Jacobian.Data, []float64{1, 0.6, 0, 2})
	joint, apart := problem.NewValues(2, 2), problem.NewValues(2, 2)
	o.Evaluate(joint, x, nil)
	apart.Objective = problem.Objective(o, x, nil)
	o.Evaluate(&problem.Values{Gradient: apart.Gradient}, x, nil)
	o.Evaluate(&problem.Values{Constraint: apart.Constraint}, x, nil)
	padded := problem.NewJacobian(2, 3)
	padded.Cols = 2
	o.Evaluate(&problem.Values{Jacobian: padded}, x, nil)
	for i := range 2 {
		copy(apart.Jacobian.Data[2*i:2*i+2], padded.Data[3*i:])
	}
	near := cmpopts.EquateApprox(0, 1e-15)
	if diff := cmp.Diff(&want, joint, near); diff != "" {
		t.Errorf("joint values (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&want, apart, near); diff != "" {
		t.Errorf("separate values (-want +got):\n%s", diff)
	}
}

// TestOracleRefuses checks the problems an oracle cannot be made of.
func TestOracleRefuses(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"unconstrained", sifText("VARIABLES\n    X\nGROUPS\n N  OBJ       X         1.0\n", ""), "no constraints"},
		{"inequality", sifText(strings.Replace(orthogonal, " E  CON2\n", " L  CON2\n", 1), orthogonalCode), "CON2 of problem TEST is an inequality"},
		{"fixed", sifText(strings.Replace(orthogonal, "FR SET", "FX SET", 1), orthogonalCode), "all variables of problem TEST are fixed"},
	}
	for _, test := range tests {
		if _, err := NewOracle(mustDecode(t, test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
	}
}
