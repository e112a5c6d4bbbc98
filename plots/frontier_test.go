package plots

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
)

// sampleTradeOff is like the frontier of demographic parity on census data.
func sampleTradeOff() TradeOff {
	t := TradeOff{Disparity: "demographic parity difference", Qualities: []string{"accuracy", "AUC", "log loss"}}
	picked := 3
	for k, name := range []string{"train", "test"} {
		gap := 0.003 * float64(k)
		point := func(disparity float64) TradeOffPoint {
			missing := 0.19 - disparity
			return TradeOffPoint{
				Disparity: Exactly(disparity + gap),
				Quality:   []Interval{Exactly(0.853 - gap - missing*missing), Exactly(0.908 - gap - 0.5*missing*missing), Exactly(0.315 + gap + missing*missing)},
			}
		}
		s := TradeOffSet{Name: name, Unconstrained: point(0.19), Chosen: 2, Picked: &picked}
		for _, bound := range []float64{0, 0.01, 0.02, 0.05, 0.1, 0.19} {
			s.Points = append(s.Points, point(bound))
		}
		t.Sets = append(t.Sets, s)
	}
	return t
}

// TestFrontier draws a frontier twice in every format: PNG and SVG files must not differ.
// With -figures they are kept.
func TestFrontier(t *testing.T) {
	dir := *figures
	if dir == "" {
		dir = t.TempDir()
	}
	for _, extension := range Formats {
		var versions [2][]byte
		path := filepath.Join(dir, "frontier"+extension)
		for i := range versions {
			o := DefaultOptions()
			o.Heading = "census\x1b.csv" // no control character may be in XML
			f, err := Frontier(sampleTradeOff(), o)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Save(path); err != nil {
				t.Fatal(err)
			}
			if versions[i], err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
		}
		if extension == ".svg" {
			for d := xml.NewDecoder(bytes.NewReader(versions[0])); ; {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatal(err)
				}
			}
		}
		if extension != ".pdf" && !bytes.Equal(versions[0], versions[1]) {
			t.Errorf("%s: two drawings differ", extension)
		}
		if extension != ".svg" {
			continue
		}
		for _, word := range []string{">train<", ">test<", ">unconstrained<", ">chosen bound<", ">validation&#39;s choice<", ">AUC<", ">census\\x1b.csv<"} {
			if !bytes.Contains(versions[0], []byte(word)) {
				t.Errorf("no text %s", word)
			}
		}
	}
}

// TestFrontierHardCases draws frontiers with points that have no place, or one place.
func TestFrontierHardCases(t *testing.T) {
	nan := math.NaN()
	for name, change := range map[string]func(*TradeOff){
		"test rows without the group": func(t *TradeOff) {
			for i := range t.Sets[1].Points {
				t.Sets[1].Points[i].Disparity.Value = nan
			}
			t.Sets[1].Unconstrained.Disparity.Value = nan
		},
		"chosen has no place": func(t *TradeOff) { t.Sets[0].Points[2].Disparity.Value = nan },
		"one point": func(t *TradeOff) {
			p := t.Sets[0].Points[0]
			t.Sets = []TradeOffSet{{Name: "train", Points: []TradeOffPoint{p}, Unconstrained: p}}
		},
	} {
		tradeOff := sampleTradeOff()
		change(&tradeOff)
		f, err := Frontier(tradeOff, DefaultOptions())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := f.Save(filepath.Join(t.TempDir(), "figure.png")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBars gives a point the bars of its panel, and the axes room for them.
func TestBars(t *testing.T) {
	trade := sampleTradeOff()
	p := &trade.Sets[1].Points[5] // the last one
	p.Disparity.Low, p.Disparity.High, p.Quality[0].Low, p.Quality[0].High = 0.1, 0.3, 0.84, 0.87
	x, y := p.Disparity.Value, p.Quality[0].Value
	want := []plotter.XYs{{{X: 0.1, Y: y}, {X: 0.3, Y: y}}, {{X: x, Y: 0.84}, {X: x, Y: 0.87}}}
	if got := p.barEnds(0); !reflect.DeepEqual(got, want) {
		t.Errorf("bars %v, want %v", got, want)
	}
	if got := p.barEnds(1); len(got) != 1 {
		t.Errorf("%d bars of the AUC, want that of the disparity", len(got))
	}
	f, err := trade.panel(0)
	if err != nil {
		t.Fatal(err)
	}
	if f.X.Max < 0.3 || f.Y.Max < 0.87 || f.Y.Min > 0.84 {
		t.Errorf("the axes end at %v, %v and %v", f.X.Max, f.Y.Min, f.Y.Max)
	}
}

func TestFrontierErrors(t *testing.T) {
	for _, test := range []struct {
		want   string
		change func(*TradeOff)
	}{
		{"4 data sets, at most 3 can be told apart", func(t *TradeOff) { t.Sets = append(t.Sets, t.Sets...) }},
		{"no point has a value of both demographic parity difference and AUC", func(t *TradeOff) {
			for _, s := range t.Sets {
				for _, p := range s.all() {
					p.Quality[1].Value = math.NaN()
				}
			}
		}},
	} {
		tradeOff := sampleTradeOff()
		test.change(&tradeOff)
		if _, err := Frontier(tradeOff, DefaultOptions()); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
	}
	o := DefaultOptions()
	o.Width = 0
	if _, err := Frontier(sampleTradeOff(), o); err == nil {
		t.Error("a figure without a width is drawn")
	}
}
