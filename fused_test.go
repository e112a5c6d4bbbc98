package fairtrain_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var fusedAt = regexp.MustCompile(`\(([^()\t]+\.go):(\d+)\)\tVFN?M(?:ADD|SUB)`)

// TestNoFusedProducts compiles the packages that weights depend on for processors with fused
// multiply-adds, which round once where others round twice, and looks for them. A product
// that is converted to float64 is not fused. Halves are exact, so that fusing them changes
// nothing. Package math's FMA is meant, and the same everywhere.
func TestNoFusedProducts(t *testing.T) {
	cmd := exec.Command("go", "build", "-gcflags=-S", "./internal/vmath", "./model", "./kkt", "./problem", "./classifier", "./solver")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "GOAMD64=v3")
	listing, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%.2000s", err, listing)
	}
	if !bytes.Contains(listing, []byte("TEXT")) {
		t.Fatal("there is no assembly listing")
	}
	seen := map[string]bool{}
	for lines := bufio.NewScanner(bytes.NewReader(listing)); lines.Scan(); {
		m := fusedAt.FindStringSubmatch(lines.Text())
		if m == nil || seen[m[0]] {
			continue
		}
		seen[m[0]] = true
		source, err := os.ReadFile(m[1])
		if err != nil {
			t.Fatal(err)
		}
		number, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		if line := strings.Split(string(source), "\n")[number-1]; !strings.Contains(line, "/2") && !strings.Contains(line, "math.FMA") {
			t.Errorf("%s:%d: a fused multiply-add: %s", m[1], number, strings.TrimSpace(line))
		}
	}
}
