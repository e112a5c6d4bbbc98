package results

import (
	"encoding/json"
	"fmt"
)

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
