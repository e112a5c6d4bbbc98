package textfile

import "slices"

// Mark is the byte-order mark of UTF-8.
const Mark = "\xef\xbb\xbf"

// Part is a file of several that are read as one text.
type Part struct {
	File  string
	First int // its first line in the text, from 1
}

// Locate corrects a fault at a line of a text that consists of the given parts: it is at a line of its
// file.
func Locate(fault *ParseError, parts []Part) {
	k, found := slices.BinarySearchFunc(parts, fault.Line, func(p Part, line int) int { return p.First - line })
	if !found {
		k--
	}
	if k >= 0 {
		fault.File, fault.Line = parts[k].File, fault.Line-parts[k].First+1
	}
}
