package fairness

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

// resample returns the figures of all rows, then of the groups, in samples of the rows
// with replacement. The random numbers of each sample are its own, so that the result does
// not depend on who draws it.
func resample(rows []row, groups []Group, labelled bool, samples int, seed uint64) [][]Metrics {
	members := membershipsOf(rows, groups)
	figures := make([][]Metrics, samples)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), samples) {
		workers.Go(func() {
			times := make([]uint32, len(rows))
			for b := next.Add(1) - 1; b < int64(samples); b = next.Add(1) - 1 {
				draw(times, rand.New(rand.NewPCG(seed, uint64(b))))
				figures[b] = members.measure(rows, times, labelled)
			}
		})
	}
	workers.Wait()
	return figures
}

// draw counts how often each row is among as many drawn with replacement as there are.
func draw(times []uint32, random *rand.Rand) {
	clear(times)
	n := uint64(len(times))
	for range times {
		times[random.Uint64N(n)]++
	}
}

// memberships are the groups of every row; groups may overlap.
type memberships struct {
	groups int
	start  []int32 // the groups of row i are of[start[i]:start[i+1]]
	of     []int32
}

func membershipsOf(rows []row, groups []Group) *memberships {
	m := &memberships{groups: len(groups), start: make([]int32, 1, len(rows)+1)}
	for i := range rows {
		for g := range groups {
			if groups[g].Member[rows[i].index] {
				m.of = append(m.of, int32(g))
			}
		}
		m.start = append(m.start, int32(len(m.of)))
	}
	return m
}

// measure returns the figures of all rows, then of the groups, where row i is there
// times[i] times.
func (m *memberships) measure(rows []row, times []uint32, labelled bool) []Metrics {
	all := tally{}
	byGroup := make([]tally, m.groups)
	for i, k := range times {
		if k == 0 {
			continue
		}
		all.add(&rows[i], int(k))
		for _, g := range m.of[m.start[i]:m.start[i+1]] {
			byGroup[g].add(&rows[i], int(k))
		}
	}
	figures := make([]Metrics, 1+m.groups)
	figures[0] = all.metrics(labelled)
	for g := range byGroup {
		figures[g+1] = byGroup[g].metrics(labelled)
	}
	return figures
}
