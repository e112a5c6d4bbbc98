package cutest

import (
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/internal/datatest"
)

var sifSeeds = []string{
	sifText(nonlinearData, nonlinearCode),
	sifText("VARIABLES\n    X\n    Y\nGROUPS\n N  OBJ       X         1.0\nQUADRATIC\n    X         X         4.0            Y         3.0\n", ""),
	"NAME          T\nFREE FORMAT\nVARIABLES\n _ X; _ Y\nGROUPS\n N OBJ X 1.0\nENDATA\n",
}

func FuzzDecode(f *testing.F) { datatest.Fuzz(f, sifSeeds, checkSIF) }

// checkSIF expects that no input makes the decoder or the evaluator panic or run away.
func checkSIF(t *testing.T, text string) {
	p, err := Decode(strings.NewReader(text), "fuzz.sif", Options{Steps: 10_000})
	if err != nil {
		if !strings.HasPrefix(err.Error(), "fuzz.sif") {
			t.Errorf("error %q does not name the file", err)
		}
		return
	}
	p.NewEvaluator().All(p.NewValues(), p.Start())
}

var expressionSeeds = []string{
	"X * EXP( -Y ** 2 ) + MAX( X, 1.0D0, 2 )", "( X .GT. 1.E5 .AND. .NOT. YES )", "W( 1, 2 ) / K ** (-2)",
}

func FuzzExpression(f *testing.F) { datatest.Fuzz(f, expressionSeeds, checkExpression) }

// checkExpression is checkSIF for the text of an expression alone.
func checkExpression(t *testing.T, text string) {
	if len(text) > 1000 || strings.ContainsAny(text, "\n\r") {
		return
	}
	_, err := expression(t, text, 1.5, -2)
	if err != nil && !strings.HasPrefix(err.Error(), "test.sif:") {
		t.Errorf("error %q does not name the file", err)
	}
}
