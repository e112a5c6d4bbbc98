package results

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// runRecord is a run's JSON file: all of the run but its points, and the identity of its
// trajectory.
type runRecord struct {
	Run
	Rows     int    `json:"rows"`
	Checksum string `json:"checksum"` // of the trajectory without its seconds
	Seal     string `json:"seal"`     // of both files, see closeSeal
}

// files returns the content of the two files of a run.
func (r Run) files() (record, points []byte, err error) {
	points = trajectory(r.Points)
	record, err = encode(runRecord{Run: r, Rows: len(r.Points), Checksum: checksum(r.Points), Seal: blankSeal})
	if err != nil {
		return nil, nil, err
	}
	return closeSeal(record, points), points, nil
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
	if err := checkSeal(data, points); err != nil {
		return Run{}, damaged(recordPath, err)
	}
	return record.Run, nil
}

// parseRecord reads a run's JSON file.
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
		return fmt.Errorf("the file has %d points of %d", len(r.Points), r.Rows)
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
	if err := d.Decode(dst); err != nil {
		return err
	}
	if _, extra := d.Token(); !errors.Is(extra, io.EOF) {
		return errors.New("something follows the JSON object")
	}
	return nil
}

// damaged is the error of a file that doesn't hold what was written to it.
func damaged(path string, err error) error {
	return &Damage{fmt.Errorf("%s: damaged: %w", path, err)}
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
		return fmt.Errorf("reference: %d constraints and %d multipliers, must be as many and ≥ 1",
			len(r.Constraint), len(r.Multiplier))
	}
	return nil
}

// SaveReference keeps the reference optimum.
func (s *Store) SaveReference(r Reference) error {
	if err := r.validate(); err != nil {
		return err
	}
	data, err := encode(referenceRecord{r, blankSeal})
	if err != nil {
		return err
	}
	return s.put(referenceFile, closeSeal(data))
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
	if err := errors.Join(r.validate(), checkSeal(data)); err != nil {
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

// GobEncode returns a run as a text: gob itself drops pointers to numbers that are 0. Numbers that
// are not finite become NaN, as in files.
func (r Run) GobEncode() ([]byte, error) {
	return json.Marshal(runText{r, string(trajectory(r.Points))})
}

// GobDecode reads what GobEncode has written.
func (r *Run) GobDecode(text []byte) (err error) {
	var t runText
	if err := decodeStrict(text, &t); err != nil {
		return fmt.Errorf("text of a run: %w", err)
	}
	t.Points, err = parseTrajectory([]byte(t.Trajectory))
	*r = t.Run
	return err
}

// A sealed file has, at some depth, the key "seal" with the SHA-256 of its own bytes, with
// blankSeal in place of the seal, and of other bytes that belong to it. The seal shows damage
// and editing mistakes; it is no signature.
var blankSeal = strings.Repeat("0", hex.EncodedLen(sha256.Size))

var sealField = regexp.MustCompile(`"seal":\s*"([0-9a-f]{64})"`)

// closeSeal replaces the blank seal in the text of a JSON file.
func closeSeal(text []byte, belongings ...[]byte) []byte {
	closed := bytes.Clone(text)
	found := sealField.FindSubmatchIndex(text)
	copy(closed[found[2]:found[3]], sealOf(text, belongings))
	return closed
}

// checkSeal returns an error unless the file and the bytes that belong to it are unchanged
// since closeSeal.
func checkSeal(text []byte, belongings ...[]byte) error {
	found := sealField.FindSubmatchIndex(text)
	if found == nil {
		return errors.New("it has no seal")
	}
	from, to := found[2], found[3]
	blank := bytes.Clone(text)
	copy(blank[from:to], blankSeal)
	if sealOf(blank, belongings) != string(text[from:to]) {
		return errors.New("it is not what was written")
	}
	return nil
}

// sealOf is the hash of the hashes of the parts, so that nothing moves from one to another
// unnoticed.
func sealOf(text []byte, belongings [][]byte) string {
	total := sha256.New()
	for _, part := range append([][]byte{text}, belongings...) {
		one := sha256.Sum256(part)
		total.Write(one[:])
	}
	return hex.EncodeToString(total.Sum(nil))
}
