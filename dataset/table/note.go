package table

// Note is something about a column that reading has found out, and that a person may want to
// know or to correct.
type Note struct {
	Column string
	Kind   NoteKind
	Text   string
}

// NoteKind is what a note is about. Only columns that the schema leaves open get notes.
type NoteKind string

// The kinds of notes.
const (
	Dropped      NoteKind = "dropped"       // the column is no feature
	Code         NoteKind = "code"          // digits were taken for a category
	MaybeCode    NoteKind = "maybe a code"  // a few distinct integers were taken for numbers
	DecimalComma NoteKind = "decimal comma" // 1,5 is one and a half
	Ambiguous    NoteKind = "ambiguous"     // 1,200 could be 1200 or 1.2
)

func (t *Table) note(column string, kind NoteKind, text string) {
	t.Notes = append(t.Notes, Note{column, kind, text})
}
