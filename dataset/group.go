package dataset

// Group is some of the rows of a data set: at least one, and not all.
type Group struct {
	Name   string
	Member []bool // Member[i] says whether row i belongs, for every row of the data
}
