package checks

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// fewKeys is the least number of values of an identifier.
const fewKeys = 20

// rowNames are names of columns that number rows, as programs write them, without blanks and the
// like.
var rowNames = []string{"", "index", "indexlevel0", "row", "rowid", "rowname", "rownames", "rownumber", "unnamed0"}

// keyNames are names of columns that number people, without blanks and the like; ofKey finds them
// in longer names.
var (
	keyNames = []string{
		"id", "ids", "uid", "uuid", "guid", "pid", "idno", "idnumber", "caseid", "subject", "subj",
		"person", "patient", "participant", "respondent",
	}
	ofKey = regexp.MustCompile(`(?i:(^|[-_. ])(id|uid|uuid|guid)$)|[a-z]I[Dd]$|(?i:^id[-_. ])`)
)

func ofWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// nameOf is the name of a column in small letters, without blanks and the like.
func nameOf(column string) string {
	return strings.Map(func(r rune) rune {
		if !ofWord(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, column)
}

// isOfPeople reports whether a column numbers people, or other units that may have several rows, by
// its name.
func isOfPeople(name string) bool {
	return slices.Contains(keyNames, nameOf(name)) || ofKey.MatchString(name)
}

// IsKey reports whether a column numbers rows or people by its name and its whole numbers, of which
// no two are equal.
func (p *Profile) IsKey(name string) bool {
	return (slices.Contains(rowNames, nameOf(name)) || isOfPeople(name)) && p.AllDiffer(fewKeys)
}

// Repetition says that an identifier has values in several rows each, so that rows may not be
// independent.
type Repetition struct {
	Values int `toml:"values" json:"values"`                 // that differ
	Rows   int `toml:"rows,omitempty" json:"rows,omitempty"` // that have one of these
	Each   int `toml:"each,omitempty" json:"each,omitempty"` // rows of each value; 0 if they differ
}

// String describes it.
func (r *Repetition) String() string {
	if r.Each == 0 {
		return fmt.Sprintf("%d values of it are in %d rows, and its name is that of people or the like", r.Values, r.Rows)
	}
	return fmt.Sprintf("each of its %d values occurs in exactly %d rows", r.Values, r.Each)
}

// FindRepetition finds out by the number of rows of every distinct value whether a column numbers
// people who have several rows each, of which some may lack a value. Either each has as many rows,
// or the name of the column says so. It returns nil if not.
func FindRepetition(name string, counts []int, missing bool) *Repetition {
	const leastPeople, mostTimes, several = 100, 100, 1.1 // less is balanced by design, as months are
	r := &Repetition{Values: len(counts)}
	alike := true
	for _, n := range counts {
		r.Rows += n
		alike = alike && n == counts[0]
	}
	switch {
	case r.Rows > mostTimes*r.Values:
		return nil
	case alike && !missing && r.Values >= leastPeople && counts[0] > 1:
		r.Each = counts[0]
		return r
	case isOfPeople(name) && r.Values >= fewKeys && float64(r.Rows) >= several*float64(r.Values):
		return r
	}
	return nil
}
