package cutest_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/fairtrain/fairtrain/cutest"
)

// Problem 6 of Hock and Schittkowski: minimise (1−x1)² subject to 10(x2−x1²) = 0.
const hs6 = `NAME          HS6
*   classification QQR2-AN-2-1
VARIABLES
    X1
    X2
GROUPS
 N  OBJ       X1        -1.0
 E  CON       X2        10.0
CONSTANTS
    HS6       OBJ       -1.0
BOUNDS
 FR HS6       'DEFAULT'
START POINT
    HS6       X1        -1.2           X2        1.0
ELEMENT TYPE
 EV SQ        V
ELEMENT USES
 T  X1SQ      SQ
 V  X1SQ      V                        X1
GROUP TYPE
 GV L2        T
GROUP USES
 T  OBJ       L2
 E  CON       X1SQ      -10.0
ENDATA
ELEMENTS      HS6
INDIVIDUALS
 T  SQ
 F                      V * V
 G  V                   2.0 * V
ENDATA
GROUPS        HS6
INDIVIDUALS
 T  L2
 F                      T * T
 G                      2.0 * T
ENDATA
`

func ExampleDecode() {
	p, err := cutest.Decode(strings.NewReader(hs6), "hs6.sif", cutest.Options{})
	if err != nil {
		log.Fatal(err)
	}
	e, v := p.NewEvaluator(), p.NewValues()
	e.All(v, p.Start())
	fmt.Printf("%s (%s): n = %d, m = %d\n", p.Name, p.Classification, p.N(), p.M())
	fmt.Printf("f = %.4g, ∇f = %.4g\n", v.Objective, v.Gradient)
	fmt.Printf("c = %.4g, J = %.4g in columns %v\n", v.Constraints, v.Jacobian, p.Columns)
	// Output:
	// HS6 (QQR2-AN-2-1): n = 2, m = 1
	// f = 4.84, ∇f = [-4.4 0]
	// c = [-4.4], J = [24 10] in columns [0 1]
}
