// Package plots draws figures of stored results:
//
//	Convergence   objective, constraint and KKT residual along the runs, convergence.go
//	ErrorBoxes    errors on many problems per method, box.go
//	Profile       performance profiles of a table of costs, profile.go
//	Frontier      quality against disparity, as a constraint's bound varies, frontier.go
//
// A figure is made in two steps: figure data (curve.go, limits.go: pure functions), then
// drawing (panel.go, figure.go, with gonum/plot). Its caption says what its lines, bands
// and boxes are (Figure.caption), and marks show what its axes cut off (panel.go). A
// method has one colour and one dash in all figures, style.go.
package plots

import "fmt"

// XAxis is the quantity against which a figure shows progress.
type XAxis string

// The choices of XAxis.
const (
	Samples XAxis = "samples"
	Passes  XAxis = "passes"  // over the data
	Seconds XAxis = "seconds" // the methods' own time
)

// Band says what the lines and bands of Convergence are.
type Band string

// The choices of Band.
const (
	Quartiles Band = "quartiles" // medians, and from the first to the third quartile
	SD        Band = "sd"        // means, and one standard deviation up and down, as in tables and the paper
)

// caption explains lines and bands over so many runs.
func (b Band) caption(runs string) string {
	if b == SD {
		return "Lines: means over " + runs + ". Bands: one standard deviation up and down."
	}
	return "Lines: medians over " + runs + ". Bands: from the first to the third quartile."
}

// Options are the reader's choices.
type Options struct {
	Heading string // above the figure, for the names of data and experiment; may be empty
	X       XAxis  // of Convergence
	// Inset is the part of the x axis, counted from its right end, that Convergence shows
	// again enlarged, in a second row of panels; 0 for none.
	Inset         float64
	Band          Band    // of Convergence
	Width, Height float64 // inches; the height is for one row of panels
}

// DefaultOptions returns a figure over the two columns of a paper.
func DefaultOptions() Options { return Options{X: Samples, Band: SD, Width: 7, Height: 2.6} }

// Validate reports the first option that is out of range.
func (o Options) Validate() error {
	switch {
	case o.X != Samples && o.X != Passes && o.X != Seconds:
		return fmt.Errorf("plots: x is %q, must be %s, %s or %s", o.X, Samples, Passes, Seconds)
	case o.Band != Quartiles && o.Band != SD:
		return fmt.Errorf("plots: band is %q, must be %s or %s", o.Band, Quartiles, SD)
	case !(o.Inset >= 0 && o.Inset < 1):
		return fmt.Errorf("plots: inset is %v, must be in [0, 1)", o.Inset)
	case !(o.Width >= 2 && o.Width <= 40 && o.Height >= 1.5 && o.Height <= 40):
		return fmt.Errorf("plots: the size is %v×%v in, must be from 2×1.5 to 40×40", o.Width, o.Height)
	}
	return nil
}
