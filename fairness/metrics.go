package fairness

// Metrics are the figures of a set of rows. Where rows have weights, counts are sums of
// weights and rates are weighted. All figures that need labels are undefined without
// them; a rate is undefined where its denominator is 0.
type Metrics struct {
	Rows int `json:"rows"` // rows, whatever their weights

	SelectionRate Value `json:"selection_rate"` // share of positive decisions
	MeanScore     Value `json:"mean_score"`

	Accuracy         Value `json:"accuracy"`          // share of decisions equal to the label
	BalancedAccuracy Value `json:"balanced_accuracy"` // mean of TPR and 1 − FPR
	TPR              Value `json:"tpr"`               // selection rate of the positives
	FPR              Value `json:"fpr"`               // selection rate of the negatives

	// AUC is the probability that a positive scores higher than a negative, a tie
	// counting one half.
	AUC Value `json:"auc"`
	// LogLoss is the mean of −log(probability given to the label), for scores that are
	// probabilities; undefined if one is outside [0, 1]. Probabilities are taken as at
	// least 2⁻⁵², so that one confident error can't make it infinite.
	LogLoss Value `json:"log_loss"`

	// CalibrationGap is the mean score minus the base rate (share of positive labels), ECE
	// the expected calibration error: the mean distance of the two in Calibration, the
	// reliability table. Its bins have about equal weight, except for ties; there are ten bins if
	// there are ten rows for each, else fewer. All are undefined if the log loss is.
	CalibrationGap Value            `json:"calibration_gap"`
	ECE            Value            `json:"ece"`
	Calibration    []CalibrationBin `json:"calibration,omitempty"`

	Positives      Value `json:"positives"` // rows with label +1
	Negatives      Value `json:"negatives"`
	TruePositives  Value `json:"tp"`
	FalsePositives Value `json:"fp"`
	TrueNegatives  Value `json:"tn"`
	FalseNegatives Value `json:"fn"`
}

// undefinedMetrics returns the metrics of no rows.
func undefinedMetrics() Metrics {
	none := Undefined()
	return Metrics{
		SelectionRate: none, MeanScore: none,
		Accuracy: none, BalancedAccuracy: none, TPR: none, FPR: none, AUC: none, LogLoss: none,
		CalibrationGap: none, ECE: none,
		Positives: none, Negatives: none, TruePositives: none, FalsePositives: none, TrueNegatives: none, FalseNegatives: none,
	}
}
