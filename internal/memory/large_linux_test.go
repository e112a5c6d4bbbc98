package memory

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// TestMake looks at what the system knows of the pages.
func TestMake(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("the system has no large pages")
	}
	x := Make[float64](1 << 21)
	if len(x) != 1<<21 || slices.ContainsFunc(x, func(v float64) bool { return v != 0 }) {
		t.Fatal("these are not 2²¹ zeros")
	}
	middle := uint64(uintptr(unsafe.Pointer(&x[len(x)/2])))
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	inside := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var lo, hi uint64
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &lo, &hi); n == 2 {
			inside = lo <= middle && middle < hi
		}
		if flags, ok := strings.CutPrefix(lines.Text(), "VmFlags:"); ok && inside {
			if !slices.Contains(strings.Fields(flags), "hg") {
				t.Errorf("the flags of the memory are %s, without hg", flags)
			}
			return
		}
	}
	t.Error("the memory is not among that of the process")
}
