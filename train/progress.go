package train

// Progress is the state of a run at a full pass.
type Progress struct {
	Share     float64 // of the run that is done, about; it may go back where another problem begins
	Objective float64
	Residual  float64 // see Report.ScaledResidual
}

// stages returns the options to train without the requirements, and those to go on with them.
func (o *Options) stages() (first, then *Options) {
	if len(o.requirements()) == 0 {
		return o, o
	}
	without, with := *o, *o
	without.Progress, with.Progress = o.part(0, 2), o.part(1, 2)
	return &without, &with
}

// part returns what to tell about part k of n of what the options are for; the first is 0.
func (o *Options) part(k, n int) func(Progress) {
	tell := o.Progress
	if tell == nil {
		return nil
	}
	return func(p Progress) {
		p.Share = (float64(k) + p.Share) / float64(n)
		tell(p)
	}
}
