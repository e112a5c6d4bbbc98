// Package ledger remembers which rows were used, so that a test of a model is done once,
// on rows that had no part in training or in earlier tests. If a test helps to choose
// among models, its confidence is spent.
//
//	Ledger   the entries in a folder, this file
//	Sketch   a set of rows by a sample of the hashes of their content, sketch.go
package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
	"github.com/fairtrain/fairtrain/internal/folderlock"
)

// Use is what rows were used for.
type Use string

// The uses of rows.
const (
	Testing  Use = "test"
	Training Use = "training"
)

// Entry is one use of rows.
type Entry struct {
	Time time.Time `json:"time"`
	Use  Use       `json:"use"`
	Name string    `json:"name"` // of the data, as a person calls them
	// SHA256 is the SHA-256 of the file that the rows are from, hexadecimal.
	SHA256 string `json:"sha256,omitempty"`
	// Rows are one or more views of the rows, each by more of their content: a later view
	// may distinguish rows that look equal in the first one.
	Rows     []Sketch `json:"rows"`
	Features Features `json:"features,omitzero"`
	// For a test: what was tested, its confidence and whether the test was passed.
	Requirements []string `json:"requirements,omitempty"`
	Confidence   float64  `json:"confidence,omitempty"`
	Holds        bool     `json:"holds,omitempty"`
}

// Features identify rows by the features of a model alone, also in a file
// that lacks columns or has others. The zero value has no rows.
type Features struct {
	Encoding string `json:"encoding"` // of the features
	Rows     Sketch `json:"rows"`
}

// Overlaps reports whether rows of f are among those of earlier, and approximately which share of
// them. Features make different people alike, and in one year more of them than in another: f may
// have more people of a common kind. By how many others of f each row is met, it is known how many
// of so many people like those of f would meet it. Only what goes beyond that, and is much, counts.
func (f Features) Overlaps(earlier Features) (share float64, ok bool) {
	const much = 0.1
	if f.Encoding == "" || f.Encoding != earlier.Encoding {
		return 0, false
	}
	share, same := f.Rows.Overlaps(earlier.Rows)
	return share, same && share > much+min(1, f.Rows.meetings()*float64(earlier.Rows.Rows)/float64(f.Rows.Rows))
}

// RepeatedWith does what Sketch.Repeated does with the rows of f and other rows together, if both
// are encoded alike, else with those of f. Rows of the same people have other content if each has a
// number of its own, but not other features.
func (f Features) RepeatedWith(others Features) (share float64, multiple bool) {
	if f.Encoding != others.Encoding {
		return f.Rows.Repeated()
	}
	return f.Rows.With(others.Rows).Repeated()
}

// Ledger stores entries, one a file, in a folder.
type Ledger struct{ dir string }

// In returns the ledger in a folder, which Add creates.
func In(dir string) Ledger { return Ledger{dir} }

// DefaultDir returns the folder of the user's ledger: $XDG_STATE_HOME/fairtrain, by default
// ~/.local/state/fairtrain, and on Windows and macOS a folder next to the settings.
func DefaultDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "fairtrain"), nil
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		dir, err := os.UserConfigDir()
		return filepath.Join(dir, "fairtrain"), err
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "state", "fairtrain"), err
}

// suffix ends the names of the files of entries.
const suffix = ".use.json"

// Lock prevents other programs from locking the ledger until release is called. A test is counted,
// done and added under it, or two at the same time would both be the first. While another program
// has it, Lock waits until the context ends or the time is up.
func (l Ledger) Lock(ctx context.Context, most time.Duration) (release func(), err error) {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	lock, err := folderlock.Wait(ctx, l.dir, most)
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	return lock.Release, nil
}

// Ready makes the folder, and reports whether it takes entries.
func (l Ledger) Ready() error {
	err := os.MkdirAll(l.dir, 0o700)
	if err == nil {
		err = atomicfile.Try(filepath.Join(l.dir, "entry"))
	}
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	return nil
}

// Dir is the folder.
func (l Ledger) Dir() string { return l.dir }

// Add writes an entry.
func (l Ledger) Add(e Entry) error {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	atomicfile.Sweep(l.dir) // no entry has the name of one that a killed program was writing
	text, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	name := e.Time.UTC().Format("20060102-150405.000000000") + "-" + e.Rows[0].Fingerprint() + suffix
	if err := atomicfile.WriteFile(filepath.Join(l.dir, name), text); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	return nil
}

// Entries returns all entries, the oldest first. A file that is no entry is an error, as
// the rows that it was about are unknown.
func (l Ledger) Entries() ([]Entry, error) {
	files, err := os.ReadDir(l.dir) // sorted by name, which is by time
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	var entries []Entry
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), suffix) {
			continue
		}
		path := filepath.Join(l.dir, f.Name())
		text, err := atomicfile.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("ledger: %w", err)
		}
		e, err := parseEntry(text)
		if err != nil {
			return nil, fmt.Errorf("ledger: %s is damaged: %w (a copy of the file restores it; without the file it is forgotten which rows it was about)", path, err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func parseEntry(text []byte) (Entry, error) {
	var e Entry
	err := json.Unmarshal(text, &e)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return Entry{}, fmt.Errorf("behind byte %d: %w", syntax.Offset, err)
	}
	if err != nil {
		return Entry{}, err
	}
	if e.Use != Testing && e.Use != Training {
		return Entry{}, fmt.Errorf("the use %q is neither %s nor %s", e.Use, Testing, Training)
	}
	if len(e.Rows) == 0 || slices.ContainsFunc(e.Rows, func(s Sketch) bool { return !s.isValid() }) {
		return Entry{}, errors.New("the entry has no rows")
	}
	return e, nil
}

// Earlier returns the entries of a use that have rows in common with the given rows, by
// some view or by the features.
func (l Ledger) Earlier(use Use, rows []Sketch, features Features) ([]Entry, error) {
	entries, err := l.Entries()
	return slices.DeleteFunc(entries, func(e Entry) bool {
		_, same := e.Shares(rows, features)
		return e.Use != use || !same
	}), err
}

// Shares reports whether an entry and the given rows have rows in common by some view or by the
// features, and approximately which share of the given rows.
func (e Entry) Shares(rows []Sketch, features Features) (share float64, ok bool) {
	for k := range min(len(rows), len(e.Rows)) {
		if share, ok := rows[k].Overlaps(e.Rows[k]); ok {
			return share, true
		}
	}
	return features.Overlaps(e.Features)
}

// Confidence returns the confidence at which to do a test so that the wanted confidence
// holds, given the number of earlier tests on some of the same rows. The choice of a test
// may depend on whether the earlier tests were passed. Before test k + 1 these have 2ᵏ
// possible outcomes, and at the level δ/4ᵏ the errors of all further tests for which δ or less is
// wanted add up to at most δ.
func Confidence(wanted float64, earlier int) float64 {
	return 1 - (1-wanted)*math.Pow(4, -float64(earlier))
}
