package cutest

import (
	"fmt"
	"strings"
	"testing"
)

// FuzzDecode checks that no input makes the decoder or the evaluator panic or run away.
func FuzzDecode(f *testing.F) {
	f.Add(sif(nonlinearData, nonlinearCode))
	f.Add(sif("VARIABLES\n    X\n    Y\nGROUPS\n N  OBJ       X         1.0\nQUADRATIC\n    X         X         4.0            Y         3.0\n", ""))
	f.Add("NAME          T\nFREE FORMAT\nVARIABLES\n _ X; _ Y\nGROUPS\n N OBJ X 1.0\nENDATA\n")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := decode(strings.NewReader(text), "fuzz.sif", Options{}, 10_000)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz.sif") {
				t.Errorf("error %q does not name the file", err)
			}
			return
		}
		p.NewEvaluator().All(p.NewValues(), p.Start())
	})
}

// FuzzExpression is FuzzDecode for the text of an expression alone.
func FuzzExpression(f *testing.F) {
	f.Add("X * EXP( -Y ** 2 ) + MAX( X, 1.0D0, 2 )")
	f.Add("( X .GT. 1.E5 .AND. .NOT. YES )")
	f.Add("W( 1, 2 ) / K ** (-2)")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 || strings.ContainsAny(text, "\n\r") {
			return
		}
		_, err := expression(t, text, 1.5, -2)
		if err != nil && !strings.HasPrefix(err.Error(), "test.sif:") {
			t.Errorf("error %q does not name the file", err)
		}
	})
}

// FuzzExternal is FuzzDecode for the Fortran of an external function.
func FuzzExternal(f *testing.F) {
	f.Add("FOO = 0.0\nDO 10 I = 1, 3\n10 FOO = FOO + I * A\n")
	f.Add("REAL T(3)\nT(1) = A\nIF (A .GT. 0.0) THEN\nFOO = T(1)\nELSE\nGO TO 7\nENDIF\n7 RETURN\n")
	code := strings.Replace(nonlinearCode, "A * B", "FOO(A)", 1)
	f.Fuzz(func(t *testing.T, body string) {
		var text strings.Builder
		text.WriteString(sif(nonlinearData, code))
		text.WriteString("      FUNCTION FOO(A)\n")
		for line := range strings.Lines(body) {
			label := strings.TrimLeft(line, "0123456789")
			fmt.Fprintf(&text, "%-5.5s %s", line[:len(line)-len(label)], label)
		}
		text.WriteString("\n      END\n")
		p, err := decode(strings.NewReader(text.String()), "fuzz.sif", Options{}, 10_000)
		if err == nil {
			p.NewEvaluator().All(p.NewValues(), p.Start())
		}
	})
}
