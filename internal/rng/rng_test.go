package rng

import "testing"

func TestStreamsAreNamed(t *testing.T) {
	same := New(7, "run", 3, "objective").Uint64()
	if got := New(7, "run", 3, "objective").Uint64(); got != same {
		t.Errorf("the same labels gave %d and %d", same, got)
	}
	others := map[string]uint64{
		"another seed":             New(8, "run", 3, "objective").Uint64(),
		"another run":              New(7, "run", 4, "objective").Uint64(),
		"another role":             New(7, "run", 3, "constraint").Uint64(),
		"labels that concatenate":  New(7, "run", 3, "obj", "ective").Uint64(),
		"labels shifted by a part": New(7, "run3", "objective").Uint64(),
	}
	for name, got := range others {
		if got == same {
			t.Errorf("%s: stream equals that of run 3, objective", name)
		}
	}
}
