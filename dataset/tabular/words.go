package tabular

import "strings"

// decisionWords are pairs of words for positive and negative decisions and outcomes that
// need no explanation, in any case.
var decisionWords = [][2]string{
	{"yes", "no"},
	{"y", "n"},
	{"true", "false"},
	{"t", "f"},
	{"positive", "negative"},
	{"accept", "reject"},
	{"accepted", "rejected"},
	{"accepted", "refused"},
	{"accepted", "declined"},
	{"approve", "deny"},
	{"approved", "denied"},
	{"approved", "rejected"},
	{"approved", "refused"},
	{"approved", "declined"},
	{"grant", "deny"},
	{"granted", "denied"},
	{"granted", "refused"},
	{"admit", "reject"},
	{"admitted", "rejected"},
	{"hire", "reject"},
	{"hired", "rejected"},
	{"selected", "rejected"},
	{"pass", "fail"},
	{"passed", "failed"},
	{"ja", "nein"},
	{"oui", "non"},
}

// IsTruth reports whether a value is true or false, in any case.
func IsTruth(value string) bool {
	return strings.EqualFold(value, "true") || strings.EqualFold(value, "false")
}

// PositiveWord returns the positive one of one or two words; "" if there is only the negative
// one. ok is false if the words are no known pair.
func PositiveWord(words []string) (word string, ok bool) {
	for _, pair := range decisionWords {
		var positive string
		known := true
		for _, word := range words {
			switch {
			case strings.EqualFold(word, pair[0]):
				positive = word
			case !strings.EqualFold(word, pair[1]):
				known = false
			}
		}
		if known {
			return positive, true
		}
	}
	return "", false
}
