package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestReportInBrowser opens reports in a real browser, at the width of a telephone, of a
// screen and of a sheet of paper: they must fit, ask for nothing, say nothing on the console,
// and be accessible in light and dark. What it needs and where that comes from:
//
//	chromium        Debian's; .ci/run installs it
//	$FAIRTRAIN_AXE  the file axe.min.js of axe-core; .ci/run gets it from npm
func TestReportInBrowser(t *testing.T) {
	browser := findBrowser(t)
	axe, err := os.ReadFile(os.Getenv("FAIRTRAIN_AXE"))
	if err != nil {
		t.Log("FAIRTRAIN_AXE names no file: accessibility is not checked")
	}
	reports := reportPages(t)
	checkViews(t, browser, reports, axe)
}

// views are ways to look at a page, by their widths in pixels.
var views = []struct {
	name  string
	width int
	print bool
}{
	{"telephone", 390, false},
	{"screen", 1280, false},
	{"paper", 688, true}, // A4 less its margins
}

func findBrowser(t *testing.T) string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no browser here: install chromium")
	return ""
}

// reportPages makes reports of constraints on scores and on decisions, tested ones among them,
// on the synthetic data and on those that are here.
func reportPages(t *testing.T) map[string]string {
	dir := t.TempDir()
	t.Setenv("FAIRTRAIN_LEDGER", filepath.Join(dir, "ledger"))
	runs := map[string][]string{"scores": {"--tol", "0.01", "--constraint", "share:group=71,omega=0.3"}, "certified": {"--tol", "0.1", "--certify", "0.3", "--constraint", "demographic-parity:group=71,bound=0.2"}}
	if data := realData(); data != "" {
		adult := filepath.Join(data, "adult", "adult.data")
		compas := filepath.Join(data, "compas", "compas-two-years.csv")
		runs["adult"] = []string{"--tol", "0.1", "--schema", "adult", "--data", adult, "--test", filepath.Join(data, "adult", "adult.test"), "--constraint", "demographic-parity:group=sex,bound=0.02"}
		runs["compas"] = []string{"--tol", "0.1", "--schema", "compas", "--data", compas, "--validation", "0.3", "--constraint", "equalized-odds:group=race,bound=0.2"}
	} else {
		t.Log("FAIRTRAIN_DATA is not set: only synthetic data")
	}
	pages := map[string]string{}
	for name, flags := range runs {
		path := filepath.Join(dir, name+".html")
		args := append([]string{"fairtrain", "train", "--data", "synthetic", "--quiet", "--report", path, "--model", filepath.Join(dir, name+".json")}, flags...)
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), args, nil, &stdout, &stderr); code != 0 {
			t.Fatalf("%v: code %d: %s", args, code, stderr.String())
		}
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		pages[name] = string(page)
	}
	for _, labels := range []bool{true, false} { // of predictions
		name, path := fmt.Sprintf("predicted-%t", labels), filepath.Join(dir, "predicted.csv")
		writeScored(t, path, labels, labels, !labels)
		args := []string{"report", "--predictions", path, "--constraint", "demographic-parity:group=sex,bound=0.6,rate-ratio:group=race,min=0.9", "--group", "sex*race", "--out", "-"}
		if !labels {
			args = append(args, "--label-column", "none")
		}
		pages[name], _ = do(t, args...)
	}
	return pages
}

// probe measures a page in a frame and has axe look at it. It leaves the outcome in the
// document around the frame.
const probe = `<script src="/axe.js"></script><script>
addEventListener("load", async () => {
  document.querySelectorAll("details").forEach(d => { d.open = true; });
  const width = document.documentElement.clientWidth;
  const outcome = {view: frameElement.title, width: width, scroll: document.documentElement.scrollWidth, wide: [], violations: []};
  outcome.dark = matchMedia("(prefers-color-scheme: dark)").matches;
  for (const e of document.querySelectorAll("body *")) {
    const table = e.parentElement.closest(".scroll");
    if (e.getBoundingClientRect().right > width + 0.5 && !(table && getComputedStyle(table).overflowX == "auto")) {
      outcome.wide.push(e.tagName + " " + e.textContent.slice(0, 40));
    }
  }
  if (window.axe) {
    const found = await axe.run(document, {resultTypes: ["violations"]});
    for (const v of found.violations) {
      outcome.violations.push({id: v.id, impact: v.impact, help: v.help, html: v.nodes.slice(0, 3).map(n => n.html.slice(0, 200))});
    }
  }
  const out = parent.document.createElement("pre");
  out.className = "outcome";
  out.textContent = JSON.stringify(outcome);
  parent.document.body.append(out);
});
</script>`

var outcomePattern = regexp.MustCompile(`(?s)<pre class="outcome">(.*?)</pre>`)

// checkViews opens the reports as they are, and looks at them from all views, light and dark, in
// frames of one page: a browser takes longer to start than to show them, its window can't be as
// narrow as a telephone, and has one scheme of colours.
func checkViews(t *testing.T, browser string, reports map[string]string, axe []byte) {
	frames := `<!DOCTYPE html><html lang="en"><meta name="color-scheme" content="light dark"><title>views</title><link rel="icon" href="data:,"><body>`
	pages := map[string]string{"/axe.js": string(axe)}
	for name, page := range reports {
		pages["/"+name] = page
		frames += fmt.Sprintf(`<iframe src="/%s"></iframe>`, name)
		page = strings.Replace(page, "Content-Security-Policy", "not-a-policy", 1) // which forbids the probe
		page = strings.Replace(page, "</body>", probe+"</body>", 1)
		for _, v := range views {
			path := "/" + name + "/" + v.name
			pages[path] = page
			if v.print {
				pages[path] = strings.Replace(page, "@media print", "@media all", 1)
			}
			for _, scheme := range []string{"light", "dark"} {
				frames += fmt.Sprintf(`<iframe title="%s %s" src=%[1]q width="%[3]d" height="3000" style="border:0; color-scheme:%[2]s"></iframe>`, path, scheme, v.width)
			}
		}
	}
	pages["/"] = frames
	requests, console, dom := open(t, browser, pages)
	for _, path := range requests {
		if _, ok := pages[path]; !ok {
			t.Errorf("the pages asked for %s", path)
		}
	}
	for name := range reports {
		if !slices.Contains(requests, "/"+name) {
			t.Errorf("%s was not opened", name)
		}
	}
	if len(console) > 0 {
		t.Errorf("the pages say on the console: %v", console)
	}
	seen := 0
	for _, match := range outcomePattern.FindAllStringSubmatch(dom, -1) {
		var outcome struct {
			View          string
			Dark          bool
			Width, Scroll int
			Wide          []string
			Violations    []struct {
				ID, Impact, Help string
				HTML             []string
			}
		}
		if err := json.Unmarshal([]byte(html.UnescapeString(match[1])), &outcome); err != nil {
			t.Fatal(err)
		}
		seen++
		if outcome.Dark != strings.HasSuffix(outcome.View, " dark") {
			t.Errorf("%s: dark is %v", outcome.View, outcome.Dark)
		}
		if outcome.Scroll > outcome.Width || len(outcome.Wide) > 0 {
			t.Errorf("%s: at %d pixels the page is %d wide; too wide are %q", outcome.View,
				outcome.Width, outcome.Scroll, outcome.Wide)
		}
		for _, found := range outcome.Violations {
			if found.Impact == "serious" || found.Impact == "critical" {
				t.Errorf("%s: %s: %s (%s): %s", outcome.View, found.Impact, found.Help, found.ID,
					strings.Join(found.HTML, "\n"))
			} else {
				t.Logf("%s: %s: %s (%s): %s", outcome.View, found.Impact, found.Help, found.ID,
					strings.Join(found.HTML, "\n"))
			}
		}
	}
	if want := len(reports) * len(views) * 2; seen != want {
		t.Errorf("%d of %d views were looked at", seen, want)
	}
}

// open serves pages to a browser and returns what that asked for, what it said on its
// console, and the document that it ended with.
func open(t *testing.T, browser string, pages map[string]string) (requests, console []string, dom string) {
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		requests = append(requests, r.URL.Path)
		mu.Unlock()
		page, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		kind := "text/html"
		if strings.HasSuffix(r.URL.Path, ".js") {
			kind = "text/javascript"
		}
		w.Header().Set("Content-Type", kind)
		fmt.Fprint(w, page)
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser,
		"--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-background-networking", "--no-first-run",
		"--user-data-dir="+t.TempDir(), "--enable-logging=stderr", "--window-size=1400,3000",
		"--virtual-time-budget=20000", "--dump-dom", server.URL+"/")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", browser, err, stderr.String())
	}
	for line := range strings.Lines(stderr.String()) {
		if strings.Contains(line, ":CONSOLE") {
			console = append(console, strings.TrimSpace(line))
		}
	}
	mu.Lock()
	defer mu.Unlock()
	return requests, console, stdout.String()
}
