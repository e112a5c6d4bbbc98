package classifier

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/fairtrain/fairtrain/dataset"
	"github.com/fairtrain/fairtrain/internal/rng"
)

// Proxy is a column that predicts who belongs to a group.
type Proxy struct {
	Column string `json:"column"`
	Group  string `json:"group"` // "sex=Female"
	// AUC is the area under the ROC curve of telling members of the group from others by
	// the column alone: the probability that a member is ranked before somebody else.
	AUC float64 `json:"auc"`
}

// Leak is a column that predicts the label. Its value may be available only after the decision, or
// be the label in other words.
type Leak struct {
	Column string  `json:"column"`
	AUC    float64 `json:"auc"` // of predicting labels by the column alone
}

// StrongProxies are the proxies that predict groups of some attributes nearly as if these
// were features.
func StrongProxies(proxies []Proxy, attributes []string) (strong []Proxy) {
	for _, p := range proxies {
		named := func(attribute string) bool { return slices.Contains(attributes, attribute) }
		if p.AUC >= LeakAUC && slices.ContainsFunc(dataset.AttributesIn(p.Group), named) {
			strong = append(strong, p)
		}
	}
	return strong
}

// LeakAUC is the least AUC of a leak. What is available before a decision rarely predicts so well.
const LeakAUC = 0.95

// ProxyAUC is the least AUC of a proxy: from there on Hosmer, Lemeshow and Sturdivant
// (Applied Logistic Regression, 3rd edition, §5.2.4) call a discrimination acceptable.
const ProxyAUC = 0.7

const (
	// proxyRows is the largest number of rows on which proxies are measured. With it an AUC
	// of 0.7 is known to 0.01, even if only one row in a hundred is in the group.
	proxyRows = 100_000
	// proxyCells is the number of rows times columns from which on there are fewer rows, but
	// fewRows at least, so that wide data take no more than a second or two.
	proxyCells = 5_000_000
	fewRows    = 200
	// proxyBins is the number of parts of equal size into which numbers are divided.
	proxyBins = 10
	// leakLabels is how many rows of each label there must be for a leak, and of a group and of
	// others for its AUC by the order of a number. An order of so many that has nothing to do with
	// the labels reaches LeakAUC with a probability of 2e-8: 2714 of the C(40, 20) orders have 20
	// wrong pairs of 400 or fewer.
	leakLabels = 20
)

// proxies finds the columns that predict a group of the specifications, and those that predict the
// label. r.Groups are the specifications for which d has groups. Every value of a column, or every
// tenth of a number's values, is scored by the share of the group among the rows that have it. Rows
// of one half, drawn at random, are scored by the shares in the other half: shares in their own
// half would identify members by values that nobody else has. A number also scores as it is, or by
// its negative, if that predicts more: so does one that only few rows reach.
func (r *Reference) proxies(f *Features, d *dataset.Dataset, specs []string) {
	random := rng.New(1, "proxies")
	rows := draw(d, min(proxyRows, max(proxyCells/f.countColumns(), fewRows)), random)
	half := make([]int8, len(rows))
	for k := range half {
		half[k] = int8(random.IntN(2))
	}
	r.Groups, r.Proxies = []string{}, []Proxy{}
	labels := newPartition([]string{"+1", "-1"}, func(i int) int { return int(1-d.Y[i]) / 2 }, rows,
		half, max(leakLabels, r.MinCount))
	var parts []partition
	for _, spec := range specs {
		groups, err := d.Strata(spec)
		if err != nil {
			continue
		}
		r.Groups = append(r.Groups, spec)
		parts = append(parts, newPartition(groups.Names, groups.Group, rows, half, r.MinCount))
	}
	cols := newTranspose(d.X, rows, f.Count)
	levels := newLeveller(len(rows))
	some := func(first, end int) bool { return cols.ptr[first] < cols.ptr[end] } // of these rows are not 0
	for column := range f.columnsWhere(some) {
		count := levels.of(&column, cols)
		if best := labels.best(levels, count); best.AUC >= LeakAUC && slices.Min(labels.size) >= labels.least {
			r.Leaks = append(r.Leaks, Leak{column.Name, best.AUC})
		}
		if f.Kind == CSV && slices.Min(labels.size) >= labels.least {
			r.InformationValues = append(r.InformationValues, InformationValue{column.Name, labels.informationValue(&column)})
		}
		for k := range parts {
			if len(f.groupsOf(&column, r.Groups[k:k+1])) > 0 {
				continue
			}
			if best := parts[k].best(levels, count); best.AUC >= ProxyAUC {
				best.Column = column.Name
				r.Proxies = append(r.Proxies, best)
			}
		}
	}
	slices.SortStableFunc(r.InformationValues, func(a, b InformationValue) int { return cmp.Compare(b.Value, a.Value) })
}

// groupsOf returns which of the specifications a column is a part of.
func (f *Features) groupsOf(c *Column, specs []string) []string {
	var attributes []string
	switch {
	case c.Cross != nil && c.Cross.Pair():
		for k := range c.Cross.Columns {
			attributes = append(attributes, f.Encoding.Schema.GroupsOf(c.Cross.Columns[k].Column)...)
		}
	case c.Cross != nil:
		attributes = dataset.AttributesIn(c.Cross.Groups)
	case c.Encoding != nil:
		attributes = f.Encoding.Schema.GroupsOf(c.Name)
	}
	return slices.DeleteFunc(slices.Clone(specs), func(spec string) bool {
		if f.Kind == LIBSVM {
			return spec != strconv.Itoa(c.First+1)
		}
		return !slices.ContainsFunc(dataset.AttributesIn(spec),
			func(name string) bool { return slices.Contains(attributes, name) })
	})
}

// draw returns some of the rows, drawn at random, all if they are no more than most. Rows of a
// sample that stand for few others are rare.
func draw(d *dataset.Dataset, most int, random *rand.Rand) []int {
	if d.SampleOf == 0 {
		return sample(d.Rows(), most, random)
	}
	var rows, drawn []int
	stands := d.Weights
	largest := slices.Max(stands)
	for i, w := range stands {
		if float64(random.Float64()*largest) < w {
			rows = append(rows, i)
		}
	}
	for _, k := range sample(len(rows), most, random) {
		drawn = append(drawn, rows[k])
	}
	return drawn
}

// sample returns some of n rows, drawn at random, all if they are no more than most.
func sample(n, most int, random *rand.Rand) []int {
	rows := make([]int, 0, min(n, most))
	for i := range n {
		if len(rows) < most {
			rows = append(rows, i)
		} else if k := random.IntN(i + 1); k < most {
			rows[k] = i
		}
	}
	slices.Sort(rows)
	return rows
}

// partition is the groups of a specification, which have no row in common.
type partition struct {
	names  []string
	size   []int    // of the groups, in rows
	group  []int32  // of each row, −1 for none
	half   []int8   // of each row
	least  int      // groups of fewer rows are left out
	counts [2]table // rows of each half by level
	ranked table    // rows by rank
}

// table has numbers of rows by level: of all, and of each group.
type table struct {
	all    []int
	member [][]int
}

func newTable(groups, levels int) table {
	t := table{make([]int, levels), make([][]int, groups)}
	for g := range t.member {
		t.member[g] = make([]int, levels)
	}
	return t
}

func (t *table) add(group, level int32) {
	t.all[level]++
	if group >= 0 {
		t.member[group][level]++
	}
}

// newPartition parts rows by the numbers of their groups.
func newPartition(names []string, of func(row int) int, rows []int, half []int8, least int) partition {
	p := partition{names: names, half: half, least: least, group: make([]int32, len(rows)), size: make([]int, len(names))}
	for k, i := range rows {
		p.group[k] = -1
		if g := of(i); g < len(names) {
			p.group[k] = int32(g)
			p.size[g]++
		}
	}
	return p
}

// best returns the group that the levels predict best.
func (p *partition) best(l *leveller, count int) Proxy {
	p.count(l, count)
	var best Proxy
	for g, name := range p.names {
		if p.size[g] < p.least {
			continue
		}
		auc := p.crossed(g)
		// of fewer, some order is far from even by chance
		if l.ranks > 0 && min(p.size[g], len(p.group)-p.size[g]) >= leakLabels {
			auc = max(auc, p.byRank(g))
		}
		// The last digits would reveal single rows.
		if auc = math.Round(auc*1e3) / 1e3; auc > best.AUC {
			best = Proxy{Group: name, AUC: auc}
		}
	}
	return best
}

// count counts the rows of every level.
func (p *partition) count(l *leveller, count int) {
	p.counts = [2]table{newTable(len(p.names), count), newTable(len(p.names), count)}
	p.ranked = newTable(len(p.names), l.ranks)
	for k, g := range p.group {
		p.counts[p.half[k]].add(g, l.level[k])
		if l.ranks > 0 {
			p.ranked.add(g, l.rank[k])
		}
	}
}

// byRank returns the area under the ROC curve for a group by the order of a number, up or down.
func (p *partition) byRank(g int) float64 {
	var list []scored
	for rank, in := range p.ranked.member[g] {
		list = append(list, scored{float64(rank), in, p.ranked.all[rank] - in})
	}
	auc := area(list)
	return max(auc, 1-auc)
}

// crossed returns the area under the ROC curve for a group by the shares of the other half.
func (p *partition) crossed(g int) float64 {
	var list []scored
	for h := range p.counts {
		own, other := &p.counts[h], &p.counts[1-h]
		overall, rows := 0, 0
		for level, n := range other.all {
			overall, rows = overall+other.member[g][level], rows+n
		}
		for level, in := range own.member[g] {
			m, n := other.member[g][level], other.all[level]
			if n == 0 { // the level is unknown
				m, n = overall, max(rows, 1)
			}
			list = append(list, scored{float64(m) / float64(n), in, own.all[level] - in})
		}
	}
	slices.SortFunc(list, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	return area(list)
}

// scored is the numbers of members of a group and of other rows that have a score.
type scored struct {
	score           float64
	members, others int
}

// area returns the area under the ROC curve of rows by ascending score, 0 if all or no rows are
// members.
func area(list []scored) float64 {
	pairs, below, members := 0.0, 0, 0
	for from := 0; from < len(list); {
		to, in, out := from, 0, 0
		for ; to < len(list) && list[to].score == list[from].score; to++ {
			in, out = in+list[to].members, out+list[to].others
		}
		pairs += float64(in) * (float64(below) + float64(out)/2)
		members, below, from = members+in, below+out, to
	}
	if members == 0 || below == 0 {
		return 0
	}
	return pairs / (float64(members) * float64(below))
}
