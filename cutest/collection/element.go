package collection

// formula is an analytic function. Its derivatives come from the complex step,
//
//	∂f/∂x = Im f(x + ih)/h + O(h²),
//
// without a difference that could cancel: W. Squire and G. Trapp, Using complex variables to
// estimate derivatives of real functions, SIAM Review 40 (1998).
type formula func(x *vars) complex128

// step is h. Its square vanishes beside any value but does not underflow, which would take
// processors more time.
const step = 0x1p-400

// vars are the variables of a formula; those it does not have are 0.
type vars [12]complex128

// element is a formula of some of a problem's variables: a term of the objective or a
// constraint. In large problems elements have few variables, so derivatives are cheap.
type element struct {
	formula   formula
	variables []int
}

// load stores the variables of the formula in v.
func (e element) load(v *vars, x []float64) {
	for k, j := range e.variables {
		v[k] = complex(x[j], 0)
	}
	clear(v[len(e.variables):])
}

// value returns the formula at x.
func (e element) value(v *vars, x []float64) float64 {
	e.load(v, x)
	return real(e.formula(v))
}

// addGradient adds the gradient of the formula at x to dst.
func (e element) addGradient(dst []float64, v *vars, x []float64) {
	e.load(v, x)
	for k, j := range e.variables {
		v[k] = complex(x[j], step)
		dst[j] += imag(e.formula(v)) / step
		v[k] = complex(x[j], 0)
	}
}

// first returns elements of the first n variables.
func first(n int, formulas ...formula) []element {
	elements := make([]element, len(formulas))
	for i, f := range formulas {
		elements[i] = element{f, span(0, n)}
	}
	return elements
}

// windows returns an element of every width consecutive ones of n variables that start at a
// multiple of stride.
func windows(n, width, stride int, f formula) []element {
	var elements []element
	for j := 0; j+width <= n; j += stride {
		elements = append(elements, element{f, span(j, width)})
	}
	return elements
}

// span returns j, j+1, ..., j+n−1.
func span(j, n int) []int {
	s := make([]int, n)
	for k := range s {
		s[k] = j + k
	}
	return s
}

func square(t complex128) complex128 { return t * t }
func cube(t complex128) complex128   { return t * t * t }
func fourth(t complex128) complex128 { return square(t * t) }
