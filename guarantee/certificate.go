package guarantee

import "slices"

// Certificate is the outcome of a test, and what it rests on.
type Certificate struct {
	*Report
	Statement  string `json:"statement"`
	Assumption string `json:"assumption"`
	// Remarks say what the rows leave out, and what may be wrong with them.
	Remarks []string `json:"remarks"`
	Data    string   `json:"data"`
	// TrainingRowsChecked says whether the rows were compared with the training rows, WhyUnchecked why they were not.
	TrainingRowsChecked bool   `json:"training_rows_checked"`
	WhyUnchecked        string `json:"why_unchecked,omitempty"`
	// For rows that were tested before: how often, and at which confidence they were tested
	// now so that the report has its own.
	EarlierTests int     `json:"earlier_tests"`
	TestedAt     float64 `json:"tested_at"`
}

// Groups returns the names of the groups that were compared, each once; none for tests by early versions.
func (r *Report) Groups() (names []string) {
	for _, v := range r.Requirements {
		for _, g := range v.Compared {
			if !slices.Contains(names, g.Group) {
				names = append(names, g.Group)
			}
		}
	}
	return names
}
