package sparse

// TurnedBlocks are turned rows evaluated a block at a time, in their order. The products of a part are
// computed together before the first of its blocks, and its combinations added after the last one.
type TurnedBlocks struct {
	parts   []TurnedPart // the first one is at work, if it has begun
	begun   bool
	product [TurnedRows]float64
	sums    turnedSums
	pending []combination
	unused  []*[TurnedRows]float64
}

// combination is one of the rows of a part that is to be added.
type combination struct {
	dst  []float64
	coef *[TurnedRows]float64
}

// Begin begins with the first row.
func (t *TurnedBlocks) Begin(rows *Turned) { t.parts, t.begun = rows.Parts, false }

// Mul stores the products of the rows from lo on, those of the last call or the next ones.
func (t *TurnedBlocks) Mul(dst, x []float64, lo int) {
	if t.begun && lo == t.parts[0].Hi {
		t.Finish()
		t.parts, t.begun = t.parts[1:], false
	}
	if !t.begun {
		t.parts[0].mul(t.product[:], x, &t.sums)
		t.begun = true
	}
	copy(dst, t.product[lo-t.parts[0].Lo:])
}

// AddTrans adds a combination of the given rows of the last block to dst, in the end; nil means all
// from lo on.
func (t *TurnedBlocks) AddTrans(dst, coef []float64, lo int, rows []int) {
	to, first := t.coefficients(dst), t.parts[0].Lo
	if rows == nil {
		copy(to[lo-first:], coef)
	}
	for k, i := range rows {
		to[i-first] = coef[k]
	}
}

// coefficients returns those of the combination for dst, at first 0.
func (t *TurnedBlocks) coefficients(dst []float64) *[TurnedRows]float64 {
	for _, p := range t.pending {
		if &p.dst[0] == &dst[0] {
			return p.coef
		}
	}
	if len(t.unused) == 0 {
		t.unused = append(t.unused, new([TurnedRows]float64))
	}
	last := len(t.unused) - 1
	p := combination{dst, t.unused[last]}
	t.unused, t.pending = t.unused[:last], append(t.pending, p)
	clear(p.coef[:])
	return p.coef
}

// Finish adds the combinations.
func (t *TurnedBlocks) Finish() {
	if len(t.pending) > 0 {
		t.parts[0].addTrans(t.pending)
	}
	for _, p := range t.pending {
		t.unused = append(t.unused, p.coef)
	}
	t.pending = t.pending[:0]
}
