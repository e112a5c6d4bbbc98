package plots

import (
	"bytes"
	"errors"
	"flag"
	"image/color"
	"image/png"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/results"
)

// sampleRuns are runs of methods as they come from a fairness problem: five seeds, 200
// points up to a budget of 40 000 samples. Some methods start with a huge value.
func sampleRuns(labels ...string) []results.Run {
	var runs []results.Run
	for k, label := range labels {
		for seed := range uint64(5) {
			r := rand.New(rand.NewPCG(seed, uint64(k)))
			run := results.Run{Method: label, Label: label, Seed: seed, Status: results.Exhausted}
			rate, level := 6+3*r.Float64()-float64(k), 0.33+0.004*float64(k)+0.003*r.NormFloat64()
			noise := 0.0
			for i := range 201 {
				t := float64(i) / 200
				noise = 0.9*noise + 0.1*r.NormFloat64()
				p := results.Point{
					Samples: int64(40000 * t), Passes: 0.6 * t, Seconds: 0.4 * t * (1 + 0.3*float64(k)),
					Objective:    level + (0.595-level)*math.Exp(-rate*t) + 0.004*noise,
					Constraint:   []float64{0.102*math.Exp(-(rate-1)*t) + 0.003*noise - 0.001*float64(k)},
					Stationarity: 0.5*math.Exp(-1.2*rate*t) + 0.004*math.Exp(noise)*float64(1+k),
					Multiplier:   []float64{2},
				}
				if k == 3 && i == 1 {
					p.Objective, p.Stationarity = 14, 30
				}
				run.Points = append(run.Points, p)
			}
			runs = append(runs, run)
		}
	}
	return runs
}

var sampleReference = &results.Reference{Objective: 0.3278, Constraint: []float64{0}, Multiplier: []float64{2.4}}

// sampleCosts are costs of four solvers on 100 problems, not all solved.
func sampleCosts() Costs {
	c := Costs{Counted: "share of the problems solved", Name: "samples", Solvers: []string{"fsfo", "ssqp", "slqpm", "stoc-ialm"}}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		row := make([]float64, 4)
		for s := range row {
			if row[s] = math.Exp(1.2*r.NormFloat64() + 0.7*float64(s)); r.Float64() < 0.1*float64(s) {
				row[s] = math.Inf(1)
			}
		}
		c.Cost = append(c.Cost, row)
	}
	return c
}

// sampleErrors are two measures of four solvers on 100 problems, over many powers of ten
// and with values that a log axis can't show.
func sampleErrors() []Errors {
	measures := []Errors{{Measure: "stationarity"}, {Measure: "feasibility"}}
	for i := range measures {
		e := &measures[i]
		e.Solvers = []string{"ssqp", "fsfo", "slqpm", "stoc-ialm"}
		r := rand.New(rand.NewPCG(uint64(i), 3))
		for range 100 {
			row := make([]float64, len(e.Solvers))
			for s := range row {
				row[s] = math.Exp(3*r.NormFloat64() + float64(s) - 4)
			}
			e.Value = append(e.Value, row)
		}
		e.Value[7] = []float64{0, math.Inf(1), 1e-40, 1e40}
	}
	return measures
}

var figures = flag.String("figures", "", "folder to draw the figures of the tests into, to look at them")

// TestFigures draws every kind of figure in every format, twice: PNG and SVG files must
// not differ. With -figures they are kept, and no drafts.
func TestFigures(t *testing.T) {
	dir := *figures
	if dir == "" {
		dir = t.TempDir()
		Draft = true
		defer func() { Draft = false }()
	}
	runs := sampleRuns("fsfo", "ssqp", "slqpm", "stoc-ialm")
	o := DefaultOptions()
	o.Heading = "a9a"
	narrow, enlarged := o, o
	narrow.Width = 3.4
	enlarged.Inset, enlarged.X = 0.3, Passes
	for name, draw := range map[string]func() (*Figure, error){
		"convergence": func() (*Figure, error) { return Convergence(runs, sampleReference, o) },
		"inset":       func() (*Figure, error) { return Convergence(runs, sampleReference, enlarged) },
		"many": func() (*Figure, error) {
			return Convergence(sampleRuns("fsfo", "ssqp", "slqpm", "stoc-ialm", "pstorm", "sgd",
				"alm", "mine", "yours"), nil, o)
		},
		"errors":      func() (*Figure, error) { return ErrorBoxes(sampleErrors(), o) },
		"performance": func() (*Figure, error) { return Profile(sampleCosts(), narrow) },
	} {
		for _, extension := range Formats {
			var versions [2][]byte
			path := filepath.Join(dir, name+extension)
			for i := range versions {
				f, err := draw()
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if err := f.Save(path); err != nil {
					t.Fatal(err)
				}
				if versions[i], err = os.ReadFile(path); err != nil {
					t.Fatal(err)
				}
			}
			if extension != ".pdf" && !bytes.Equal(versions[0], versions[1]) {
				t.Errorf("%s%s: two drawings differ", name, extension)
			}
			if extension != ".svg" {
				continue
			}
			for _, word := range []string{">FSFO<", ">Stoc-iALM<", ">a9a<"} {
				if !bytes.Contains(versions[0], []byte(word)) {
					t.Errorf("%s has no text %s", name, word)
				}
			}
		}
	}
}

// TestNoDrafts looks for what drafts lack.
func TestNoDrafts(t *testing.T) {
	f, err := Convergence(sampleRuns("fsfo"), nil, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if pdf, err := f.Encode("figure.pdf"); err != nil || !bytes.Contains(pdf, []byte("/FontFile2")) {
		t.Errorf("the PDF file holds no fonts (%v)", err)
	}
	path := filepath.Join(t.TempDir(), "figure.png")
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	config, err := png.DecodeConfig(file)
	if err != nil || config.Width != 2100 || config.Height != 780 {
		t.Errorf("%d×%d pixels, %v; want 7×2.6 in at 300 dpi", config.Width, config.Height, err)
	}
}

// TestCodePage keeps signs and accents in PDF files, and one byte for each character.
func TestCodePage(t *testing.T) {
	if got, want := codePage("−0.02 é×τ"), "\x960.02 \xe9\xd7?"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestStraight keeps the hue of a translucent colour in PDF files.
func TestStraight(t *testing.T) {
	r, g, b, a := straight(color.NRGBA{R: 0xD5, G: 0x5E, A: 42}).RGBA()
	if r>>8 != 0xD5 || g>>8 != 0x5E || b != 0 || a>>8 != 42 {
		t.Errorf("%x %x %x %x", r, g, b, a)
	}
}

func TestSaveErrors(t *testing.T) {
	f, err := Convergence(sampleRuns("fsfo"), nil, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Save("figure.jpg"); err == nil || !strings.Contains(err.Error(), "must end in .png, .svg or .pdf") {
		t.Errorf("error %v, want one that lists the formats", err)
	}
	if err := f.Save(filepath.Join(t.TempDir(), "none", "figure.svg")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want one of a missing folder", err)
	}
}

// TestHardCases draws what has broken, or could break, axes: it must neither panic nor
// fail.
func TestHardCases(t *testing.T) {
	with := func(change func(seed int, p *results.Point)) []results.Run {
		runs := sampleRuns("fsfo", "sgd")
		for i := range runs {
			for k := range runs[i].Points {
				change(i, &runs[i].Points[k])
			}
		}
		return runs
	}
	nan := math.NaN()
	for name, runs := range map[string][]results.Run{
		"one run":              sampleRuns("fsfo")[:1],
		"flat":                 with(func(_ int, p *results.Point) { p.Objective, p.Constraint[0], p.Stationarity = 0.35, 0, 0.35 }),
		"zero":                 with(func(_ int, p *results.Point) { p.Objective, p.Constraint[0] = 0, 0 }),
		"residual sometimes 0": with(func(i int, p *results.Point) { p.Stationarity *= float64(i % 2) }),
		"huge": with(func(i int, p *results.Point) {
			p.Objective, p.Stationarity = math.Pow(10, float64(30*i)), math.Pow(10, float64(-30*i))
		}),
		"one without values": with(func(i int, p *results.Point) {
			p.Objective += []float64{nan, 0}[min(i, 1)]
			p.Stationarity += []float64{nan, 0}[min(i/5, 1)]
		}),
	} {
		o := DefaultOptions()
		o.Inset = 0.25
		for kind, draw := range map[string]func() (*Figure, error){
			"convergence": func() (*Figure, error) { return Convergence(runs, sampleReference, o) },
		} {
			f, err := draw()
			if err != nil {
				t.Errorf("%s, %s: %v", name, kind, err)
				continue
			}
			if err := f.Save(filepath.Join(t.TempDir(), "figure.svg")); err != nil {
				t.Errorf("%s, %s: %v", name, kind, err)
			}
		}
	}
}

// TestCurvesThatEndEarly has only early values from which to choose the axes.
func TestCurvesThatEndEarly(t *testing.T) {
	runs := sampleRuns("fsfo")
	for i := range runs {
		for k := range runs[i].Points[3:] {
			runs[i].Points[3+k].Objective = math.NaN()
		}
	}
	groups, _, _ := showable(runs, Samples)
	panels, err := convergencePanels(groups, nil, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if l := panels[0].y; l.lo < 0.5 || l.hi > 0.7 {
		t.Errorf("objectives about 0.59 give the axis %v", l)
	}
}

func TestNothingToShow(t *testing.T) {
	diverged := sampleRuns("fsfo")
	for i := range diverged {
		diverged[i].Status = results.Diverged
	}
	atStart := sampleRuns("fsfo")
	for i := range atStart {
		atStart[i].Points = atStart[i].Points[:1]
	}
	for _, test := range []struct {
		runs []results.Run
		want string
	}{
		{nil, "no run has anything to show"},
		{diverged, "no run has anything to show"},
		{atStart, "all runs end at 0 samples"},
	} {
		if _, err := Convergence(test.runs, nil, DefaultOptions()); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
	}
}

// TestAboveStart looks for the methods that were thrown far out in the caption.
func TestAboveStart(t *testing.T) {
	runs := sampleRuns("fsfo", "ssqp")
	last := &runs[0].Points[len(runs[0].Points)-1]
	last.Objective, last.Stationarity = 340, 1e-300
	figure, err := Convergence(runs, nil, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(figure.caption, "FSFO: 1 of 5 runs ended above the objective of the start;") || strings.Contains(figure.caption, "SSQP") {
		t.Errorf("caption %q", figure.caption)
	}
}

func TestOptions(t *testing.T) {
	for _, test := range []struct {
		want   string
		change func(*Options)
	}{
		{`x is "time", must be`, func(o *Options) { o.X = "time" }},
		{"inset is 1, must be in [0, 1)", func(o *Options) { o.Inset = 1 }},
		{"inset is NaN", func(o *Options) { o.Inset = math.NaN() }},
		{"the size is 0×2.6 in", func(o *Options) { o.Width = 0 }},
		{"the size is 7×100 in", func(o *Options) { o.Height = 100 }},
	} {
		o := DefaultOptions()
		test.change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
	}
	if err := DefaultOptions().Validate(); err != nil {
		t.Error(err)
	}
}
