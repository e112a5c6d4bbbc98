package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBillOfMaterials compares the bill of this program, which has the modules of tests, too, with
// what go version -m finds in it.
func TestBillOfMaterials(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command("go", "version", "-m", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); fields[0] == "dep" {
			want = append(want, strings.Join(fields[1:], " "))
		}
	}
	bill := bom{}
	text = printed(t, t.TempDir(), "version", "--sbom")
	if err := json.Unmarshal(text, &bill); err != nil {
		t.Fatal(err)
	}
	var got []string
	refs := map[string]bool{}
	for _, c := range bill.Components {
		if refs[c.Ref] {
			t.Errorf("%s is there twice", c.Ref)
		}
		refs[c.Ref] = true
		if c.Name == "std" {
			continue
		}
		got = append(got, c.Name+" "+c.Version+" "+c.Properties[0].Value)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
		t.Errorf("modules (-program +bill)\n%s", diff)
	}
	for _, ref := range []string{"pkg:golang/github.com/pelletier/go-toml/v2@v2.4.3", "pkg:golang/std@1.26"} {
		if !strings.Contains(string(text), `"purl":"`+ref) {
			t.Errorf("%s is not there", ref)
		}
	}
	if main := bill.Metadata.Component; main.Name != "github.com/fairtrain/fairtrain" || main.Type != "application" {
		t.Errorf("the bill is of %+v", main)
	}
}
