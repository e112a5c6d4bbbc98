package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// mean is the mean of what results have; ok is false if none has it.
func mean(of []result, figure func(result) *float64) (m float64, ok bool) {
	n := 0
	for _, r := range of {
		if v := figure(r); v != nil {
			m += *v
			n++
		}
	}
	return m / float64(max(n, 1)), n > 0
}

func accuracy(r result) *float64  { return &r.Accuracy }
func auc(r result) *float64       { return r.AUC }
func logLoss(r result) *float64   { return r.LogLoss }
func disparity(r result) *float64 { return r.Disparity }
func seconds(r result) *float64   { return &r.Seconds }
func excess(r result) *float64    { return &r.Excess }
func noise(r result) *float64     { return &r.Noise }

// pick returns the results of which match holds.
func pick(all []result, match func(result) bool) []result {
	return slices.DeleteFunc(slices.Clone(all), func(r result) bool { return !match(r) })
}

// distinct returns the values of a key in their order.
func distinct(all []result, key func(result) string) (list []string) {
	for _, r := range all {
		if k := key(r); !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	return list
}

var titles = map[string]string{
	"none": "Without a constraint", "dp": "Demographic parity within 0.02", "eo": "Equalized odds within 0.03",
}

// write prints the figures as tables in Markdown.
func write(w io.Writer, all []result) {
	tables := distinct(all, func(r result) string { return r.Table })
	for _, constraint := range distinct(all, func(r result) string { return r.Constraint }) {
		fmt.Fprintf(w, "\n**%s** (means over the splits, on test rows)\n\n", titles[constraint])
		fmt.Fprintln(w, "| table | method | accuracy | AUC | log loss | disparity | seconds |")
		fmt.Fprintln(w, "|---|---|---:|---:|---:|---:|---:|")
		for _, table := range tables {
			in := pick(all, func(r result) bool { return r.Table == table && r.Constraint == constraint })
			for _, method := range distinct(in, func(r result) string { return r.Method }) {
				of := pick(in, func(r result) bool { return r.Method == method })
				fmt.Fprintf(w, "| %s | %s |", table, method)
				for k, figure := range []func(result) *float64{accuracy, auc, logLoss, disparity, seconds} {
					m, ok := mean(of, figure)
					switch {
					case !ok:
						fmt.Fprint(w, " – |")
					case k == 4:
						fmt.Fprintf(w, " %.1f |", m)
					default:
						fmt.Fprintf(w, " %.4f |", m)
					}
				}
				fmt.Fprintln(w)
			}
		}
	}
	for _, figure := range []struct {
		name, constraint string
		value, second    func(result) *float64
	}{
		{"AUC without a constraint (log loss)", "none", auc, logLoss},
		{titles["dp"] + ": accuracy (disparity)", "dp", accuracy, disparity},
		{titles["eo"] + ": accuracy (disparity)", "eo", accuracy, disparity},
	} {
		fmt.Fprintf(w, "\n| %s | %s | seconds |\n|---|%s---:|\n",
			figure.name, strings.Join(tables, " | "), strings.Repeat("---:|", len(tables)))
		in := pick(all, func(r result) bool { return r.Constraint == figure.constraint })
		for _, method := range distinct(in, func(r result) string { return r.Method }) {
			fmt.Fprintf(w, "| %s |", method)
			for _, table := range tables {
				of := pick(in, func(r result) bool { return r.Table == table && r.Method == method })
				value, ok := mean(of, figure.value)
				if !ok {
					fmt.Fprint(w, " – |")
					continue
				}
				second, _ := mean(of, figure.second)
				fmt.Fprintf(w, " %.4f (%.3f) |", value, second)
			}
			s, _ := mean(pick(in, func(r result) bool { return r.Method == method }), seconds)
			fmt.Fprintf(w, " %.1f |\n", s)
		}
	}
	summary(w, all, tables)
}

// summary prints what the tables come to.
func summary(w io.Writer, all []result, tables []string) {
	fmt.Fprintln(w)
	worst, sum, n := math.Inf(1), 0.0, 0
	for _, table := range tables {
		of := func(method string) []result {
			return pick(all, func(r result) bool {
				return r.Table == table && r.Constraint == "none" && r.Method == method
			})
		}
		additive, _ := mean(of(unseen), auc)
		if theirs, ok := mean(of("EBM"), auc); ok {
			sum, n, worst = sum+additive-theirs, n+1, min(worst, additive-theirs)
		}
	}
	if n > 0 {
		fmt.Fprintf(w, "- AUC of the additive model without a constraint less that of EBM: "+
			"%+.4f on average, %+.4f at worst.\n", sum/float64(n), worst)
	}
	ours := pick(all, func(r result) bool { return r.Method == unseen })
	worse := pick(ours, func(r result) bool { return *r.LogLoss > r.Constant })
	where := distinct(worse, func(r result) string { return ", " + r.Table + " " + r.Constraint })
	fmt.Fprintf(w, "- Log loss of the additive model above that of a constant: in %d of %d trainings%s.\n",
		len(worse), len(ours), strings.Join(where, ""))
	bounded := pick(all, func(r result) bool { return r.Constraint != "none" })
	for _, method := range distinct(bounded, func(r result) string { return r.Method }) {
		of := pick(bounded, func(r result) bool { return r.Method == method })
		a, _ := mean(of, accuracy)
		d, _ := mean(of, disparity)
		e, _ := mean(of, excess)
		s, _ := mean(of, seconds)
		fmt.Fprintf(w, "- With a constraint, %s: accuracy %.4f, disparity %.4f, beyond the bound by %.4f; %.1f s.",
			method, a, d, e, s)
		if k, _ := mean(of, noise); k > 0 {
			fmt.Fprintf(w, " Noise of the test rows alone explains %.4f beyond.", k)
		}
		fmt.Fprintln(w)
	}
}
