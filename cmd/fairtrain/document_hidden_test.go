package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// certified runs certify, whose test may fail, and writes its certificate, also as an earlier
// version wrote it, without the names of the groups that decided.
func certified(t *testing.T, name string, args ...string) (old string) {
	t.Helper()
	var out, talk bytes.Buffer
	run(t.Context(), append([]string{"fairtrain", "certify", "--ledger", "ledger", "--json"},
		args...), nil, &out, &talk)
	var found map[string]any
	if err := json.Unmarshal(out.Bytes(), &found); err != nil {
		t.Fatalf("%v: %s", err, talk.String())
	}
	for _, v := range found["requirements"].([]any) {
		delete(v.(map[string]any), "worst_groups")
	}
	text, err := json.Marshal(found)
	if err != nil {
		t.Fatal(err)
	}
	old = "old-" + name
	for file, text := range map[string][]byte{name: out.Bytes(), old: text} {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return old
}

// TestReportOfNamesInNames: a group is named although its name begins with that of a group of three
// people. From a certificate of an earlier version it is not.
func TestReportOfNamesInNames(t *testing.T) {
	t.Chdir(t.TempDir())
	races := func(name string, seed uint64, few int) {
		writeRaces(t, name, seed, []race{{"Asian", few, 1}, {"Native", few, 0}, {"Asian-Pacific", 60, 0.9}, {"Black", 200, 0.3}, {"White", 300, 0.3}})
	}
	features := func(name string, seed uint64, few int) {
		r := rand.New(rand.NewPCG(seed, 2))
		var b strings.Builder
		for k := range 400 {
			x := r.NormFloat64()
			fmt.Fprintf(&b, "%+d 1:%.3f", map[bool]int{true: 1, false: -1}[x+float64(k%2) > 0.5], x)
			if k < few {
				b.WriteString(" 7:1")
			}
			fmt.Fprintf(&b, " 70:1%s\n", strings.Repeat(" 71:1", k%2))
		}
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		write func(name string, seed uint64, few int)
		flags []string
		spec  string
		group string // that is compared too
		named string
	}{
		{races, []string{"--label", "hired"}, "demographic-parity:group=race,bound=0.5", "race", "decided by race=Asian-Pacific above race="},
		{features, nil, "demographic-parity:group=71,bound=0.5", "7", "decided by "},
	} {
		for _, old := range []string{"t.csv", "f.csv", "m.json", "c.json"} {
			os.Remove(old)
		}
		test.write("t.csv", 1, 3)
		test.write("f.csv", 2, 0)
		do(t, append(append([]string{"train", "--data", "t.csv", "--constraint", test.spec, "--model", "m.json", "--quiet"}, test.flags...), []string{"--drop", "race"}[:2*min(1, len(test.flags))]...)...)
		tight := strings.Replace(test.spec, "0.5", "0.001", 1)
		old := certified(t, "c.json", "--model", "m.json", "--data", "f.csv", "--constraint", tight)
		text, d := reportOf(t, "--model", "m.json", "--data", "t.csv", "--group", test.group, "--certificate", "c.json")
		expect(t, test.spec, text, test.named)
		if v := d.Guarantee.Requirements[0]; v.Holds || strings.Contains(v.Worst, "not shown") ||
			len(v.WorstGroups) != 2 {
			t.Errorf("%s: decided by %q, of the groups %q", test.spec, v.Worst, v.WorstGroups)
		}
		text, _ = reportOf(t, "--model", "m.json", "--data", "t.csv", "--group", test.group, "--certificate", old)
		expect(t, test.spec+" of an earlier version", text, "decided by a group that is not shown")
	}
}

// race is people of one race, a share of whom is hired.
type race struct {
	name   string
	people int
	hired  float64
}

func writeRaces(t *testing.T, path string, seed uint64, races []race) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	var lines []string
	for _, of := range races {
		for range of.people {
			skill := r.NormFloat64()
			hired := "no"
			if r.Float64() < of.hired {
				hired, skill = "yes", skill+1.5
			}
			lines = append(lines, fmt.Sprintf("%s,%s,%.4f,%s\n", []string{"f", "m"}[r.IntN(2)], of.name, skill, hired))
		}
	}
	r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	if err := os.WriteFile(path, []byte("sex,race,skill,hired\n"+strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}
