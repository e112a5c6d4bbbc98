// Package naming has names for people: of methods those in their papers, of data those without folders.
package naming

// methods are the names of package solver, and labels of built-in presets.
var methods = map[string]string{
	"adaptive":   "Adaptive",
	"finite-sum": "Finite-sum",
	"fsfo":       "FSFO",
	"sgd":        "SGD",
	"slqpm":      "SLQPM",
	"sqp":        "SQP",
	"ssqp":       "SSQP",
	"stoc-ialm":  "Stoc-iALM",

	// labels of presets
	"adaptive-not-tuned": "Adaptive, not tuned",
	"fsfo-gauss-newton":  "FSFO, Gauss–Newton",
}

// Method returns the name of a method in figures and tables. A label that is no name of
// package solver is a user's own and stays as it is.
func Method(label string) string {
	if name, ok := methods[label]; ok {
		return name
	}
	return label
}
