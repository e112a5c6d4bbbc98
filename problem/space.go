package problem

import "github.com/fairtrain/fairtrain/internal/linalg"

// Spacer is implemented by problems whose variables, but for slacks, are stored as a vector of a row
// space: see linalg.Space. All that is asked of a method that it does with vectors as Space says.
type Spacer interface {
	Space() linalg.Space
}

// SpaceOf returns how the vectors of p are multiplied, without slacks.
func SpaceOf(p Problem) linalg.Space {
	if s, ok := p.(Spacer); ok {
		return s.Space()
	}
	return linalg.Space{}
}

// Space is the inner problem's.
func (q *Standard) Space() linalg.Space { return SpaceOf(q.Problem) }

// Space forwards.
func (p *Counted) Space() linalg.Space { return SpaceOf(p.Problem) }
