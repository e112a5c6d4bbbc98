package sif

// Limits on the size of a problem. They are far beyond any problem that can be solved
// here, and keep a hostile file from taking all time or memory.
const (
	maxLoopDepth  = 3          // levels of DO loops, as in the language
	maxBody       = 100_000    // cards in one loop nest
	maxSteps      = 20_000_000 // cards and loop passes executed
	maxParameters = 1_000_000  // parameters of either kind
	maxVariables  = 1_000_000
	maxGroups     = 1_000_000
	maxElements   = 2_000_000
	maxEntries    = 10_000_000 // linear coefficients, element variables, uses of elements: each
	maxExpression = 20_000     // characters of one Fortran expression
	maxExprDepth  = 200        // nested parentheses, unary operators and powers
	maxNames      = 1_000      // variables, internal variables or parameters of a type
)
