package cutest

import (
	"errors"
	"strings"
	"testing"
)

// TestErrors checks that faults name their line and construct.
func TestErrors(t *testing.T) {
	small := "VARIABLES\n    X\nGROUPS\n N  OBJ       X         1.0\n"
	tests := []struct{ name, text, want string }{
		{"empty", "", "test.sif: the file ends before the ENDATA card of its data part"},
		{"no name", "VARIABLES\n", `test.sif:1: the first card is not NAME but "VARIABLES"`},
		{"header", "NAME          T\nVARIABLE\n", `test.sif:2: indicator card "VARIABLE" is not known`},
		{"no endata", "NAME          T\nVARIABLES\n    X\n", "test.sif:3: the file ends before the ENDATA card of its data part"},
		{"number", sifText(" RE A                   1.2.3\n", ""), `test.sif:2: "1.2.3" is not a number`},
		{"integer", sifText(" IE A                   99999999999\n", ""), `test.sif:2: "99999999999" is not an integer of 32 bits`},
		{"parameter", sifText(" IA A         B         1\n", ""), `test.sif:2: integer parameter "B" is not defined`},
		{"division", sifText(" IE A                   0\n ID B         A         1\n", ""), "test.sif:3: integer division by zero"},
		{"function", sifText(" RF A         SECANT    1.0\n", ""), `test.sif:2: function "SECANT" is not one of`},
		{"domain", sifText(" RF A         LOG       -1.0\n", ""), "test.sif:2: LOG(-1) is not a finite number"},
		{"loop index", sifText("VARIABLES\n DO I         1                        2\n X  X(I)\n ND\n", ""), `test.sif:3: integer parameter "1" is not defined`},
		{"open loop", sifText(" IE 1                   1\nVARIABLES\n DO I         1                        1\n", ""), "test.sif:5: loop over I (line 4) is not closed"},
		{"stray end", sifText("VARIABLES\n OD I\n", ""), "test.sif:3: OD closes no loop"},
		{"deep loop", sifText(strings.Repeat(" DO I         1                        1\n", 4), ""), "test.sif:5: loops nested more than 3 deep"},
		{"long loop", sifText(" IE 1                   1\n IE N                   2000000000\nVARIABLES\n DO I         1                        N\n DO J         1                        N\n ND\n", ""), "test.sif:6: more than 20000000 cards executed and loop passes begun"},
		{"step", sifText(" IE 1                   1\n IE 0                   0\n DO I         1                        1\n DI I         0\n ND\n", ""), "test.sif:4: loop over I has increment 0"},
		{"index", sifText("VARIABLES\n X  X(I)\n", ""), `test.sif:3: index "I" is not a defined integer parameter`},
		{"long name", sifText(" IE I                   1234567\nVARIABLES\n X  X(I,I)\n", ""), `test.sif:4: expanded name "X1234567,1234567" has more than 10 characters`},
		{"parenthesis", sifText("VARIABLES\n X  X(I\n", ""), `test.sif:3: array name "X(I" lacks a closing parenthesis`},
		{"variable", sifText("VARIABLES\n    X\nGROUPS\n N  OBJ       Y         1.0\n", ""), `test.sif:5: variable "Y" is not declared`},
		{"group", sifText(small+"CONSTANTS\n    SET       CON       1.0\n", ""), `test.sif:7: group "CON" is not declared`},
		{"group code", sifText("GROUPS\n Q  OBJ\n", ""), `test.sif:3: code "Q" does not belong in the GROUPS section`},
		{"group type", sifText(small+"GROUP TYPE\n GV L2        T\nGROUP USES\n T  OBJ       TRIVIAL\n T  OBJ       L2\n", ""), `test.sif:10: the type of group "OBJ" is already set`},
		{"bound code", sifText(small+"BOUNDS\n BV SET       X\n", ""), `test.sif:7: code "BV" does not belong in the BOUNDS section`},
		{"element type", sifText(small+"ELEMENT USES\n T  E         TYPE\n", ""), `test.sif:7: element type "TYPE" is not declared`},
		{"element variable", sifText(small+"ELEMENT TYPE\n EV TYPE      A\nELEMENT USES\n T  E         TYPE\n V  E         B                        X\n", ""), `test.sif:10: element type "TYPE" has no variable "B"`},
		{"unset variable", sifText(small+"ELEMENT TYPE\n EV TYPE      A\nELEMENT USES\n T  E         TYPE\nGROUP USES\n E  OBJ       E\n", ""), `test.sif:9: variable "A" of element "E" is not set`},
		{"element", sifText(small+"GROUP USES\n E  OBJ       E\n", ""), `test.sif:7: element "E" is not declared`},
		{"group type", sifText(small+"GROUP USES\n T  OBJ       TYPE\n", ""), `test.sif:7: group type "TYPE" is not declared`},
		{"no code", sifText(strings.Replace(nonlinearData, "PROD", "PROE", -1), nonlinearCode), `test.sif:14: element type "PROE" has no code in the ELEMENTS part`},
		{"unclosed", sifText(nonlinearData, strings.Replace(nonlinearCode, "A * B", "A * ( B", 1)), "expected ) but found"},
		{"column", sifText(nonlinearData, strings.Replace(nonlinearCode, "A * B", "A * UU", 1)), "UU is not defined"},
		{"external", sifText(nonlinearData, strings.Replace(nonlinearCode, "A * B", "FOO(A)", 1)), "test.sif:49:25: external functions are not supported (FOO)"},
		{"undeclared", sifText(nonlinearData, strings.Replace(nonlinearCode, " R  S\n", "", 1)), "temporary S is not declared"},
		{"unset", sifText(nonlinearData, strings.Replace(nonlinearCode, "A * B", "S * B", 1)), "S is used before it is set"},
		{"real parameter", sifText(small+"CONSTANTS\n Z  SET       OBJ                      P\n", ""), `test.sif:7: real parameter "P" is not defined`},
		{"deep expression", sifText(nonlinearData, strings.Replace(nonlinearCode, "A * B\n", "A\n"+strings.Repeat(" F+                     "+strings.Repeat("*(A", 13)+"\n", 20), 1)), "expression is nested more than 200 deep"},
		{"long expression", sifText(nonlinearData, strings.Replace(nonlinearCode, "A * B\n", "A\n"+strings.Repeat(" F+                     "+strings.Repeat("+A", 20)+"\n", 1000), 1)), "expression has more than 20000 characters"},
		{"huge loop", sifText(" IE 1                   1\n IE N                   100000000000\n", ""), `test.sif:3: "100000000000" is not an integer of 32 bits`},
		{"overflow", sifText(" IE N                   2000000000\n I* M         N                        N\n", ""), "test.sif:3: integer parameter M = 4000000000000000000 does not fit 32 bits"},
		{"long line", "NAME" + strings.Repeat(" ", 1<<17), "test.sif:1: line is longer than 65536 bytes"},
		{"operations", sifText(nonlinearData, strings.Replace(nonlinearCode, " F                      A * B\n", strings.Repeat(" A  S                   S ** A + S\n", 60_000)+" F                      A * B\n", 1)), `the code of type "PROD" has more than 50000 operations`},
		{"logical", sifText(nonlinearData, strings.Replace(nonlinearCode, "U .LT. 0.0", "U + 1.0", 1)), "NEG is assigned a value of another type"},
		{"no end of code", sifText(nonlinearData, "ELEMENTS      TEST\n"), "the file ends before the ENDATA card of its ELEMENTS part"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Decode(strings.NewReader(test.text), "test.sif", Options{})
			if err == nil {
				t.Fatal("no error")
			}
			var e *Error
			if !errors.As(err, &e) {
				t.Errorf("error %v is not an *Error", err)
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %q, want %q", err, test.want)
			}
			if !strings.HasPrefix(err.Error(), "test.sif:") {
				t.Errorf("error %q does not name the file", err)
			}
		})
	}
}
