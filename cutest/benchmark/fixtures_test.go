package benchmark

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/experiment"
)

// circle is min (x₁−2)² + x₂ s.t. x₁² + x₂² = 1, x₁ ≥ 0, x₃ = 3 fixed and in no function
// but the objective, as −x₃.
const circle = `NAME          CIRCLE
VARIABLES
    X1
    X2
    X3
GROUPS
 N  OBJ1      X1        1.0
 N  OBJ2      X2        1.0            X3        -1.0
 E  CON
CONSTANTS
    CIRCLE    OBJ1      2.0            CON       1.0
BOUNDS
 FR CIRCLE    X2
 FX CIRCLE    X3        3.0
START POINT
    CIRCLE    X1        1.5            X2        0.5
ELEMENT TYPE
 EV SQ        V
ELEMENT USES
 T  S1        SQ
 V  S1        V                        X1
 T  S2        SQ
 V  S2        V                        X2
GROUP TYPE
 GV L2        T
GROUP USES
 T  OBJ1      L2
 E  CON       S1                       S2
ENDATA
ELEMENTS      CIRCLE
INDIVIDUALS
 T  SQ
 F                      V * V
 G  V                   2.0 * V
ENDATA
GROUPS        CIRCLE
INDIVIDUALS
 T  L2
 F                      T * T
 G                      2.0 * T
ENDATA
`

// root is min √x s.t. x = 0, from x = 1.
const root = `NAME          ROOT
VARIABLES
    X
GROUPS
 N  OBJ
 E  CON       X         1.0
BOUNDS
 FR ROOT      X
START POINT
    ROOT      X         1.0
ELEMENT TYPE
 EV SQRT      V
ELEMENT USES
 T  S         SQRT
 V  S         V                        X
GROUP USES
 E  OBJ       S
ENDATA
ELEMENTS      ROOT
INDIVIDUALS
 T  SQRT
 F                      SQRT(V)
 G  V                   0.5 / SQRT(V)
ENDATA
`

// plane is min X1 s.t. X1 + X2 + … + XN = 1, a linear program that is unbounded below
// without the bounds of its variables.
const plane = `NAME          PLANE
 IE N                   4              $-PARAMETER
 IE 1                   1
VARIABLES
 DO I         1                        N
 X  X(I)
 ND
GROUPS
 N  OBJ       X1        1.0
 DO I         1                        N
 XE CON       X(I)      1.0
 ND
CONSTANTS
    PLANE     CON       1.0
ENDATA
`

// writeSIF writes files to a new folder.
func writeSIF(t *testing.T, texts ...string) string {
	t.Helper()
	dir := t.TempDir()
	for k, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("p%d.SIF", k)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func load(t *testing.T, texts ...string) []*Instance {
	t.Helper()
	instances, err := LoadSIF(t.Context(), writeSIF(t, texts...))
	if err != nil {
		t.Fatal(err)
	}
	return instances
}

func loadPreset(t *testing.T, name string) *experiment.Preset {
	t.Helper()
	p, err := experiment.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// replaced replaces old, which must be there, in text.
func replaced(t *testing.T, text, old, replacement string) string {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("no %q in the text", old)
	}
	return strings.Replace(text, old, replacement, 1)
}
