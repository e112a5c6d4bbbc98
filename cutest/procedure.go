package cutest

// procedure is an external function whose Fortran code follows the code parts.
type procedure struct {
	name   string
	typ    valueType
	params []procedureParam
}

type procedureParam struct {
	name     string
	typ      valueType
	dims     []int
	assigned bool
}

func (p *procedureParam) size() int { return product(p.dims) }

func readProcedures(s *scanner) (map[string]*procedure, error) {
	for {
		if ok, err := s.readLine(); !ok {
			return nil, err
		}
	}
}

func (p *procedure) call(args []float64) float64 { return 0 }
