package fairness

// ROCPoint is a point of a receiver operating characteristic: the rates if decisions were
// positive for scores of at least Threshold.
type ROCPoint struct {
	Threshold Value `json:"threshold"` // undefined where no decision is positive
	FPR       Value `json:"fpr"`
	TPR       Value `json:"tpr"`
}

// ROC returns points of the curve of the member rows, all rows if member is nil, from (0, 0)
// to (1, 1): at most parts steps of about equal weight, of at least least rows each, so that
// no step reveals a single row. It is nil if the rows have no labels, if all labels are the
// same, or if there are fewer than least rows. The predictions must be valid, see Evaluate.
func ROC(p Predictions, member []bool, parts, least int) []ROCPoint {
	if p.Labels == nil {
		return nil
	}
	return roc(members(p.byScore(), member), parts, least)
}

// roc is ROC for labelled rows by ascending score.
func roc(rows []row, parts, least int) []ROCPoint {
	if size(rows) < least {
		return nil
	}
	bins := equalMass(rows, parts)
	points := []ROCPoint{{Threshold: Undefined()}}
	var positives, negatives float64
	step := 0                             // rows since the last point
	for k := len(bins) - 1; k >= 0; k-- { // the threshold falls from bin to bin
		for i := range bins[k] {
			if r := &bins[k][i]; r.label > 0 {
				positives += r.weight
			} else {
				negatives += r.weight
			}
		}
		if step += size(bins[k]); step >= least {
			points = append(points, ROCPoint{Value(bins[k][0].score), Value(negatives), Value(positives)})
			step = 0
		}
	}
	if positives == 0 || negatives == 0 {
		return nil
	}
	// What is left at the end joins the last step.
	points[len(points)-1] = ROCPoint{Value(rows[0].score), Value(negatives), Value(positives)}
	for k := range points {
		points[k].FPR /= Value(negatives)
		points[k].TPR /= Value(positives)
	}
	return points
}

// size returns how many rows there are, those that are merged included.
func size(rows []row) int {
	n := 0
	for i := range rows {
		n += rows[i].rows
	}
	return n
}
