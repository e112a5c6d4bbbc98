package packed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/fairtrain/fairtrain/dataset"
)

// section returns the section of a kind and attribute, nil if there is none.
func (f *footer) section(k kind, attribute string) *section {
	for i := range f.Sections {
		if s := &f.Sections[i]; s.Kind == k && s.Attribute == attribute {
			return s
		}
	}
	return nil
}

// validate returns an error if the footer contradicts itself. The sizes are checked first,
// because they bound all the others: the labels are within the file, so their number is
// possible.
func (f *footer) validate() error {
	label := f.section(labels, "")
	switch {
	case label == nil || label.Entries != f.Rows || f.Rows == 0:
		return fmt.Errorf("%d rows, but no labels for them", f.Rows)
	case f.Features < 1 || f.Features > math.MaxInt32:
		return fmt.Errorf("%d features", f.Features)
	case f.Names != nil && len(f.Names) != f.Features:
		return fmt.Errorf("%d names of %d features", len(f.Names), f.Features)
	case (f.section(pointers, "") == nil) != (f.PerRow >= 0):
		return fmt.Errorf("%d non-zeros in each row, and row pointers or not", f.PerRow)
	case (f.section(toValues, "") == nil) != (f.ValuesPerRow >= 0):
		return fmt.Errorf("%d values in each row, and pointers to values or not", f.ValuesPerRow)
	case f.section(columns, "") == nil:
		return errors.New("no columns")
	}
	switch s := f.section(values, ""); {
	case f.allValued() && f.section(toValues, "") != nil:
		return errors.New("pointers to values, though every non-zero has one")
	case s != nil && !f.allValued() && f.version == 1:
		return fmt.Errorf("%d values for %d non-zeros", s.Entries, f.section(columns, "").Entries)
	}
	if f.Encoding != nil {
		if err := f.Encoding.Validate(); err != nil {
			return err
		}
		if w := f.Encoding.Width(); w != f.Features {
			return fmt.Errorf("an encoding of %d features for %d", w, f.Features)
		}
	}
	if err := f.validateAttributes(); err != nil {
		return err
	}
	for k := range f.Sections {
		s := &f.Sections[k]
		if len(s.Sums) != 4*f.blocks() {
			return fmt.Errorf("%s: %d bytes of checksums for %d blocks", s, len(s.Sums), f.blocks())
		}
		if f.section(s.Kind, s.Attribute) != s {
			return fmt.Errorf("%s is there twice", s)
		}
		switch s.Kind {
		case labels, weights, identities, codes, numbers:
			if s.Entries != f.Rows {
				return fmt.Errorf("%s: %d entries for %d rows", s, s.Entries, f.Rows)
			}
		case pointers, toValues:
			if s.Entries-1 != f.Rows {
				return fmt.Errorf("%s: %d entries for %d rows", s, s.Entries, f.Rows)
			}
		}
		if known := s.Kind == codes || s.Kind == numbers; known != (s.Attribute != "") {
			return fmt.Errorf("%s is of no attribute, or of one", s)
		}
	}
	return nil
}

// allValued reports whether every non-zero has a value, also those that are 1.
func (f *footer) allValued() bool {
	s := f.section(values, "")
	return s != nil && s.Entries == f.section(columns, "").Entries
}

func (f *footer) validateAttributes() error {
	seen := map[string]bool{}
	for _, a := range f.Attributes {
		code, number := f.section(codes, a.Name), f.section(numbers, a.Name)
		if a.Name == "" || seen[a.Name] || code == nil && number == nil || (code != nil) != (a.Levels != nil) {
			return fmt.Errorf("the attribute %q has no name, no rows or no levels, or is there twice", a.Name)
		}
		seen[a.Name] = true
		levels := map[string]bool{}
		for _, level := range a.Levels {
			if levels[level] {
				return fmt.Errorf("the attribute %q has the level %q twice", a.Name, level)
			}
			levels[level] = true
		}
	}
	return nil
}

// check checks the numbers of all blocks, on all processors. It begins with the numbers that
// say where rows end.
func (v views) check(d *dataset.Dataset) error {
	for _, k := range []kind{pointers, toValues} {
		if s := v.section(k, ""); s != nil {
			if err := v.checkPointers(s); err != nil {
				return err
			}
		}
	}
	return v.eachBlock(func(block int) error {
		for k := range v.Sections {
			if s := &v.Sections[k]; s.Kind != pointers && s.Kind != toValues {
				if err := v.checkSum(s, block, v.before); err != nil {
					return err
				}
			}
		}
		return v.checkNumbers(d, block)
	})
}

func (v views) checkPointers(s *section) error {
	ptr := view[int](v, s.Kind, "") // Rows+1 of them, see validate
	return v.eachBlock(func(block int) error {
		lo, hi := v.rowsOf(block)
		for row := lo; row < hi; row++ {
			if ptr[row] < 0 || ptr[row+1] < ptr[row] || ptr[row+1] > ptr[v.Rows] {
				return v.damage(s, block, errors.New("they do not ascend"))
			}
		}
		return v.checkSum(s, block, ends{})
	})
}

// eachBlock checks every block, and returns the error of the first block that fails.
func (v views) eachBlock(check func(block int) error) error {
	faults := make([]error, v.blocks())
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for block := range faults {
		g.Go(func() error {
			faults[block] = check(block)
			return nil
		})
	}
	_ = g.Wait() // the faults tell
	var first error
	bad := 0
	for _, err := range faults {
		if err != nil {
			bad++
			if first == nil {
				first = err
			}
		}
	}
	if bad > 1 {
		return fmt.Errorf("%w (and %d of %d further blocks)", first, bad-1, len(faults)-1)
	}
	return first
}

// damage is an error about a section in a block.
func (v views) damage(s *section, block int, err error) error {
	lo, hi := v.rowsOf(block)
	return fmt.Errorf("is damaged: %s of rows %d to %d: %w", s, lo+1, hi, err)
}

// checkSum compares the checksum of a section in a block.
func (v views) checkSum(s *section, block int, before ends) error {
	lo, hi := v.entriesOf(s, block, before)
	from := s.Offset + int64(lo)*int64(s.Width)
	part := v.data[from:][:(hi-lo)*s.Width]
	if crc32.Checksum(part, castagnoli) != binary.LittleEndian.Uint32(s.Sums[4*block:]) {
		return v.damage(s, block, errors.New("the checksum does not match"))
	}
	return nil
}

// checkNumbers checks the numbers of a block, so that the rest of the program need not check
// them again.
func (v views) checkNumbers(d *dataset.Dataset, block int) error {
	lo, hi := v.rowsOf(block)
	if err := d.X.CheckRows(lo, hi); err != nil {
		return v.damage(v.section(columns, ""), block, err)
	}
	for _, y := range d.Y[lo:hi] {
		if y != 1 && y != -1 {
			return v.damage(v.section(labels, ""), block, fmt.Errorf("the label %d, expected -1 or 1", y))
		}
	}
	if d.Weights != nil {
		for _, weight := range d.Weights[lo:hi] {
			if !(weight >= 0) || math.IsInf(weight, 0) {
				return v.damage(v.section(weights, ""), block, fmt.Errorf("the weight %v, expected a finite number from 0 on", weight))
			}
		}
	}
	for _, a := range d.Attributes {
		for i := lo; i < min(hi, a.Codes.Len()); i++ {
			if code := a.Codes.At(i); uint(code) >= uint(len(a.Levels)) {
				return v.damage(v.section(codes, a.Name), block, fmt.Errorf("the level %d of %d", code, len(a.Levels)))
			}
		}
	}
	return nil
}
