package memory

import (
	"runtime"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]int64{"4GB": 4e9, "500 mb": 5e8, "1.5kB": 1500, "7": 7, "7B": 7, "2TB": 2e12} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%s: %d (%v), want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "GB", "-1GB", "0", "nan", "infGB", "1e30", "4 GiB", "half"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q is taken for %d", text, got)
		}
	}
}

func TestCheck(t *testing.T) {
	defer SetBudget(0)
	if err := Check("everything", 1e300); err != nil {
		t.Errorf("without a budget: %v", err)
	}
	SetBudget(3e9)
	if err := Check("rows", 3e9); err != nil {
		t.Errorf("what fits: %v", err)
	}
	for bytes, want := range map[float64]string{
		33e12:     "rows would take about 33 TB of memory, the budget is 3 GB",
		3.00012e9: "rows would take about 3.0001 GB of memory, the budget is 3 GB",
	} {
		if err := Check("rows", bytes); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestDefault(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" && runtime.GOOS != "windows" {
		t.Skip("this system doesn't tell its memory")
	}
	if half := Default(); half < 1e8 || half > 1e14 {
		t.Errorf("half of the memory is %d bytes", half)
	}
	defer func(limit int64) { environment = limit }(environment)
	environment = 7e6
	if got := Default(); got != 7e6 {
		t.Errorf("GOMEMLIMIT is 7 MB, the budget %d bytes", got)
	}
}
