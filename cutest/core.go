package cutest

import "github.com/fairtrain/fairtrain/cutest/compile"

// core is a problem in the form in which it is evaluated. Groups are numbered anew:
// constraints come first, in order, then the groups of the objective. All groups together
// have one sparse Jacobian, of which the constraints' part is the problem's.
type core struct {
	n, m, groups int

	// linear part of the groups, row by row, and their constants
	linearStart []int32
	linearCol   []int32
	linearVal   []float64
	constant    []float64

	// pattern of the groups' Jacobian; fixed is the part that the linear terms contribute
	start []int32
	col   []int32
	fixed []float64

	scale       []float64 // factor of each group
	elements    []*elementKernel
	groupKernel []*groupKernel
	registers   int // the most that a program needs
}

// elementKernel evaluates the elements of one type. First come elements that
// only the objective uses, then elements that constraints use too, then elements that only
// constraints use.
type elementKernel struct {
	compile.Kernel
	objectiveEnd    int // elements before it occur in the objective
	constraintStart int // elements from it on occur in constraints
	count           int
	inputs          [][]int32 // [variable][element] index in x

	// uses of the elements in groups, in the order of the elements
	useStart []int32 // of each element, and the end
	useOf    []int32 // element
	useGroup []int32 // group
	weight   []float64
	position [][]int32 // [variable][use] place in the groups' Jacobian
	plain    bool      // every element is used once, with weight 1
}

// groupKernel evaluates the nontrivial groups of one type, constraints first.
type groupKernel struct {
	compile.Kernel
	constraintEnd int
	groups        []int32
}
