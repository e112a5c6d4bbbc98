// Package ridge fits logistic regressions with a quadratic penalty, and chooses the penalty by
// cross-validation.
//
// It minimises, over weights w and an intercept b,
//
//	mean over the rows of log(1 + exp(−y(wᵀa + b))) + (λ/2)·wᵀΩw
//
// where wᵀΩw sums the squares of the weights, and of the bins of a number the squared differences of
// neighbours in place of the squares, see penalty.Penalty: a function that has a weight for each bin
// becomes smooth, not small. The weights may have to keep orders. Newton's method solves it
// (newton.go); Choose compares several λ (choose.go), Blocks one for each block of features
// (blocks.go).
package ridge

import (
	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/sparse"
	"github.com/fairtrain/fairtrain/model/penalty"
)

// Problem is the rows and the form of the penalty. It is read only.
type Problem struct {
	X       *sparse.Matrix
	Y       []int8          // labels, −1 or +1, one a row
	Weights []float64       // ≥ 0, of the rows; nil means 1 each
	Penalty penalty.Penalty // for λ = 1, but for N
	Orders  []dataset.Order // that the weights keep
}
