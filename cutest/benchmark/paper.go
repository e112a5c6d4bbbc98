package benchmark

// published is the paper's table (Table semantic-fair-summary) by noise level.
var published = map[float64][]Summary{
	1e-2: {
		{"fsfo", 103, 1.997e-3, 3.331e-4, 1.404e-3},
		{"ssqp", 25, 3.454e-3, 1.132e-3, 2.135e-3},
		{"slqpm", 12, 8.388e-2, 9.467e-3, 1.640e-2},
		{"stoc-ialm", 8, 9.364e-2, 9.534e-3, 4.634e-2},
	},
	1e-4: {
		{"fsfo", 104, 2.606e-4, 5.913e-5, 1.191e-4},
		{"ssqp", 26, 5.829e-4, 1.413e-4, 2.797e-4},
		{"slqpm", 10, 7.993e-2, 9.482e-3, 1.397e-2},
		{"stoc-ialm", 7, 9.164e-2, 2.654e-3, 3.681e-2},
	},
}

// paperFigures returns the paper's results for a method at a noise level, nil if it has
// none.
func paperFigures(noise float64, method string) *Summary {
	for i := range published[noise] {
		if s := &published[noise][i]; s.Name == method {
			return s
		}
	}
	return nil
}

// paperNote says what the paper's figures are of; "" if the table has none of them.
func (t *Table) paperNote() string {
	for _, s := range t.Methods {
		if paperFigures(t.Noise, s.Name) != nil {
			return "the paper's figures are of 138 problems, which it does not list, with 75 candidates " +
				"per method and 3000 samples per run"
		}
	}
	return ""
}
