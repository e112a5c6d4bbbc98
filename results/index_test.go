package results

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRunsTable(t *testing.T) {
	a, b := sampleRun(t, "fsfo", 1, 1), sampleRun(t, "sgd", 1, 1)
	a.Points = a.Points[:1]
	b.Points, b.Params, b.Problem, b.Score = nil, []Param{{"eta", "0,5"}}, "circle", 0.5
	want := `cell,problem,method,label,seed,run,status,iterations,samples,objective_calls,objective_samples,objective_evaluations,gradient_calls,gradient_samples,gradient_evaluations,constraint_calls,constraint_samples,constraint_evaluations,jacobian_calls,jacobian_samples,jacobian_evaluations,final_samples,final_passes,final_objective,final_c,final_kkt,final_stationarity,final_feasibility,final_complementarity,best_samples,best_passes,best_objective,best_c,best_kkt,best_stationarity,best_feasibility,best_complementarity,p_tau,p_w,p_eta,score,error,seconds
` + a.Cell + `,,fsfo,fsfo,1,0,budget,30,333,0,0,0,3,300,600,3,30,30,3,3,3,` + strings.Repeat(strings.Join([]string{
		"0", number(a.Points[0].Passes), number(a.Points[0].Objective), number(a.Points[0].Constraint[0]), number(a.Points[0].KKT()),
		number(a.Points[0].Stationarity), number(a.Points[0].Feasibility), number(a.Points[0].Complementarity),
	}, ",")+",", 2) + `2,0.9,,,,0.25
` + b.Cell + `,circle,sgd,sgd,1,0,budget,30,333,0,0,0,3,300,600,3,30,30,3,3,3,0,,,,,,,,0,,,,,,,,,,"0,5",0.5,,0.25
`
	if diff := cmp.Diff(want, string(runsTable([]Run{a, b}))); diff != "" {
		t.Error(diff)
	}
}
