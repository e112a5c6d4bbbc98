package fairtrain_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestPromisesHaveTests looks for every test that docs/promises.md names.
func TestPromisesHaveTests(t *testing.T) {
	text, err := os.ReadFile("docs/promises.md")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`(Test[A-Za-z0-9]+)`").FindAllStringSubmatch(string(text), -1)
	if len(names) == 0 {
		t.Fatal("no test is named")
	}
	files, err := exec.Command("go", "list", "-f", `{{range .TestGoFiles}}{{$.Dir}}/{{.}} {{end}}{{range .XTestGoFiles}}{{$.Dir}}/{{.}} {{end}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	for _, path := range strings.Fields(string(files)) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(text)
	}
	for _, name := range names {
		if !strings.Contains(source.String(), "func "+name[1]+"(t *testing.T)") {
			t.Errorf("docs/promises.md names %s, which there is not", name[1])
		}
	}
}
