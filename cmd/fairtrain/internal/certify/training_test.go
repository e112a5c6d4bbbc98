package certify

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/input"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/tabular"
	"github.com/fairtrain/fairtrain/train"
)

// TestChangedFile: rows are dealt out of one file. If it is another one, or longer, when they are
// read again, that is an error, and no mask of another file.
func TestChangedFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "people.csv")
	write := func(rows int) {
		var b strings.Builder
		b.WriteString("x,sex,hired\n")
		for i := range rows {
			fmt.Fprintf(&b, "%d,%s,%s\n", 7*i%13, []string{"f", "m", "f"}[i%3], []string{"no", "yes"}[i%2])
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := &command.Program{Stdin: strings.NewReader("")}
	for _, rows := range []int{200, 205, 150} {
		write(200)
		opts := catalogue.InputOptions{CSV: true, Schema: &tabular.Schema{}, Table: tabular.Options{Identify: true}}
		in, err := input.LoadInput(t.Context(), nil, file, opts)
		if err != nil {
			t.Fatal(err)
		}
		write(rows)
		k, o := &Test{TrainOptions: TrainOptions{share: 0.3}}, &train.Options{Seed: 1}
		in, err = k.TakeOut(t.Context(), program, in, file, opts, o)
		if rows == 200 {
			if err != nil || in.Table.Rows != 140 {
				t.Errorf("%+v, error %v", in, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "changed while it was read") {
			t.Errorf("of 200 rows and then %d: error %v", rows, err)
		}
	}
}
