package sif

import (
	"slices"
	"strings"
)

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
	plain3 := d.section.uses && !strings.HasSuffix(s.code, "E")
	array, fromParam := s.code[0] == 'X', s.code[0] == 'Z'
	if array || fromParam {
		e.code = strings.TrimSpace(s.code[1:])
		plain5 := array && strings.HasSuffix(s.code, "P") && plain3
		var err error
		if e.f2, e.f3, e.f5, err = d.expandNames(s, !d.section.vector, !plain3, !plain5); err != nil {
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
	if d.section.read == nil {
		return nil // before the first section, where the original tools skip all but parameters
	}
	return d.section.read(d.model, &e)
}

// values reads the numbers of a card, or the real parameter that a Z card names.
func (d *decoder) values(s *statement, e *entry, fromParam bool) (err error) {
	if !d.section.numeric || d.section.codes != nil && !slices.Contains(d.section.codes, e.code) {
		return nil
	}
	if fromParam {
		if e.f3 == Blank && e.f5 == Blank {
			return nil // a card that only declares its group
		}
		e.n = min(e.n, 1)
		e.v4, err = d.par.reals.get(e.f5)
		return err
	}
	if e.n == 0 && !d.section.unnamed {
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
	if d.section.uses && e.code == "E" {
		if strings.TrimSpace(s.f4) == "" {
			e.v4 = 1
		}
		if strings.TrimSpace(s.f6) == "" {
			e.v6 = 1
		}
	}
	return nil
}
