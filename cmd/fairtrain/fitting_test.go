package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
	"github.com/fairtrain/fairtrain/internal/memory"
)

// wideRows are rows of many values, as text that takes some megabytes: LIBSVM's format, or CSV
// with a column of groups.
func wideRows(seed uint64, csv bool) string {
	rows, columns := 1100, 300
	if csv {
		rows, columns = 30_000, 30
	}
	r := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	if csv {
		b.WriteString("hired,sex")
		for j := range columns {
			fmt.Fprintf(&b, ",x%d", j)
		}
		b.WriteString("\n")
	}
	for range rows {
		group, x := r.IntN(2), r.NormFloat64()
		label := 0
		if x+float64(group)+r.NormFloat64() > 0 {
			label = 1
		}
		if csv {
			fmt.Fprintf(&b, "%d,%s", label, []string{"f", "m"}[group])
		} else {
			fmt.Fprintf(&b, "%d", label)
		}
		for j := range columns {
			v := r.NormFloat64()
			if j == 1 {
				v = x
			}
			switch {
			case csv:
				fmt.Fprintf(&b, ",%.6f", v)
			case j > 0:
				fmt.Fprintf(&b, " %d:%.6f", j+1, v)
			case group == 1:
				b.WriteString(" 1:1")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// emptyCache makes the user's cache folder an empty one, and returns it.
func emptyCache(t *testing.T) string {
	t.Helper()
	cache := t.TempDir()
	for _, variable := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(variable, cache)
	}
	return cache
}

// TestKilledPacking kills a command while it packs what it reads. Started again until it gets to
// its end, it makes the model of a command that was left alone, and leaves nothing but the packed
// file.
func TestKilledPacking(t *testing.T) {
	t.Chdir(t.TempDir())
	cache := emptyCache(t)
	if err := os.WriteFile("rows.libsvm", []byte(wideRows(1, false)), 0o644); err != nil {
		t.Fatal(err)
	}
	const train = "train --memory 20MB --on scores --tol 0.1 --data rows.libsvm --test none --quiet --force --constraint demographic-parity:group=1,bound=0.05 --model "
	r := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		child := startChild(t, train+"killed.json")
		time.Sleep(time.Duration(r.IntN(500)) * time.Millisecond)
		_ = child.Process.Kill() // unless it has ended
		_ = child.Wait()
	}
	for _, model := range []string{"killed.json", "alone.json"} {
		if model == "alone.json" {
			emptyCache(t)
		}
		if child := startChild(t, train+model); child.Wait() != nil {
			t.Fatalf("%s: %s", model, child.Stderr)
		}
	}
	killed, err := os.ReadFile("killed.json")
	if err != nil {
		t.Fatal(err)
	}
	if alone, err := os.ReadFile("alone.json"); err != nil || !bytes.Equal(killed, alone) {
		t.Errorf("the models differ: %v", err)
	}
	var left []string
	err = filepath.WalkDir(cache, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			left = append(left, path)
		}
		return err
	})
	if err != nil || len(left) != 1 || filepath.Ext(left[0]) != ".fpk" || strings.Contains(left[0], atomicfile.Prefix) {
		t.Errorf("the cache has %q: %v", left, err)
	}
}

// TestPackedByItself trains and judges with less memory than the text files would take: they are
// packed into the cache folder, with the same models and figures, and packed files are used again
// until they are damaged or their sources change.
func TestPackedByItself(t *testing.T) {
	t.Chdir(t.TempDir())
	cache := emptyCache(t)
	defer memory.SetBudget(0)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for k, name := range []string{"rows.libsvm", "test.libsvm", "rows.csv", "test.csv"} {
		write(name, wideRows(uint64(k), k >= 2))
	}
	packed := func() []string {
		t.Helper()
		for _, pattern := range []string{"fairtrain/packed/*.fpk", "*/*/fairtrain/packed/*.fpk", "*/fairtrain/packed/*.fpk"} {
			if files, err := filepath.Glob(filepath.Join(cache, pattern)); err != nil || files != nil {
				return files
			}
		}
		return nil
	}
	command := func(args string) (stdout, stderr string) {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(t.Context(), append([]string{"fairtrain"}, strings.Fields(args)...), nil, &out, &errs); code != 0 {
			t.Fatalf("%s: code %d\n%s", args, code, &errs)
		}
		return out.String(), errs.String()
	}
	same := func(a, b string) {
		t.Helper()
		first, err := os.ReadFile(a)
		if err != nil {
			t.Fatal(err)
		}
		second, err := os.ReadFile(b)
		if err != nil {
			t.Fatal(err)
		}
		// The model file has the command, with --memory.
		if second = regexp.MustCompile("--memory [0-9]+MB ").ReplaceAll(second, nil); !bytes.Equal(first, second) {
			t.Errorf("%s and %s differ", a, b)
		}
	}
	for _, kind := range []struct{ suffix, memory, train, evaluate string }{
		{"libsvm", "20MB", "--constraint demographic-parity:group=1,bound=0.05", ""},
		{"csv", "42MB", "--label hired --constraint demographic-parity:group=sex,bound=0.05", "--group sex"},
	} {
		train := "train --tol 0.1 --on scores --data rows." + kind.suffix + " --test test." + kind.suffix + " " + kind.train
		evaluate := "evaluate --json --data test." + kind.suffix + " " + kind.evaluate
		little := " --memory " + kind.memory
		const word = "are packed, once, into"
		_, said := command(train + " --model a.json --force")
		if strings.Contains(said, word) {
			t.Errorf("packed without need:\n%s", said)
		}
		_, said = command(train + " --model b.json --force" + little)
		if n := strings.Count(said, word); n != 2 {
			t.Errorf("%d files were packed, want rows and test rows:\n%s", n, said)
		}
		same("a.json", "b.json")
		before := packed()

		_, said = command(train + " --model b.json --force" + little)
		if strings.Contains(said, "packed") {
			t.Errorf("packed again:\n%s", said)
		}
		same("a.json", "b.json")
		want, _ := command(evaluate + " --model a.json")
		got, said := command(evaluate + " --model a.json" + little)
		if want != got || strings.Contains(said, "damaged") {
			t.Errorf("figures differ, or the packed file does not serve:\n%s", said)
		}

		if kind.suffix == "csv" {
			continue // what follows is the same for packed files of all kinds
		}
		// A killed program leaves a temporary file, a bad disk a damaged one. What a link points to stays.
		for k, file := range packed() {
			if err := os.Truncate(file, 1<<20); err != nil {
				t.Fatal(err)
			}
			if k > 0 { // text is read, but is no packed file
				if err := os.WriteFile(file, []byte("a,b\n1,2\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				continue
			}
			if err := os.Rename(file, "linked"); err != nil {
				t.Fatal(err)
			}
			target, err := filepath.Abs("linked")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(target, file); err != nil {
				t.Skip(err) // on Windows, links need a privilege
			}
		}
		_, said = command(train + " --model b.json --force" + little)
		if n := strings.Count(said, "are damaged, and are packed again"); n != 2 {
			t.Errorf("%d damaged files were found, want 2:\n%s", n, said)
		}
		if info, err := os.Stat("linked"); err != nil || info.Size() != 1<<20 {
			t.Errorf("what a link points to was replaced: %v, %v", info, err)
		}
		same("a.json", "b.json")

		// A source that has changed is packed anew, and the old file is gone.
		if err := os.Chtimes("rows."+kind.suffix, time.Time{}, time.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		_, said = command(train + " --model b.json --force" + little)
		if n := strings.Count(said, word); n != 1 {
			t.Errorf("%d files were packed, want the one that has changed:\n%s", n, said)
		}
		if after := packed(); len(after) > len(before)+1 {
			t.Errorf("%d files, of which %d were there before a source has changed", len(after), len(before))
		}
	}
}

// TestNoCache: where there is no folder for packed rows, it is said what to do.
func TestNoCache(t *testing.T) {
	t.Chdir(t.TempDir())
	defer memory.SetBudget(0)
	if err := os.WriteFile("rows.libsvm", []byte(wideRows(1, false)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, "")
	}
	var out, errs bytes.Buffer
	code := run(t.Context(), strings.Fields("fairtrain train --data rows.libsvm --constraint none --memory 20MB"), nil, &out, &errs)
	for _, want := range []string{"rows.libsvm would take more memory than --memory gives, and can't be packed: cache for data: ", "\n  hint: --memory allows more\n", "\n  hint: data pack --out FILE packs it elsewhere\n"} {
		if code != 1 || !strings.Contains(errs.String(), want) {
			t.Errorf("code %d, %s; want %s", code, &errs, want)
		}
	}
}
