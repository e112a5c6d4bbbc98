package dataset

// Group is a part of the rows of a data set, neither empty nor all of them.
type Group struct {
	Name   string
	Member []bool // Member[i] says whether row i belongs, for every row of the data
}
