package results

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A folder may have runs with a score and runs without one.
func TestRunsTableScore(t *testing.T) {
	a, b := sampleRun(t, "fsfo", 1, 1), sampleRun(t, "sgd", 1, 1)
	b.Score = 0.5
	rows, err := csv.NewReader(bytes.NewReader(runsTable([]Run{a, b}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := len(rows[0]) - 3
	if diff := cmp.Diff([]string{"score", "0", "0.5"}, []string{rows[0][at], rows[1][at], rows[2][at]}); diff != "" {
		t.Errorf("column (-want +got)\n%s", diff)
	}
}

func TestRunsTable(t *testing.T) {
	a, b := sampleRun(t, "fsfo", 1, 1), sampleRun(t, "sgd", 1, 1)
	a.Points = a.Points[:1]
	b.Points, b.Params = nil, []Param{{"eta", "0,5"}}
	want := `cell,method,label,seed,run,status,iterations,samples,objective_calls,objective_samples,objective_evaluations,gradient_calls,gradient_samples,gradient_evaluations,constraint_calls,constraint_samples,constraint_evaluations,jacobian_calls,jacobian_samples,jacobian_evaluations,final_samples,final_passes,final_objective,final_c,final_kkt,final_stationarity,final_feasibility,final_complementarity,best_samples,best_passes,best_objective,best_c,best_kkt,best_stationarity,best_feasibility,best_complementarity,p_tau,p_w,p_eta,error,seconds
` + a.Cell + `,fsfo,fsfo,1,0,budget,30,333,0,0,0,3,300,600,3,30,30,3,3,3,` + strings.Repeat(strings.Join([]string{
		"0", number(a.Points[0].Passes), number(a.Points[0].Objective), number(a.Points[0].Constraint[0]), number(a.Points[0].KKT()),
		number(a.Points[0].Stationarity), number(a.Points[0].Feasibility), number(a.Points[0].Complementarity),
	}, ",")+",", 2) + `2,0.9,,,0.25
` + b.Cell + `,sgd,sgd,1,0,budget,30,333,0,0,0,3,300,600,3,30,30,3,3,3,0,,,,,,,,0,,,,,,,,,,"0,5",,0.25
`
	if diff := cmp.Diff(want, string(runsTable([]Run{a, b}))); diff != "" {
		t.Error(diff)
	}
}
