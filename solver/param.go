package solver

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Param describes one option of a method. The same table validates options, sets them
// by name, and writes help texts and documentation.
type Param struct {
	Name string
	Doc  string // one line; "(eq. …)" names the paper's equation
	// Value points to the option: *float64, *int, *string or *bool. People write a bool as on
	// or off.
	Value any
	// Min and Max bound a number; the ends are allowed unless Open says otherwise.
	Min, Max         float64
	MinOpen, MaxOpen bool
	// Choices lists the allowed strings.
	Choices []string
}

// inf is the end of ranges that have none.
var inf = math.Inf(1)

// Range describes the allowed values: "(0, 1)", "≥ 1", "fixed|theory".
func (p Param) Range() string {
	if _, ok := p.Value.(*bool); ok {
		return "on|off"
	}
	if len(p.Choices) > 0 {
		return strings.Join(p.Choices, "|")
	}
	if math.IsInf(p.Max, 1) && !p.MaxOpen {
		relation := "≥"
		if p.MinOpen {
			relation = ">"
		}
		return fmt.Sprintf("%s %v", relation, p.Min)
	}
	left, right := "[", "]"
	if p.MinOpen {
		left = "("
	}
	if p.MaxOpen {
		right = ")"
	}
	return fmt.Sprintf("%s%v, %v%s", left, p.Min, p.Max, right)
}

// Current formats the option's value.
func (p Param) Current() string {
	value := reflect.ValueOf(p.Value).Elem().Interface()
	switch value {
	case true:
		return "on"
	case false:
		return "off"
	}
	return fmt.Sprint(value)
}

func (p Param) check() error {
	var x float64
	switch v := p.Value.(type) {
	case *float64:
		x = *v
	case *int:
		x = float64(*v)
	case *bool:
		return nil
	case *string:
		if slices.Contains(p.Choices, *v) {
			return nil
		}
		return fmt.Errorf("%s is %q, must be %s", p.Name, *v, p.Range())
	}
	inside := (x > p.Min || x == p.Min && !p.MinOpen) && (x < p.Max || x == p.Max && !p.MaxOpen)
	if !inside { // false for NaN too
		return fmt.Errorf("%s is %v, must be %s", p.Name, x, p.Range())
	}
	return nil
}

// Validate checks every option of a method. The error names all options that are out of their
// range.
func Validate(m Method) error {
	if m == nil {
		return errors.New("solver: no method")
	}
	var errs []error
	for _, p := range m.Params() {
		if err := p.check(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", m.Name(), err))
		}
	}
	return errors.Join(errs...)
}

// set assigns one of the method's options by name. A number may be a float64, an int or, as
// from configuration files, an int64. A bool may be "on" or "off", too. Validate checks the
// range.
func set(m Method, params []Param, name string, value any) error {
	i := slices.IndexFunc(params, func(p Param) bool { return p.Name == name })
	if i < 0 {
		names := make([]string, len(params))
		for i, p := range params {
			names[i] = p.Name
		}
		return fmt.Errorf("%s has no option %q; it has %s", m.Name(), name, strings.Join(names, ", "))
	}
	if !assign(params[i].Value, value) {
		return fmt.Errorf("%s: %s is %s, must be %s", m.Name(), name, quoted(value), params[i].Range())
	}
	return nil
}

// quoted formats a value, text in quotes.
func quoted(value any) string {
	if s, ok := value.(string); ok {
		return strconv.Quote(s)
	}
	return fmt.Sprint(value)
}

func assign(dst, value any) bool {
	switch d := dst.(type) {
	case *string:
		s, ok := value.(string)
		if ok {
			*d = s
		}
		return ok
	case *bool:
		*d = value == true || value == "on"
		return *d || value == false || value == "off"
	}
	from, to := reflect.ValueOf(value), reflect.ValueOf(dst).Elem()
	if !from.CanFloat() && !from.CanInt() {
		return false
	}
	to.Set(from.Convert(to.Type()))
	return to.CanFloat() || to.Convert(from.Type()).Interface() == value // a whole number
}
