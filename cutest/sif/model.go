package sif

import (
	"fmt"
	"strings"
	"unsafe"
)

// Infinity is the absolute value from which a bound does not bind, as in CUTEst.
const Infinity = 1e20

// Model is what a file says, in the terms of the language: groups that hold linear
// coefficients and elements, and the code of their types. Defaults are filled in.
type Model struct {
	Name           string
	Classification string   // as the file states it, "" if it does not
	Parameters     []string // names of values that the file lets its user choose
	Variables      []Variable
	Groups         []Group
	Linear         []Coefficient // in the order of the file; repeated ones add up
	ElementTypes   []ElementType
	Elements       []Element
	GroupTypes     []GroupType // types 1, 2, …; type 0 is the trivial g(α) = α
	ObjectiveBound [2]float64  // ±Infinity if none
	ElementCode    *Code
	GroupCode      *Code

	elementVariables []int32   // of all elements; −1 where not set
	elementParams    []float64 // NaN where not set
	uses             int       // of elements, in all groups
	groupParams      int       // likewise
}

// ElementVariables returns the variables of element i, −1 where the file sets none.
func (m *Model) ElementVariables(i int32) []int32 {
	el := &m.Elements[i]
	return m.elementVariables[el.variables:][:len(m.ElementTypes[el.Type].Variables)]
}

// ElementParams returns the parameters of element i, NaN where the file sets none.
func (m *Model) ElementParams(i int32) []float64 {
	el := &m.Elements[i]
	return m.elementParams[el.params:][:len(m.ElementTypes[el.Type].Params)]
}

// Memory is about the memory in bytes that m takes while it grows, its lists being copied, and that
// the problem takes which is made of it.
func (m *Model) Memory() float64 {
	const growing, perName = 3, 64 // a name has an entry in an index
	n := len(m.Variables)*(int(unsafe.Sizeof(Variable{}))+perName) + len(m.Groups)*(int(unsafe.Sizeof(Group{}))+perName) +
		len(m.Elements)*(int(unsafe.Sizeof(Element{}))+perName) + len(m.Linear)*int(unsafe.Sizeof(Coefficient{})) +
		m.uses*int(unsafe.Sizeof(Use{})) + 4*len(m.elementVariables) + 8*len(m.elementParams) + 8*m.groupParams
	return growing * float64(n)
}

// Variable is a variable of a problem. Bounds of ±Infinity do not bind.
type Variable struct {
	Name         string
	Type         VarType
	Lower, Upper float64
	Start        float64
}

// VarType is the type of a variable.
type VarType int

// The types of variables.
const (
	Real VarType = iota
	Binary
	Integer
)

// Group is one nonlinear function of a sum, scale⁻¹·g(Σ linear + Σ weight·element −
// constant): part of the objective (kind 'N') or a constraint (E, L or G).
type Group struct {
	Name     Name
	Line     int
	Kind     byte
	Scale    float64
	Combined bool       // D group: its linear part is a combination of two others
	Donors   [2]int32   // these groups, which precede it; −1: none
	Factors  [2]float64 // of the donors
	Constant float64
	Range    float64   // width of the interval of an inequality
	Type     int32     // 0: trivial
	Params   []float64 // of the type, NaN where the file sets none
	Uses     []Use

	constantGiven, rangeGiven, typeGiven bool // by a card of its own
}

// Use is an element that a group adds to its sum.
type Use struct {
	Element int32
	Weight  float64
}

// Coefficient is an entry of the linear part of a group.
type Coefficient struct {
	Group, Variable int32
	Value           float64
}

// ElementType is a nonlinear function of a few elemental variables. If it has internal
// variables, its code is written in terms of these: fewer linear combinations of the
// elemental variables.
type ElementType struct {
	Name      Name
	Line      int
	Variables []Name
	Internal  []Name
	Params    []Name
	Builtin   rune // elements of the QUADRATIC section: 's' ½x², 'p' xy
}

// Element is an element function of certain variables.
type Element struct {
	Name Name
	Line int
	Type int32

	variables, params int32 // start of its variables and parameters in the slices of the model
}

// GroupType is a nonlinear function of one variable.
type GroupType struct {
	Name     Name
	Line     int
	Variable Name // Blank if the file names none
	Params   []Name
}

// Code is what an ELEMENTS or a GROUPS part says: declarations, assignments that all
// types share, and a routine for each type.
type Code struct {
	Keyword  string               // ELEMENTS or GROUPS
	Declared map[string]ValueType // scalars of the TEMPORARIES section
	External map[string]bool      // functions declared as F, even if intrinsic functions have the same name
	Globals  []Action
	Routines map[Name]*Routine
}

// ValueType is a type of Fortran.
type ValueType int

// The types of Fortran.
const (
	RealValue ValueType = iota
	IntegerValue
	LogicalValue
)

// Routine is the code of one element or group type.
type Routine struct {
	Name    Name
	Line    int
	Actions []Action
	Ranges  []RangeEntry // internal variables as combinations of elemental ones
	HasF    bool
}

// RangeEntry adds factor·variable to an internal variable.
type RangeEntry struct {
	Line     int
	Internal Name
	Variable Name
	Factor   float64
}

// Action is an assignment to a temporary (A, and I or E under a condition), to the
// function value (F) or to a derivative (G).
type Action struct {
	Kind      byte // 'A', 'I', 'E', 'F' or 'G'
	At        Place
	Target    string
	Condition string // logical temporary of I and E
	Value     *Expr

	src *source // until it is parsed
}

// Name is a SIF name: ten columns, blank on the right. Leading blanks count.
type Name [10]byte

// Blank is the empty name.
var Blank = Name{' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' '}

func makeName(s string) Name {
	n := Blank
	copy(n[:], s)
	return n
}

func (n Name) String() string { return strings.TrimRight(string(n[:]), " ") }

// Identifier is the name as Fortran code has it.
func (n Name) Identifier() string { return strings.ToUpper(strings.TrimSpace(n.String())) }

// Place is a place in the file, both counted from 1 (0: unknown).
type Place struct{ Line, Column int32 }

// Errorf returns an *Error at the place.
func (at Place) Errorf(format string, args ...any) error {
	return &Error{Line: int(at.Line), Column: int(at.Column), Msg: fmt.Sprintf(format, args...)}
}

// Error is a fault in a SIF file, at a line and, where it makes sense, a column, both
// counted from 1 (0: unknown).
type Error struct {
	File         string
	Line, Column int
	Msg          string
}

// Error formats the fault as file:line:column: message.
func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// Limits on the size of a problem. They are far beyond any problem that can be solved
// here, and keep a hostile file from taking all time or memory.
const (
	maxLoopDepth  = 3          // levels of DO loops, as in the language
	maxBody       = 100_000    // cards in one loop nest
	maxSteps      = 20_000_000 // cards and loop passes executed
	maxMemory     = 1 << 30    // bytes of what is decoded, whatever the budget
	maxExpression = 20_000     // characters of one Fortran expression
	maxExprDepth  = 200        // nested parentheses, unary operators and powers
	maxNames      = 1_000      // variables, internal variables or parameters of a type
)
