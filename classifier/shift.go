package classifier

import (
	"math"
)

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

// Rounded returns it as a model file keeps it: rates to three digits behind the point, rows to multiples of unit.
func (s Shift) Rounded(unit int) Shift {
	rate := func(v float64) float64 { return math.Round(1e3*v) / 1e3 }
	level := func(l LevelRate) LevelRate {
		return LevelRate{l.Level, unit * ((l.Rows + unit/2) / unit), rate(l.Rate)}
	}
	return Shift{s.Column, level(s.Lowest), level(s.Highest), rate(s.FreeLowest), rate(s.FreeHighest)}
}
