package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fairtrain/fairtrain/internal/seal"
)

// runRecord is a run's JSON file: all of the run but its points, and the identity of its
// trajectory.
type runRecord struct {
	Run
	Rows     int    `json:"rows"`
	Checksum string `json:"checksum"` // of the trajectory without its seconds
	Seal     string `json:"seal"`     // of both files, see package seal
}

// files returns the content of the two files of a run.
func (r Run) files() (record, points []byte, err error) {
	points = trajectory(r.Points)
	record, err = encode(runRecord{Run: r, Rows: len(r.Points), Checksum: checksum(r.Points), Seal: seal.Blank})
	if err != nil {
		return nil, nil, err
	}
	return seal.Close(record, points), points, nil
}

// read reads the two files of a run. The record is written last: without its trajectory it is
// damaged.
func (s *Store) read(cell string) (Run, error) {
	recordPath, trajectoryPath := filepath.Join(s.dir, runPath(cell)), filepath.Join(s.dir, pointsPath(cell))
	data, err := os.ReadFile(recordPath)
	if err != nil {
		return Run{}, err
	}
	record, err := parseRecord(data)
	if err == nil && record.Cell != cell {
		err = fmt.Errorf("holds the run of cell %s", record.Cell)
	}
	if err != nil {
		return Run{}, damaged(recordPath, err)
	}
	points, err := os.ReadFile(trajectoryPath)
	if errors.Is(err, fs.ErrNotExist) {
		return Run{}, damaged(trajectoryPath, errors.New("the file is missing"))
	}
	if err != nil {
		return Run{}, err
	}
	if record.Points, err = parseTrajectory(points); err == nil {
		err = record.checkPoints()
	}
	if err != nil {
		return Run{}, damaged(trajectoryPath, err)
	}
	if err := seal.Check(data, points); err != nil {
		return Run{}, damaged(recordPath, err)
	}
	return record.Run, nil
}

// parseRecord reads a run's JSON file; its errors name a line where they have one.
func parseRecord(data []byte) (runRecord, error) {
	var record runRecord
	if err := decodeStrict(data, &record); err != nil {
		return runRecord{}, err
	}
	return record, record.validate()
}

// checkPoints compares the points read with the points written.
func (r *runRecord) checkPoints() error {
	if len(r.Points) != r.Rows {
		return &lineError{len(r.Points) + 1, fmt.Errorf("the file ends after %d points of %d", len(r.Points), r.Rows)}
	}
	if checksum(r.Points) != r.Checksum {
		return errors.New("the numbers are not those that were written")
	}
	return nil
}

// decodeStrict reads one JSON value with no keys that dst doesn't have.
func decodeStrict(data []byte, dst any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(dst)
	if err == nil {
		if _, extra := d.Token(); !errors.Is(extra, io.EOF) {
			return &lineError{lineAt(data, d.InputOffset()), errors.New("something follows the JSON object")}
		}
		return nil
	}
	reason := errors.New(strings.TrimPrefix(err.Error(), "json: "))
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return &lineError{lineAt(data, mismatch.Offset), fmt.Errorf("%s: found %s, need %s", mismatch.Field, mismatch.Value, mismatch.Type)}
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return &lineError{lineAt(data, syntax.Offset), reason}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &lineError{lineAt(data, int64(len(data))), errors.New("the file ends in the middle of its JSON object")}
	}
	return reason
}

// lineAt is the 1-based line of a byte.
func lineAt(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(offset, int64(len(data)))], []byte{'\n'})
}

// damaged is the error of a file that doesn't hold what was written to it.
func damaged(path string, err error) error {
	place := path
	if at, ok := errors.AsType[*lineError](err); ok {
		place = fmt.Sprintf("%s:%d", path, at.line)
	}
	return &Damage{fmt.Errorf("%s: damaged: %w", place, err)}
}

// Damage is the error of a file that does not hold what was written to it. It names the
// file.
type Damage struct{ err error }

func (d *Damage) Error() string { return d.err.Error() }
func (d *Damage) Unwrap() error { return d.err }

// Reference is a solution of the problem that was not found by any of the compared
// methods.
type Reference struct {
	Objective  float64   `json:"objective"`  // f*
	Constraint []float64 `json:"constraint"` // c at the solution
	Multiplier []float64 `json:"multiplier"` // z*
	Residual   float64   `json:"residual"`   // KKT residual at the solution
	Method     string    `json:"method"`     // how it was computed
}

// referenceRecord is reference.json.
type referenceRecord struct {
	Reference
	Seal string `json:"seal"`
}

func (r *Reference) validate() error {
	for _, x := range append(append([]float64{r.Objective, r.Residual}, r.Constraint...), r.Multiplier...) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("reference: a value is %v, must be finite", x)
		}
	}
	if len(r.Constraint) == 0 || len(r.Constraint) != len(r.Multiplier) {
		return fmt.Errorf("reference: %d constraints and %d multipliers, must be as many and ≥ 1", len(r.Constraint), len(r.Multiplier))
	}
	return nil
}

// SaveReference keeps the reference optimum.
func (s *Store) SaveReference(r Reference) error {
	if err := r.validate(); err != nil {
		return err
	}
	data, err := encode(referenceRecord{r, seal.Blank})
	if err != nil {
		return err
	}
	return s.put(referenceFile, seal.Close(data))
}

// Reference returns the reference optimum, nil if none was kept.
func (s *Store) Reference() (*Reference, error) {
	path := filepath.Join(s.dir, referenceFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var r referenceRecord
	if err := decodeStrict(data, &r); err != nil {
		return nil, damaged(path, err)
	}
	if err := errors.Join(r.validate(), seal.Check(data)); err != nil {
		return nil, damaged(path, err)
	}
	return &r.Reference, nil
}

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

// runText is a run as one text, on its way from the process that has done it.
type runText struct {
	Run
	Trajectory string `json:"trajectory"`
}

// Encode returns a valid run as a text. Numbers that are not finite become NaN, as in files.
func (r Run) Encode() ([]byte, error) {
	if err := r.validate(); err != nil {
		return nil, fmt.Errorf("run %s: %w", r.Cell, err)
	}
	return json.Marshal(runText{r, string(trajectory(r.Points))})
}

// DecodeRun reads what Encode has written.
func DecodeRun(text []byte) (Run, error) {
	var t runText
	if err := decodeStrict(text, &t); err != nil {
		return Run{}, fmt.Errorf("text of a run: %w", err)
	}
	var err error
	t.Points, err = parseTrajectory([]byte(t.Trajectory))
	return t.Run, err
}
