package shards_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/dataset/census"
	"github.com/fairtrain/fairtrain/dataset/shards"
)

// firsts asks for the numbers of the first rows, and fails where there are more rows than Most.
type firsts struct{ Most int }

// numbers add up.
type numbers struct{ rows, sum int }

func (a *numbers) Add(b *numbers) {
	a.rows += b.rows
	a.sum += b.sum
}

var errMany = errors.New("too many rows")

func (q firsts) Of(d *dataset.Dataset, first int) (any, error) {
	if d.Rows() > q.Most {
		return nil, errMany
	}
	return &numbers{d.Rows(), first}, nil
}

// TestAsk asks shards of this process, whose answers come in their order and add up.
func TestAsk(t *testing.T) {
	d := census.Test()
	all := shards.Cut(d, 0, 1000, 5000)
	answers, err := shards.Ask[*numbers](all, firsts{d.Rows()})
	var got []numbers
	for _, a := range answers {
		got = append(got, *a)
	}
	if want := []numbers{{1000, 0}, {4000, 1000}, {d.Rows() - 5000, 5000}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("answers %v, want %v (%v)", got, want, err)
	}
	for _, rows := range []*shards.Rows{all, shards.InMemory(d)} {
		if sum, err := shards.Sum[*numbers](rows, firsts{d.Rows()}); err != nil || sum.rows != d.Rows() {
			t.Errorf("%d shards of %d rows, want %d (%v)", len(rows.Shards), sum.rows, d.Rows(), err)
		}
	}
	if _, err := shards.Sum[*numbers](all, firsts{2000}); err != errMany {
		t.Errorf("error %v, want %v", err, errMany)
	}
}
