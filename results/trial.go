package results

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// Trial is one of the candidates of a run that is the best of several.
type Trial struct {
	Batch      int            `json:"batch"`
	Options    map[string]any `json:"options"` // the options in which candidates differ
	Status     Status         `json:"status"`
	Iterations int            `json:"iterations"`
	Samples    int64          `json:"samples"`
	Best       Judged         `json:"best"` // of all iterates
	Last       Judged         `json:"last"`
	Seconds    float64        `json:"seconds"` // with the judging
}

// Judged is an iterate of an equality-constrained problem, measured by exact values.
type Judged struct {
	Stationarity Number `json:"stationarity"` // ‖∇f + ∇c λ‖_∞ with the least-squares λ
	Feasibility  Number `json:"feasibility"`  // ‖c‖_∞
	Iteration    int    `json:"iteration"`    // 0: there is no iterate
}

// Nowhere stands for the iterate of a run without a finite iterate.
var Nowhere = Judged{Number(math.Inf(1)), Number(math.Inf(1)), 0}

// Score is the larger of the two errors.
func (j Judged) Score() float64 { return float64(max(j.Stationarity, j.Feasibility)) }

// Better is the paper's criterion: smaller stationarity among points that are feasible
// to within the threshold, otherwise smaller feasibility.
func (j Judged) Better(than Judged, threshold float64) bool {
	if float64(j.Feasibility) <= threshold && float64(than.Feasibility) <= threshold {
		return j.Stationarity < than.Stationarity
	}
	return j.Feasibility < than.Feasibility
}

// Number is a float64 that JSON can hold even if it is not finite, as "NaN", "+Inf" or
// "-Inf".
type Number float64

// MarshalJSON implements json.Marshaler.
func (x Number) MarshalJSON() ([]byte, error) {
	if v := float64(x); math.IsNaN(v) || math.IsInf(v, 0) {
		return json.Marshal(strconv.FormatFloat(v, 'g', -1, 64))
	}
	return json.Marshal(float64(x))
}

// UnmarshalJSON implements json.Unmarshaler.
func (x *Number) UnmarshalJSON(text []byte) error {
	if len(text) > 1 && text[0] == '"' {
		text = text[1 : len(text)-1]
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return fmt.Errorf("%q is not a number", text)
	}
	*x = Number(v)
	return nil
}
