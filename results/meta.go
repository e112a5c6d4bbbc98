package results

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind says what a folder of results is about.
type Kind struct {
	Format  string // in meta.json: the form of the folder and its version
	Command string // makes such folders
	// Mixed folders may hold runs of several experiments of the kind, each found by its
	// cell; spec.json is from the last experiment. Other folders hold the runs of one
	// experiment.
	Mixed bool
	// OwnData says that the name of a cell depends on the content of its file, so that files may
	// change.
	OwnData bool
}

// The kinds of folders.
var (
	Comparison = Kind{Format: "fairtrain-results/1", Command: "fairtrain compare"}
	Tuning     = Kind{Format: "fairtrain-tuning/1", Command: "fairtrain compare --tune", Mixed: true}
	Benchmark  = Kind{Format: "fairtrain-cutest/2", Command: "fairtrain cutest run", Mixed: true, OwnData: true}
)

// metaRecord is meta.json.
type metaRecord struct {
	Format   string `json:"format"`
	Spec     string `json:"spec,omitempty"` // SHA-256 of spec.json; earlier versions have none
	Sessions []Meta `json:"sessions"`       // one per process that has added runs
}

// Meta is the provenance of runs: with what, where, when and from which data they came.
type Meta struct {
	Version    string     `json:"version"` // of fairtrain
	Revision   string     `json:"revision"`
	Go         string     `json:"go"`
	Modules    []Module   `json:"modules"`
	OS         string     `json:"os"`
	Arch       string     `json:"arch"`
	CPU        string     `json:"cpu"`
	GOMAXPROCS int        `json:"gomaxprocs"`
	Command    []string   `json:"command"`
	Time       time.Time  `json:"time"`
	Data       []DataFile `json:"data"`
}

// Module is a dependency.
type Module struct {
	Path    string `json:"path"`
	Version string `json:"version"`
}

// DataFile is the fingerprint of a file of data.
type DataFile struct {
	Name     string `json:"name"`
	SHA256   string `json:"sha256"`
	Rows     int    `json:"rows"`
	Columns  int    `json:"columns"`
	NonZeros int    `json:"non_zeros"`
}

// unknown stands for provenance that neither the binary nor the system has.
const unknown = "unknown"

// Build says what a program was built from.
type Build struct {
	Version  string   `json:"version"`
	Revision string   `json:"revision"` // of the sources, "unknown" if not stamped
	Modified bool     `json:"modified"` // they differed from the revision
	Modules  []Module `json:"-"`
}

// ReadBuild describes this program.
func ReadBuild() Build {
	b := Build{Version: "(devel)", Revision: unknown, Modules: []Module{}}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Version = cmp.Or(info.Main.Version, b.Version)
	for _, d := range info.Deps {
		b.Modules = append(b.Modules, Module{d.Path, d.Version})
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Revision = setting.Value
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
	return b
}

// NewMeta describes this process, run with the given command line on the given data.
func NewMeta(command []string, data ...DataFile) Meta {
	b := ReadBuild()
	if b.Modified {
		b.Revision += " (modified)"
	}
	return Meta{
		Version: b.Version, Revision: b.Revision, Go: runtime.Version(), Modules: b.Modules,
		OS: runtime.GOOS, Arch: runtime.GOARCH, CPU: cpuModel(), GOMAXPROCS: runtime.GOMAXPROCS(0),
		Command: command, Time: time.Now().UTC().Truncate(time.Second), Data: data,
	}
}

// cpuModel is the processor's name where the system keeps it in /proc/cpuinfo.
func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return unknown
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return unknown
}

// readMeta reads meta.json, whose format says whether the other files can be read.
func (s *Store) readMeta() (metaRecord, error) {
	path := filepath.Join(s.dir, metaFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return metaRecord{}, fmt.Errorf("%s is not a folder of results: %w", s.dir, err)
	}
	if err != nil {
		return metaRecord{}, err
	}
	var record metaRecord
	if err := json.Unmarshal(data, &record); err != nil {
		return metaRecord{}, fmt.Errorf("%s: damaged: %w; without it the folder is of no use", path, err)
	}
	for _, other := range []Kind{Comparison, Tuning, Benchmark} {
		if record.Format == other.Format && other != s.kind {
			return metaRecord{}, fmt.Errorf("%s holds results of %s, not of %s", s.dir, other.Command, s.kind.Command)
		}
	}
	if record.Format != s.kind.Format {
		return metaRecord{}, fmt.Errorf("%s: format is %q, must be %q", path, record.Format, s.kind.Format)
	}
	return record, nil
}

// checkData refuses data that are others than those of earlier sessions under the same name.
func (s *Store) checkData(sessions []Meta, now []DataFile) error {
	if s.kind.OwnData {
		return nil
	}
	for _, session := range sessions {
		for _, then := range session.Data {
			for _, d := range now {
				if d.Name == then.Name && d.SHA256 != then.SHA256 {
					return &Conflict{fmt.Sprintf("%s holds results of other rows: %s had %d rows with the SHA-256 %.12s…, now %d with %.12s…", s.dir, d.Name, then.Rows, then.SHA256, d.Rows, d.SHA256)}
				}
			}
		}
	}
	return nil
}

func (s *Store) putMeta(record metaRecord) error {
	data, err := encode(record)
	if err != nil {
		return err
	}
	return s.put(metaFile, data)
}

// seedsKey is where an experiment has the number of its seeds.
const seedsKey = "run.seeds"

// settings are the values of an experiment in JSON, as JSON, by keys such as methods[0].label.
func settings(spec []byte) map[string]string {
	var root any
	if json.Unmarshal(spec, &root) != nil {
		return nil // a damaged one differs from all others
	}
	values := map[string]string{}
	var add func(key string, value any)
	add = func(key string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for name, inner := range v {
				add(strings.TrimPrefix(key+"."+name, "."), inner)
			}
		case []any:
			for i, inner := range v {
				add(fmt.Sprintf("%s[%d]", key, i), inner)
			}
		default:
			text, _ := json.Marshal(v) // which was JSON
			values[key] = string(text)
		}
	}
	add("", root)
	return values
}

// specDifference names the first key, in the order of the alphabet, at which two experiments in
// JSON differ.
func specDifference(stored, wanted []byte) string {
	there, now := settings(stored), settings(wanted)
	for _, key := range slices.Sorted(maps.Keys(there)) {
		if there[key] != now[key] {
			return fmt.Sprintf("%s is %.100s there and %.100s now", key, there[key], cmp.Or(now[key], "missing"))
		}
	}
	return "there are settings now that it lacks"
}

// moreSeeds reports whether two experiments in JSON differ in the number of seeds alone, and the
// wanted one has more: all runs of the stored one are among its runs.
func moreSeeds(stored, wanted []byte) bool {
	there, now := settings(stored), settings(wanted)
	few, err := strconv.Atoi(there[seedsKey])
	if err != nil {
		return false
	}
	more, err := strconv.Atoi(now[seedsKey])
	there[seedsKey] = now[seedsKey]
	return err == nil && few < more && maps.Equal(there, now)
}
