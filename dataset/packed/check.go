package packed

import (
	"fmt"
	"hash/crc32"
	"math"
	"runtime"
	"slices"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/internal/parallel"
)

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
	case (f.section(oneEnds, "") == nil) != (f.OnesPerRow >= 0):
		return fmt.Errorf("%d ones in each row, and ends of rows or not", f.OnesPerRow)
	case (f.section(valueEnds, "") == nil) != (f.ValuesPerRow >= 0):
		return fmt.Errorf("%d values in each row, and ends of rows or not", f.ValuesPerRow)
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
		if f.section(s.Kind, s.Attribute) != s {
			return fmt.Errorf("%s is there twice", s)
		}
		want := s.Entries
		switch s.Kind {
		case labels, weights, identities, codes, numbers:
			want = f.Rows
		case oneEnds, valueEnds:
			want = f.Rows + 1
		}
		if s.Entries != want {
			return fmt.Errorf("%s: %d entries for %d rows", s, s.Entries, f.Rows)
		}
		if known := s.Kind == codes || s.Kind == numbers; known != (s.Attribute != "") {
			return fmt.Errorf("%s is of no attribute, or of one", s)
		}
	}
	return nil
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

// blockRows is the number of rows that are checked at once.
const blockRows = 1 << 16

// check checks the checksums and the numbers of all rows, on all processors. It begins with the
// numbers that say where rows end. It returns the error of the first section or rows that fail.
func (v views) check(d *dataset.Dataset) error {
	for _, k := range []kind{oneEnds, valueEnds} {
		ends := view[int](v, k, "") // Rows+1 of them, the last of which is right, see sparse.Over
		for row := 1; row < len(ends); row++ {
			if ends[row] < ends[row-1] {
				return damage(v.section(k, ""), fmt.Errorf("they do not ascend at row %d", row))
			}
		}
	}
	err := eachOf(len(v.Sections), func(k int) error {
		s := &v.Sections[k]
		if crc32.Checksum(v.data[s.Offset:s.end()], castagnoli) != s.Sum {
			return damage(s, fmt.Errorf("the checksum does not match"))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return eachOf((v.Rows+blockRows-1)/blockRows, func(block int) error {
		return v.checkRows(d, block*blockRows, min((block+1)*blockRows, v.Rows))
	})
}

// eachOf does n things on all processors, and returns the error of the first one that fails.
func eachOf(n int, do func(k int) error) error {
	faults := make([]error, n)
	parallel.Do(runtime.GOMAXPROCS(0), n, func(k int) { faults[k] = do(k) })
	first := slices.IndexFunc(faults, func(err error) bool { return err != nil })
	if first < 0 {
		return nil
	}
	return faults[first]
}

// damage is an error about a section.
func damage(s *section, err error) error { return fmt.Errorf("is damaged: %s: %w", s, err) }

// checkRows checks the numbers of rows lo to hi−1, so that the rest of the program need not check
// them again.
func (v views) checkRows(d *dataset.Dataset, lo, hi int) error {
	if err := d.X.CheckRows(lo, hi); err != nil {
		return fmt.Errorf("is damaged: %w", err)
	}
	for k, y := range d.Y[lo:hi] {
		if y != 1 && y != -1 {
			return damage(v.section(labels, ""), fmt.Errorf("row %d: the label %d, expected -1 or 1", lo+k+1, y))
		}
	}
	if d.Weights != nil {
		for k, weight := range d.Weights[lo:hi] {
			if !(weight >= 0) || math.IsInf(weight, 0) {
				return damage(v.section(weights, ""),
					fmt.Errorf("row %d: the weight %v, expected a finite number from 0 on", lo+k+1, weight))
			}
		}
	}
	for _, a := range d.Attributes {
		for i := lo; i < min(hi, a.Codes.Len()); i++ {
			if code := a.Codes.At(i); uint(code) >= uint(len(a.Levels)) {
				return damage(v.section(codes, a.Name),
					fmt.Errorf("row %d: the level %d of %d", i+1, code, len(a.Levels)))
			}
		}
	}
	return nil
}
