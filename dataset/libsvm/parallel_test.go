package libsvm

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fairtrain/fairtrain/dataset/textfile"
)

// expectLineByLine expects that neither chunks nor workers change what is read.
func expectLineByLine(t interface{ Fatalf(string, ...any) }, text string, opts Options) {
	in := func() textfile.Files { return textfile.One(strings.NewReader(text), opts.Name) }
	want, wantErr := read(in(), opts, len(text)+1, 1)
	for _, size := range []int{1, 9, 100} {
		for _, workers := range []int{1, 3} {
			got, err := read(in(), opts, size, workers)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Fatalf("%.300q\nin chunks of %d, %d workers: error %v\nwant %v", text, size, workers, err, wantErr)
			}
			if err != nil {
				continue
			}
			if diff := cmp.Diff(contents(want), contents(got)); diff != "" || got.Rule != want.Rule || got.Hash != want.Hash {
				t.Fatalf("%.300q\nin chunks of %d, %d workers: rule %q, hash %s (-want +got)\n%s", text, size, workers, got.Rule, got.Hash, diff)
			}
		}
	}
}

// TestParallelReading: the rows, the faults and their places depend neither on the number of
// workers nor on where the file is cut into chunks.
func TestParallelReading(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		labels := rapid.SampledFrom([][]string{{"1", "-1"}, {"+1", "0"}, {"1", "2", "1.0"}, {"0"}, {"1", "-1", "1", "-1", "0", "x", ""}}).Draw(t, "labels")
		for range rapid.IntRange(0, 20).Draw(t, "rows") {
			text.WriteString(rapid.SampledFrom(labels).Draw(t, "label"))
			index := 0
			pairs := rapid.SampledFrom([][]string{
				{"1", "1", "1", "0", "0.5", "-2.25e1", "12345678901234567"},
				{"0.25", "-0.0625", "12.5", "-123456.5", "1234567.5", ".5", "0.0", "1.0", "+3", "3e5", "1", "0.00000001", "1", "-0.123456789012"},
			}).Draw(t, "values")
			for range rapid.SampledFrom([]int{0, 1, 2, 4, 20, 70}).Draw(t, "pairs") {
				index += rapid.SampledFrom([]int{1, 1, 2, 9, 300, 70000}).Draw(t, "step")
				value := rapid.SampledFrom(pairs).Draw(t, "value")
				if rapid.IntRange(0, 999).Draw(t, "bad") == 0 {
					value = rapid.SampledFrom([]string{"", "-", ".", "nan", "1e400", "0x1", "1_0", "1.2.3", "1-1", "1e300"}).Draw(t, "bad value")
				}
				fmt.Fprintf(&text, " %d:%s", index, value)
			}
			text.WriteString(rapid.SampledFrom([]string{"\n", "\n", " \n", "\r\n", " # note\n", "\n\n"}).Draw(t, "end"))
		}
		content := text.String()
		if rapid.Bool().Draw(t, "mutate") {
			at := rapid.IntRange(0, len(content)).Draw(t, "at")
			content = content[:at] + rapid.SampledFrom([]string{":", " ", "\n", "3", "x", "\x00", "#", "-1", "qid:1"}).Draw(t, "mutation") + content[at:]
		}
		opts := Options{Name: "f", AnyLabels: rapid.Bool().Draw(t, "any labels"), Features: rapid.SampledFrom([]int{0, 0, 20, 2000, 300000}).Draw(t, "features")}
		expectLineByLine(t, content, opts)
	})
}

// TestBadFilesInParts finds the same faults wherever a file is cut.
func TestBadFilesInParts(t *testing.T) {
	for _, bad := range badFiles {
		expectLineByLine(t, bad.content, Options{Name: "f"})
		expectLineByLine(t, strings.Repeat("+1 1:1\n", 30)+bad.content, Options{Name: "f"})
	}
}

// TestFaultBeforeABrokenRead: whole lines count. The line that a fault of the stream cuts
// short does not count.
func TestFaultBeforeABrokenRead(t *testing.T) {
	for text, want := range map[string]string{"+1 1:1\n-1 x": "cable pulled", "+1 x\n-1": "f:1:4: ", "": "cable pulled"} {
		broken := io.MultiReader(strings.NewReader(text), iotest.ErrReader(errors.New("cable pulled")))
		if _, err := read(textfile.One(broken, "f"), Options{Name: "f"}, 4, 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}
