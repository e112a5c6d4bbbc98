package tabular

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/fairtrain/fairtrain/dataset/tabular/checks"
	"github.com/fairtrain/fairtrain/dataset/tabular/numparse"
	"github.com/fairtrain/fairtrain/dataset/textfile"
	"github.com/fairtrain/fairtrain/internal/names"
	"github.com/fairtrain/fairtrain/internal/parallel"
)

const (
	// rareCount is the min_count of categories that are not declared.
	rareCount = 10
	// fewRows is the number of rows below which no column is suspected to be a key.
	fewRows = 20
	// usualLevels is the largest number of levels of a category that is not declared. A column
	// with more levels is taken for free text.
	usualLevels = 1000
	// fewDistinct is the largest number of distinct integers that may be codes.
	fewDistinct = 20
)

// complete makes the columns of the table of what was collected, and finds out what the schema
// leaves open.
func (t *tableReader) complete() {
	s := *t.schema
	s.Missing = s.missing()
	s.Columns = slices.Clone(s.Columns)
	for k := range s.Columns {
		if spec := &s.Columns[k]; spec.SeveralRows != nil { // of other rows, which the schema was made of
			spec.Reason, spec.SeveralRows = "", nil
		}
	}
	if !*t.Format.Header && s.Names == nil {
		for _, c := range t.columns {
			s.Names = append(s.Names, c.name)
		}
	}
	t.leaveTotalsOut()
	if s.Label.Column == "" {
		if c, others := t.guessLabel(); c != nil {
			s.Label.Column = c.name
			if len(others) > 0 {
				const few = 5
				t.note(c.name, LastColumn, "the last column; so could be "+strings.Join(others[:min(few, len(others))], ", "), "--label COLUMN")
			}
		}
	}
	specs := s.index()
	t.settleNumbers(&s, specs)
	parallel.Do(t.workers, len(t.columns), func(k int) {
		c := t.columns[k]
		if _, declared := specs[c.name]; !declared || c.dropped {
			c.learnFacts(t.Rows, c.name == t.unnamed)
		}
	})
	t.findUnits()
	for _, c := range t.columns {
		if c.dropped {
			c.forget()
			s.Columns[specs[c.name]].SeveralRows = c.several
		}
	}
	for _, c := range t.columns {
		if c.name != s.Label.Column && c.name != s.Weight {
			t.completeColumn(&s, specs, c)
		}
		if c.state == numbers && c.odd.rows > 0 {
			flag := ""
			if !c.lenient {
				flag = "--categorical " + c.flagged()
			}
			t.note(c.name, NotNumbers, c.odd.note(t.Rows), flag)
		}
	}
	columns := make([]*Column, len(t.columns))
	parallel.Do(t.workers, len(columns), func(k int) {
		columns[k] = t.columns[k].column()
	})
	t.byName = map[string]*Column{}
	for _, column := range columns {
		if column != nil {
			t.Columns = append(t.Columns, column)
			t.byName[column.Name] = column
		}
	}
	s.Others = Drop // of later files
	if c := t.Column(s.Label.Column); c != nil {
		given, all := s.Label.Positive, len(s.Label.Negative) == 0
		s.Label = s.Label.Completed(c.Levels)
		if all && len(s.Label.Positive) > 0 && OtherNumbers(given, c.Levels) == nil {
			t.NoteNegatives(s.Label)
		}
		if p := s.Label.Positive; len(given) == 0 && len(p) > 0 && numparse.Is(p[0]) && labelKey(p[0]) != "1" {
			t.note(c.Name, GuessedLabel, fmt.Sprintf("%q, the larger number", p[0]), "--positive VALUE")
		}
	}
	t.Schema = &s
}

// settleNumbers decides which columns are numbers. It also decides how numbers in doubt are
// read: as the schema says, or else like the decimals of the file's other columns, with a note.
// specs is the index of the schema's columns.
func (t *tableReader) settleNumbers(s *Schema, specs map[string]int) {
	parallel.Do(t.workers, len(t.columns), func(k int) {
		if c := t.columns[k]; c.state == anything && c.name != s.Label.Column && len(c.level) > 2 {
			c.tryNumbers()
		}
	})
	usual, points := numparse.Point, false // in some column
	for _, c := range t.columns {
		if c.state == numbers && c.decimals.Mark == numparse.Comma {
			usual = numparse.Comma
		}
		points = points || c.state == numbers && c.decimals.Mark == numparse.Point
	}
	for _, c := range t.columns {
		if c.state != numbers || c.dropped || len(c.decimals.Doubts) == 0 {
			continue
		}
		var spec ColumnSpec
		if k, declared := specs[c.name]; declared {
			spec = s.Columns[k]
		}
		if c.decimals.Mark = usual; spec.Decimal != "" {
			c.decimals.Mark = spec.Decimal[0]
		}
		first, fits := c.decimals.Doubts[0].At, c.decimals.Fits(c.values)
		if spec.Decimal == "" && fits != 0 {
			c.decimals.Mark = fits
		}
		c.decimals.Settle(c.values)
		isPoint := points && usual == numparse.Point && strings.Contains(c.decimals.Example, ".")
		if spec.Decimal == "" && fits == 0 && !isPoint {
			t.note(c.name, Ambiguous, fmt.Sprintf("%q is read as %s", c.decimals.Example, numparse.Format(c.values[first])), "decimal in a schema's column")
		}
	}
}

// completeColumn completes what s declares about a column, which is neither label nor weight.
// specs is the index of the columns that s declared before.
func (t *tableReader) completeColumn(s *Schema, specs map[string]int, c *collector) {
	k, declared := specs[c.name]
	if !declared {
		k = len(s.Columns)
		s.Columns = append(s.Columns, t.infer(c, s.Others))
		if c.differs && s.Columns[k].As != Drop {
			t.note(c.name, Repeated, "in the header "+c.repeats.name+", as another column with other values", "--drop "+c.flagged())
		}
	}
	if !declared || s.grouped(c.name) && !s.merges(c.name) {
		if mark, found := checks.FindMark(c.level); found {
			t.note(c.name, MaybeMark, fmt.Sprintf("%q may stand for a missing value", mark), "--missing "+names.ShellItem(mark))
		}
	}
	kept := !declared && s.Columns[k].As != Drop || s.grouped(c.name)
	if alike := checks.FindAlike(c.level); alike != nil && kept && !s.merges(c.name) {
		t.note(c.name, MaybeAlike, textfile.QuoteAll(alike)+" differ in capitals or blanks alone", "merge in a group of the schema")
	}
	if spec := &s.Columns[k]; c.state == numbers && spec.Decimal == "" {
		switch {
		case c.decimals.Mark == numparse.Comma:
			spec.Decimal = string(numparse.Comma)
			// the note Ambiguous is enough
			if !slices.ContainsFunc(t.Notes, func(n Note) bool { return n.Column == c.name && n.Kind == Ambiguous }) {
				t.note(c.name, DecimalComma, "decimals follow a comma", "")
			}
		case c.decimals.Example != "" || c.decimals.Commas:
			spec.Decimal = string(numparse.Point)
		}
	}
}

// infer decides what becomes of a column that is not declared. others is Schema.Others.
func (t *tableReader) infer(c *collector, others string) ColumnSpec {
	if others == Drop && !c.declared {
		return ColumnSpec{Name: c.name, As: Drop, Reason: "the schema does not declare it"}
	}
	spec := ColumnSpec{Name: c.name, As: OneHot, MinCount: rareCount}
	distinct := len(c.level)
	switch {
	case c.repeats != nil && !c.differs:
		spec.Reason = "the same values as " + c.repeats.name + ", whose name it has in the header"
	case c.state == numbers && c.key == "" && !c.days && !c.sure:
		t.noteNumbers(c)
		spec = ColumnSpec{Name: c.name, As: Standardise, Unit: c.unit, SeveralRows: c.several}
		if c.odd.rows > 0 { // not which values: they may be those of one person, and models hold the schema
			spec.NotNumbers = Missing
		}
		return spec
	case c.decided && c.state == categories:
		return spec
	case c.sure:
		spec.Reason = fmt.Sprintf("%v: an identifier (%s keeps it)", c.several, c.keepers())
	case c.days:
		spec.Reason = "dates, most of which later rows won't have (" + c.keepers() + " keeps it)"
	case c.state == numbers:
		spec.Reason = c.key
	case c.reason != "":
		spec.Reason = c.reason
	case c.state != anything:
		spec.Reason = "too many distinct values for a category"
	case distinct == 0:
		spec.Reason = "it has no values"
	case distinct == 1 && c.count()[0] == 0:
		spec.Reason = "all its values are equal"
	case distinct > usualLevels || t.Rows >= fewRows && distinct > t.Rows/2:
		spec.Reason = fmt.Sprintf("%d distinct values in %d rows, too many for a category", distinct, t.Rows)
		if c.inTheWay.rows > 0 {
			spec.Reason = mixed
		}
	default:
		if c.units != nil {
			t.note(c.name, MaybeNumbers, "numbers in several units, "+textfile.QuoteAll(c.units), "--categorical "+c.flagged())
		}
		if distinct > 2 && slices.ContainsFunc(c.level, numparse.IsCode) &&
			!slices.ContainsFunc(c.level, func(v string) bool { return !numparse.Is(v) }) {
			t.note(c.name, Code, "codes, of which numbers would lose digits", "--numeric "+c.flagged())
		}
		return spec
	}
	c.forget()
	t.note(c.name, Dropped, spec.Reason, "")
	if spec.Reason == mixed {
		t.note(c.name, MaybeNumbers, "numbers, but for values such as "+textfile.QuoteAll(c.inTheWay.examples), "--missing VALUE")
	}
	if c.sure {
		t.note(c.name, Panel, "if each is one of the people, the rows are not independent", "")
	}
	return ColumnSpec{Name: c.name, As: Drop, Reason: spec.Reason, SeveralRows: c.several}
}

// noteNumbers notes what the numbers of a column may be instead.
func (t *tableReader) noteNumbers(c *collector) {
	switch {
	case c.decided:
	case c.decimals.Scaled:
		t.note(c.name, HasUnit, "4.5k is 4500", "")
	case strings.ContainsFunc(c.unit, unicode.IsLetter):
		t.note(c.name, HasUnit, c.unit, "")
	}
	found := c.numbers
	if !c.decided && c.unit == "" && c.decimals.Example == "" && (found.FewCodes || found.Codes) {
		t.note(c.name, MaybeCode, "maybe codes", "--categorical "+c.flagged())
	}
	switch {
	case c.decided || found.Codes:
	case found.Many:
		t.note(c.name, MaybeIdentifier, "whole numbers that all differ", "--drop "+c.flagged())
	case c.several != nil:
		t.note(c.name, MaybeIdentifier, c.several.String()+", as those of people are", "--drop "+c.flagged())
	}
	for _, s := range found.StandIns {
		var list []string
		for _, v := range s.Values {
			list = append(list, "--missing "+names.ShellItem(c.name+"="+numparse.Format(v)))
		}
		t.note(c.name, MaybeMissing, s.String(), strings.Join(list, " "))
	}
}

// flagged is the name of the column as a shell takes it.
func (c *collector) flagged() string { return names.ShellItem(c.name) }

// learnFacts checks the values, in so many rows, of a column, which may be the first one without a name.
func (c *collector) learnFacts(rows int, unnamed bool) {
	if c.state == numbers {
		c.numbers = checks.Numbers(c.name, c.values)
		if c.coded && !c.decided {
			c.reason = "codes, of which numbers would lose digits, and too many for a category (--numeric keeps it)"
			c.forget()
		}
	}
	if c.decided {
		return
	}
	switch c.state {
	case numbers:
		if c.days = c.unit == "" && c.numbers.Days; c.unit == "" && !c.days {
			c.several, c.sure = cmp.Or(c.numbers.Several, c.numbers.Repeats), c.numbers.Several != nil
		}
	case anything:
		if c.days = checks.Days(c.level); !c.days {
			count := c.count()
			c.several = checks.FindRepetition(c.name, count[1:], count[0] > 0)
			if c.sure = c.several != nil; !c.sure {
				c.several = checks.RepeatsLittle(count[1:])
			}
		}
	case hashes:
		c.several = c.severalOfHashes()
	}
	if name := c.name; c.state == numbers && rows >= fewRows {
		if unnamed {
			name = ""
		}
		c.key = c.numbers.Key(name)
	}
}

// keepers are the flags that keep a column.
func (c *collector) keepers() string {
	if c.state == numbers {
		return "--numeric or --categorical"
	}
	return "--categorical"
}
