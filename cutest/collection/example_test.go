package collection_test

import (
	"fmt"
	"log"
	"slices"

	"github.com/fairtrain/fairtrain/cutest/collection"
	"github.com/fairtrain/fairtrain/internal/rng"
	"github.com/fairtrain/fairtrain/problem"
)

func ExampleAll() {
	all := collection.All()
	p := all[slices.IndexFunc(all, func(p *collection.Problem) bool { return p.Name == "HS7" })]
	n, m := p.Dims()
	x := make([]float64, n)
	p.Start(x)
	fmt.Printf("%s: n = %d, m = %d, f(start) = %.4f, optimum %.4f\n", p.Name, n, m,
		problem.Objective(p, x, nil), p.Optimum)

	noisy, err := problem.NewNoisy(p, 0.01)
	if err != nil {
		log.Fatal(err)
	}
	var b problem.Batch
	noisy.DrawConstraint(&b, 10, rng.New(1, "example"))
	exact, estimate := make([]float64, m), make([]float64, m)
	noisy.Evaluate(&problem.Values{Constraint: exact}, x, nil)
	noisy.Evaluate(&problem.Values{Constraint: estimate}, x, &b)
	fmt.Printf("c(start) = %.1f, estimated as %.1f\n", exact, estimate)
	// Output:
	// HS7: n = 2, m = 1, f(start) = -0.3906, optimum -1.7321
	// c(start) = [25.0], estimated as [25.0]
}
