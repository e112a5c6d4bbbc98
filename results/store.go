package results

import (
	"bytes"
	"cmp"
	_ "embed" // the README of a folder
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
)

// The names in a folder of results.
const (
	readmeFile    = "README.txt"
	specFile      = "spec.json"
	metaFile      = "meta.json" // written last, it marks the folder as one of results
	referenceFile = "reference.json"
	tableFile     = "runs.csv"
	runFolder     = "run"
	pointsFolder  = "trajectory"
	figureFolder  = "figure"
)

//go:embed readme.txt
var readme []byte

// Store is a folder of results, with all finished runs in memory. Its methods may be
// called from several goroutines; only one process at a time may write to a folder.
type Store struct {
	dir   string
	kind  Kind
	write func(path string, data []byte) error // replaces a file as a whole

	reference *Reference
	damage    []error // files that cannot be read

	mu   sync.Mutex
	runs map[string]Run
}

func newStore(dir string, kind Kind) *Store {
	return &Store{dir: dir, kind: kind, write: atomicfile.WriteFile, runs: map[string]Run{}}
}

// Create makes a folder of results at dir for the experiment spec, any value with a JSON
// form. If dir already holds results of the same experiment or of the same with fewer seeds,
// or of any experiment if the kind may be mixed, they are continued, except damaged ones, see
// Damage. Other results are a *Conflict; other files are an error, too.
func Create(dir string, kind Kind, spec any, meta Meta) (*Store, error) {
	text, err := canonical(spec)
	if err != nil {
		return nil, fmt.Errorf("results: the experiment: %w", err)
	}
	s := newStore(dir, kind)
	_, err = os.Stat(filepath.Join(dir, metaFile))
	switch {
	case err == nil:
		err = s.resume(text, meta)
	case errors.Is(err, fs.ErrNotExist):
		err = s.begin(text, meta)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Conflict is the error of a folder that holds results of something else than what was to go
// into it, which Discard would delete.
type Conflict struct{ text string }

func (c *Conflict) Error() string { return c.text }

// checkUnused reports files in dir that are not the beginning of a folder of results.
func checkUnused(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		ours := slices.Contains([]string{readmeFile, specFile, runFolder, pointsFolder, figureFolder}, e.Name())
		if !ours && !strings.HasPrefix(e.Name(), ".") {
			return fmt.Errorf("%s is not a folder of results but holds %s; choose an empty or a new folder", dir, e.Name())
		}
	}
	return nil
}

func (s *Store) begin(spec []byte, meta Meta) error {
	if err := checkUnused(s.dir); err != nil {
		return err
	}
	for _, folder := range []string{runFolder, pointsFolder} {
		if err := os.MkdirAll(filepath.Join(s.dir, folder), 0o755); err != nil {
			return err
		}
	}
	if err := s.put(readmeFile, readme); err != nil {
		return err
	}
	if err := s.put(specFile, spec); err != nil {
		return err
	}
	return s.putMeta(metaRecord{Format: s.kind.Format, Sessions: []Meta{meta}})
}

func (s *Store) resume(spec []byte, meta Meta) error {
	record, err := s.readMeta()
	if err != nil {
		return err
	}
	stored, err := atomicfile.ReadFile(filepath.Join(s.dir, specFile))
	if err != nil {
		return err
	}
	if n := len(record.Sessions); !s.kind.OwnData && n > 0 && !slices.Equal(record.Sessions[n-1].Data, meta.Data) {
		return &Conflict{s.dir + " holds results of other rows"}
	}
	if !bytes.Equal(stored, spec) {
		if !s.kind.Mixed && !sameExperiment(stored, spec) {
			return &Conflict{s.dir + " holds results of another experiment"}
		}
		if err := s.put(specFile, spec); err != nil {
			return err
		}
	}
	for _, folder := range []string{"", runFolder, pointsFolder} {
		atomicfile.Sweep(filepath.Join(s.dir, folder))
	}
	record.Sessions = append(record.Sessions, meta)
	if err := cmp.Or(s.putMeta(record), s.load()); err != nil {
		return err
	}
	return s.WriteTable() // it may lack the last runs before a kill
}

// WriteTable brings runs.csv up to date with the finished runs.
func (s *Store) WriteTable() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.runs) == 0 {
		return nil
	}
	table := runsTable(s.sorted())
	if current, err := atomicfile.ReadFile(filepath.Join(s.dir, tableFile)); err == nil && bytes.Equal(current, table) {
		return nil
	}
	return s.put(tableFile, table)
}

// Open reads the folder of results at dir. Damaged files are an error that names all of
// them.
func Open(dir string, kind Kind) (*Store, error) {
	s := newStore(dir, kind)
	if _, err := s.readMeta(); err != nil {
		return nil, err
	}
	if err := cmp.Or(s.load(), errors.Join(s.damage...)); err != nil {
		return nil, err
	}
	return s, nil
}

// load reads the reference optimum and all finished runs. Runs whose files are damaged count
// as not finished.
func (s *Store) load() error {
	var reference Reference
	if err := decodeFile(filepath.Join(s.dir, referenceFile), &reference); err == nil {
		s.reference = &reference
	} else if !errors.Is(err, fs.ErrNotExist) {
		s.damage = append(s.damage, err)
	}
	entries, err := os.ReadDir(filepath.Join(s.dir, runFolder))
	if err != nil {
		return err
	}
	for _, e := range entries {
		cell, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if s.runs[cell], err = s.read(cell); err != nil {
			s.damage = append(s.damage, err)
			delete(s.runs, cell)
		}
	}
	return nil
}

// Spec reads the experiment into dst, which must be of the type that Create was given.
func (s *Store) Spec(dst any) error { return decodeFile(filepath.Join(s.dir, specFile), dst) }

// Damage has an error for every file that Create has found damaged. Their runs count as not
// finished.
func (s *Store) Damage() []error { return s.damage }

// Dir is the folder.
func (s *Store) Dir() string { return s.dir }

// FigureDir is the folder for figures of the results; it need not exist.
func (s *Store) FigureDir() string { return filepath.Join(s.dir, figureFolder) }

// Run returns the run of a cell, if it is finished.
func (s *Store) Run(cell string) (Run, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.runs[cell]
	return r, ok
}

// Runs returns all finished runs, sorted by problem, label, seed and number. They must not be
// modified.
func (s *Store) Runs() []Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sorted()
}

func (s *Store) sorted() []Run {
	return slices.SortedFunc(maps.Values(s.runs), func(a, b Run) int {
		return cmp.Or(cmp.Compare(a.Problem, b.Problem), cmp.Compare(a.Label, b.Label), cmp.Compare(a.Seed, b.Seed),
			cmp.Compare(a.Index, b.Index), cmp.Compare(a.Cell, b.Cell))
	})
}

// Save stores a finished run, replacing an earlier one of its cell. Numbers of its points that
// are not finite become NaN, as in files. The record is written last: a run without one is not
// finished. When Save fails, all runs saved before are still there, and the same experiment can
// be resumed.
func (s *Store) Save(r Run) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Points = slices.Clone(r.Points)
	for i := range r.Points {
		r.Points[i] = r.Points[i].finite()
	}
	record, err := encode(runRecord{Run: r, Rows: len(r.Points)})
	if err != nil {
		return fmt.Errorf("run %s: %w", r.Cell, err)
	}
	if err := s.put(pointsPath(r.Cell), trajectory(r.Points)); err != nil {
		return err
	}
	if err := s.put(runPath(r.Cell), record); err != nil {
		return err
	}
	s.runs[r.Cell] = r
	return nil
}

// put writes a file of the folder.
func (s *Store) put(name string, data []byte) error {
	if err := s.write(filepath.Join(s.dir, name), data); err != nil {
		return fmt.Errorf("%s was not written: %w; the runs finished before are stored, and the same command started again does the rest",
			filepath.Join(s.dir, name), err)
	}
	return nil
}

func runPath(cell string) string    { return filepath.Join(runFolder, cell+".json") }
func pointsPath(cell string) string { return filepath.Join(pointsFolder, cell+".csv") }

// Discard deletes the results in dir, and no other files, so that Create begins anew. It
// is no error if there are none.
func Discard(dir string, kind Kind) error {
	if _, err := os.Stat(filepath.Join(dir, metaFile)); errors.Is(err, fs.ErrNotExist) {
		return checkUnused(dir)
	}
	if _, err := newStore(dir, kind).readMeta(); err != nil {
		return err
	}
	// meta.json is removed last: until then the folder is a folder of results that can be
	// discarded.
	for _, name := range []string{figureFolder, runFolder, pointsFolder, tableFile, referenceFile, specFile, readmeFile, metaFile} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}
