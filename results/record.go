package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
)

// runRecord is a run's JSON file: all of the run but its points.
type runRecord struct {
	Run
	Rows int `json:"rows"` // points of the trajectory
}

// read reads the two files of a run.
func (s *Store) read(cell string) (Run, error) {
	path, pointsPath := filepath.Join(s.dir, runPath(cell)), filepath.Join(s.dir, pointsPath(cell))
	var record runRecord
	if err := decodeFile(path, &record); err != nil {
		return Run{}, err
	}
	text, err := atomicfile.ReadFile(pointsPath)
	if err != nil {
		return Run{}, fmt.Errorf("%s: damaged: %w", path, err)
	}
	record.Points, err = parseTrajectory(text)
	if err == nil && len(record.Points) != record.Rows {
		err = fmt.Errorf("the file has %d points of %d", len(record.Points), record.Rows)
	}
	if err != nil {
		return Run{}, fmt.Errorf("%s: damaged: %w", pointsPath, err)
	}
	return record.Run, nil
}

// decodeFile reads a file of one JSON value, with no keys that dst doesn't have.
func decodeFile(path string, dst any) error {
	data, err := atomicfile.ReadFile(path)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err = d.Decode(dst); err == nil {
		if _, extra := d.Token(); !errors.Is(extra, io.EOF) {
			err = errors.New("something follows the JSON object")
		}
	}
	if err != nil {
		return fmt.Errorf("%s: damaged: %w", path, err)
	}
	return nil
}

// Reference is a solution of the problem that was not found by any of the compared
// methods.
type Reference struct {
	Objective  float64   `json:"objective"`  // f*
	Constraint []float64 `json:"constraint"` // c at the solution
	Multiplier []float64 `json:"multiplier"` // z*
	Residual   float64   `json:"residual"`   // KKT residual at the solution
	Method     string    `json:"method"`     // how it was computed
}

// SaveReference stores the reference optimum.
func (s *Store) SaveReference(r Reference) error {
	data, err := encode(r)
	if err != nil {
		return err
	}
	if err := s.put(referenceFile, data); err != nil {
		return err
	}
	s.reference = &r
	return nil
}

// Reference is the reference optimum, nil if none is stored.
func (s *Store) Reference() *Reference { return s.reference }

// Trial is one of the candidates of a run that is the best of several.
type Trial struct {
	Batch      int            `json:"batch"`
	Options    map[string]any `json:"options"` // the options in which candidates differ
	Status     Status         `json:"status"`
	Iterations int            `json:"iterations"`
	Samples    int64          `json:"samples"`
	Best       Judged         `json:"best"`    // of all iterates
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
