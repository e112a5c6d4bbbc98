package classifier

import (
	"math"
	"slices"
)

// InformationValue says how much a column alone says about the label:
//
//	IV = Σ_b (p_b − n_b) · ln(p_b / n_b)
//
// over its levels, the bins of a number, and missing values. p_b = (P_b + ½)/(P + B/2) is the share
// of the P rows of the label +1 that are in the part b of B, n_b that of the rows of the label −1:
// half a row is added to every part, so that none is empty (Agresti, Categorical Data Analysis,
// 2013, §1.4.2, has the same constant). Neighbouring bins are merged until each has a twentieth of
// the rows; a number that is in no bins is cut into tenths. It is the symmetric Kullback-Leibler
// divergence of the two distributions. Siddiqi (2006, §6) calls 0.02 to 0.1 weak, 0.1 to 0.3 medium
// and more strong, and looks twice at more than 0.5.
type InformationValue struct {
	Column string  `json:"column"`
	Value  float64 `json:"value"` // to three digits behind the point
}

// informationValue returns that of a column, nil if it is unknown.
func (r *Reference) informationValue(column string) *float64 {
	if r == nil {
		return nil
	}
	at := slices.IndexFunc(r.InformationValues, func(v InformationValue) bool { return v.Column == column })
	if at < 0 {
		return nil
	}
	return &r.InformationValues[at].Value
}

// informationValue returns that of the column whose levels were counted last. p is the partition
// into the labels +1 and −1.
func (p *partition) informationValue(c *Column) float64 {
	const least = 20 // a bin has this part of the rows
	positive, all := make([]float64, len(p.counts[0].all)), make([]float64, len(p.counts[0].all))
	for _, half := range p.counts {
		for level, n := range half.all {
			positive[level] += float64(half.member[0][level])
			all[level] += float64(n)
		}
	}
	bins := 0 // levels 1 to bins
	if c.Encoding != nil && c.Encoding.Binned() {
		bins = len(c.Encoding.Edges) + 1
	}
	var parts [][2]float64 // rows of the label +1, and of −1
	last := -1             // the part that takes the next bin, negative for a new one
	for level, n := range all {
		part := [2]float64{positive[level], n - positive[level]}
		switch isBin := level >= 1 && level <= bins; {
		case n == 0:
			continue
		case isBin && last >= 0:
			parts[last][0] += part[0]
			parts[last][1] += part[1]
		default:
			parts = append(parts, part)
			if last = -1; isBin {
				last = len(parts) - 1
			}
		}
		if last >= 0 && least*(parts[last][0]+parts[last][1]) >= float64(len(p.group)) {
			last = -1
		}
	}
	sum := [2]float64{float64(len(parts)) / 2, float64(len(parts)) / 2}
	for _, part := range parts {
		sum[0], sum[1] = sum[0]+part[0], sum[1]+part[1]
	}
	value := 0.0
	for _, part := range parts {
		share := [2]float64{(part[0] + 0.5) / sum[0], (part[1] + 0.5) / sum[1]}
		value += float64((share[0] - share[1]) * math.Log(share[0]/share[1]))
	}
	return math.Round(value*1e3) / 1e3
}
