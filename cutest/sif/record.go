package sif

import "strings"

// entry is a data card ready for its section: indices expanded, values read.
type entry struct {
	line       int
	code       string // without its X or Z prefix
	f2, f3, f5 Name
	v4, v6     float64
	n          int // names of f3 and f5 that are present: 0, 1 or 2
}

var (
	quotedScale   = [2]Name{makeName("'SCALE'"), makeName(" 'SCALE'")}
	quotedDefault = makeName("'DEFAULT'")
)

func isDefault(n Name) bool { return strings.EqualFold(n.String(), quotedDefault.String()) }

// record evaluates the fields of a data card and hands it to its section.
func (d *decoder) record(s *statement) error {
	e := entry{line: s.line, code: strings.TrimSpace(s.code), f2: s.f2, f3: s.f3, f5: s.f5}
	plain3 := d.section == secElementUses || d.section == secGroupUses && !strings.HasSuffix(s.code, "E")
	plain2 := d.section == secConstants || d.section == secRanges || d.section == secBounds ||
		d.section == secStart || d.section == secObjectBound
	array, fromParam := s.code[0] == 'X', s.code[0] == 'Z'
	if array || fromParam {
		e.code = strings.TrimSpace(s.code[1:])
		plain5 := array && strings.HasSuffix(s.code, "P") && plain3
		var err error
		if e.f2, e.f3, e.f5, err = d.expandNames(s, !plain2, !plain3, !plain5); err != nil {
			return err
		}
	}
	if e.f3 != Blank && e.f3[0] != '$' {
		e.n = 1
		if e.f5 != Blank && e.f5[0] != '$' {
			e.n = 2
		}
	}
	if err := d.values(s, &e, fromParam); err != nil {
		return err
	}
	return d.dispatch(&e)
}

// values reads the numbers of a card, or the real parameter that a Z card names. Which
// fields hold numbers depends on the section.
func (d *decoder) values(s *statement, e *entry, fromParam bool) (err error) {
	numeric := false
	switch d.section {
	case secGroups, secVariables, secConstants, secRanges, secStart, secQuadratic, secObjectBound:
		numeric = true
	case secBounds:
		switch e.code {
		case "LO", "UP", "FX", "L", "U", "X":
			numeric = true
		}
	case secElementUses:
		numeric = e.code == "P"
	case secGroupUses:
		numeric = e.code == "P" || e.code == "E"
	}
	if !numeric {
		return nil
	}
	if fromParam {
		if e.f3 == Blank && e.f5 == Blank {
			return nil // a card that only declares its group
		}
		e.n = min(e.n, 1)
		e.v4, err = d.par.real(e.f5)
		return err
	}
	if e.n == 0 && d.section != secObjectBound {
		return nil
	}
	if e.v4, err = parseReal(s.f4); err != nil {
		return err
	}
	if e.n == 2 {
		if e.v6, err = parseReal(s.f6); err != nil {
			return err
		}
	}
	if d.section == secGroupUses && e.code == "E" {
		if strings.TrimSpace(s.f4) == "" {
			e.v4 = 1
		}
		if strings.TrimSpace(s.f6) == "" {
			e.v6 = 1
		}
	}
	return nil
}

// dispatch hands an entry to its section.
func (d *decoder) dispatch(e *entry) error {
	switch d.section {
	case secGroups:
		return d.group(e)
	case secVariables:
		return d.variable(e)
	case secConstants:
		return d.constants.add(d.model, e)
	case secRanges:
		return d.ranges.add(d.model, e)
	case secBounds:
		return d.bound(e)
	case secStart:
		return d.startPoint(e)
	case secQuadratic:
		return d.quadratic(e)
	case secElementType:
		return d.elementType(e)
	case secElementUses:
		return d.elementUse(e)
	case secGroupType:
		return d.groupType(e)
	case secGroupUses:
		return d.groupUse(e)
	case secObjectBound:
		return d.objectBound(e)
	}
	return nil // before the first section, where the original tools skip all but parameters
}
