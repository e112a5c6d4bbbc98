package classifier

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset/tabular"
)

// TestProxies: columns that predict a group or the label are found, whatever their form. Columns
// that identify members only by their names are not.
func TestProxies(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	text.WriteString("sex,alike,told,far,noise,street,reason,y\n")
	for i := range 4000 {
		member := random.Float64() < 0.3
		sex, told, far := "m", member, 0.0
		if member {
			sex = "f"
			far = []float64{-2, 2}[random.IntN(2)] // at both ends, where no order tells
		}
		if random.Float64() < 0.2 {
			told = !told
		}
		reason := "" // of a refusal
		if i%2 == 0 {
			reason = []string{"income", "debts", "age"}[random.IntN(3)]
		}
		fmt.Fprintf(&text, "%s,%s,%v,%.3f,%.3f,s%d,%s,%d\n", sex, sex, told,
			far+random.NormFloat64()/2, random.NormFloat64(), random.IntN(1000), reason, i%2)
	}
	s := &tabular.Schema{
		MinCount: 1, Groups: []tabular.GroupSpec{{Column: "sex"}},
		Columns: []tabular.ColumnSpec{{Name: "sex", As: tabular.Drop}, {Name: "street", As: tabular.OneHot}},
	}
	e, d := encode(t, text.String(), s)
	f := Features{Kind: CSV, Count: e.Width(), Encoding: e}
	r, err := f.Measure(d, []string{"sex=f", "sex=x", "town"})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(r.Groups); got != "[sex sex=f]" {
		t.Errorf("groups %s, want those that there are", got)
	}
	// Told with probability 0.8 either way: AUC 0.8. Φ(2·2) and more tells what is far.
	want := map[string]float64{"alike": 1, "told": 0.8, "far": 0.97}
	got := map[string]float64{}
	for _, p := range r.Proxies {
		got[p.Column] = p.AUC
	}
	for column, auc := range want {
		if math.Abs(got[column]-auc) > 0.03 {
			t.Errorf("%s tells with an AUC of %v, want about %v", column, got[column], auc)
		}
	}
	if diff := cmp.Diff([]Leak{{"reason", 1}}, r.Leaks); diff != "" {
		t.Errorf("leaks (-want +got)\n%s", diff)
	}
	if len(got) != len(want) {
		t.Errorf("proxies %v, want only %v", got, want)
	}
}

// TestRareLeak: a number tells a rare label where all its tenths but the last have none, upwards or
// downwards.
func TestRareLeak(t *testing.T) {
	for _, sign := range []float64{1, -1} {
		random := rand.New(rand.NewPCG(1, 2))
		var text strings.Builder
		text.WriteString("wage,age,y\n")
		for i := range 500 {
			rare := i%20 == 0
			wage := random.Float64()
			if rare {
				wage += 1
			}
			fmt.Fprintf(&text, "%v,%v,%v\n", sign*wage, random.Float64(), rare)
		}
		e, d := encode(t, text.String(), &tabular.Schema{})
		f := Features{Kind: CSV, Count: e.Width(), Encoding: e}
		r, err := f.Measure(d, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]Leak{{"wage", 1}}, r.Leaks); diff != "" {
			t.Errorf("sign %v: leaks (-want +got)\n%s", sign, diff)
		}
	}
}

// TestFewByChance: the order of a number tells nothing of a group of few people, which some orders
// seem to tell by chance.
func TestFewByChance(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var text strings.Builder
	header := "g"
	for j := range 40 {
		header += fmt.Sprintf(",x%d", j)
	}
	text.WriteString(header + ",y\n")
	for i := range 1000 {
		text.WriteString([]string{"a", "b"}[min(i%200, 1)])
		for range 40 {
			fmt.Fprintf(&text, ",%v", random.Float64())
		}
		fmt.Fprintf(&text, ",%d\n", i%2)
	}
	s := &tabular.Schema{MinCount: 5, Groups: []tabular.GroupSpec{{Column: "g"}}, Columns: []tabular.ColumnSpec{{Name: "g", As: tabular.Drop}}}
	e, d := encode(t, text.String(), s)
	f := Features{Kind: CSV, Count: e.Width(), Encoding: e}
	r, err := f.Measure(d, []string{"g"})
	if err != nil {
		t.Fatal(err)
	}
	l := newLeveller(d.Rows())
	rows := make([]int, d.Rows())
	for i := range rows {
		rows[i] = i
	}
	cols, farther := newTranspose(d.X, rows, f.Count), 0
	groups, err := d.Strata("g")
	if err != nil {
		t.Fatal(err)
	}
	p := newPartition(groups.Names, groups.Group, rows, make([]int8, len(rows)), 5)
	for _, c := range f.Columns() {
		p.count(l, l.of(&c, cols))
		if p.byRank(0) >= ProxyAUC {
			farther++
		}
	}
	if len(r.Proxies) >= farther || farther == 0 {
		t.Errorf("%d proxies, and %d orders seem to tell the five of group a", len(r.Proxies), farther)
	}
}

// TestStrongProxies: a copy of a group that is no feature is found, but no weaker proxy, and no
// copy of another one.
func TestStrongProxies(t *testing.T) {
	proxies := []Proxy{{"husband", "sex=m", 0.9}, {"sex2", "sex=m", 1}, {"town2", "town=x", 1}}
	if got := StrongProxies(proxies, []string{"sex"}); !slices.Equal(got, proxies[1:2]) {
		t.Errorf("%+v", got)
	}
}

// TestAUC compares with the definition: the share of the pairs of a member and another one
// in which the member has the higher score, ties counting half.
func TestAUC(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "rows")
		levels := rapid.IntRange(1, 5).Draw(t, "levels")
		l, half, member := newLeveller(n), make([]int8, n), make([]bool, n)
		rows := make([]int, n)
		for i := range n {
			rows[i] = i
			l.level[i] = int32(rapid.IntRange(0, levels-1).Draw(t, "level"))
			half[i] = int8(rapid.IntRange(0, 1).Draw(t, "half"))
			member[i] = rapid.Bool().Draw(t, "member")
		}
		group := func(row int) int {
			if member[row] {
				return 0
			}
			return 1 // none
		}
		p := newPartition([]string{"g"}, group, rows, half, 1)
		p.count(l, levels)
		score := func(i int) float64 {
			in, all, inAny, any := 0.0, 0.0, 0.0, 0.0
			for k := range n {
				if half[k] == half[i] {
					continue
				}
				any++
				if member[k] {
					inAny++
				}
				if l.level[k] == l.level[i] {
					all++
					if member[k] {
						in++
					}
				}
			}
			if all == 0 {
				return inAny / max(any, 1)
			}
			return in / all
		}
		won, pairs := 0.0, 0.0
		for i := range n {
			for k := range n {
				if !member[i] || member[k] {
					continue
				}
				pairs++
				switch a, b := score(i), score(k); {
				case a > b:
					won++
				case a == b:
					won += 0.5
				}
			}
		}
		want := 0.0
		if pairs > 0 {
			want = won / pairs
		}
		if got := p.crossed(0); math.Abs(got-want) > 1e-12 {
			t.Fatalf("AUC %v, want %v", got, want)
		}
	})
}
