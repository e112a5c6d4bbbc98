package classifier

import "fmt"

// Shift is a category by whose levels selection rates are much further apart than without the requirements.
type Shift struct {
	Column  string    `json:"column"`
	Lowest  LevelRate `json:"lowest"`
	Highest LevelRate `json:"highest"`
	// FreeLowest and FreeHighest are the rates that are furthest apart without the requirements, of whichever levels.
	FreeLowest  float64 `json:"without_requirements_lowest"`
	FreeHighest float64 `json:"without_requirements_highest"`
}

// LevelRate is the selection rate of the rows that have a level, or a feature that is 1.
type LevelRate struct {
	Level string  `json:"level"`
	Rows  int     `json:"rows"`
	Rate  float64 `json:"selection_rate"`
}

// More is by how much further apart they are.
func (s *Shift) More() float64 {
	return s.Highest.Rate - s.Lowest.Rate - (s.FreeHighest - s.FreeLowest)
}

// Said says it in a sentence, with rates in the given form.
func (s *Shift) Said(rate func(float64) string) string {
	return fmt.Sprintf("Among the training rows selection rates differ far more by %s, about which nothing was asked: from %s (%s, %d rows) to %s (%s, %d rows); without the requirements from %s to %s.",
		s.Column, rate(s.Lowest.Rate), s.Lowest.Level, s.Lowest.Rows, rate(s.Highest.Rate), s.Highest.Level, s.Highest.Rows, rate(s.FreeLowest), rate(s.FreeHighest))
}
