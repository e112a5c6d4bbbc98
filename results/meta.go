package results

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
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
	Comparison = Kind{Format: "fairtrain-results/2", Command: "fairtrain compare"}
	Tuning     = Kind{Format: "fairtrain-tuning/2", Command: "fairtrain compare --tune", Mixed: true}
	Benchmark  = Kind{Format: "fairtrain-cutest/3", Command: "fairtrain cutest run", Mixed: true, OwnData: true}
)

// metaRecord is meta.json.
type metaRecord struct {
	Format   string `json:"format"`
	Sessions []Meta `json:"sessions"` // one per process that has worked on the folder
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

// cpuModel is the processor's name where the system has it in /proc/cpuinfo.
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

// IsOf reports whether dir is a folder of results of a kind.
func IsOf(dir string, kind Kind) bool {
	_, err := newStore(dir, kind).readMeta()
	return err == nil
}

// readMeta reads meta.json, whose format says whether the other files can be read.
func (s *Store) readMeta() (metaRecord, error) {
	path := filepath.Join(s.dir, metaFile)
	data, err := atomicfile.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return metaRecord{}, fmt.Errorf("%s is not a folder of results: %w", s.dir, err)
	}
	if err != nil {
		return metaRecord{}, err
	}
	var record metaRecord
	if err := json.Unmarshal(data, &record); err != nil {
		return metaRecord{}, fmt.Errorf("%s: damaged: %w", path, err)
	}
	for _, other := range []Kind{Comparison, Tuning, Benchmark} {
		if record.Format == other.Format && other != s.kind {
			return metaRecord{}, fmt.Errorf("%s holds results of %s, not of %s", s.dir, other.Command, s.kind.Command)
		}
	}
	if record.Format != s.kind.Format {
		return metaRecord{}, fmt.Errorf("%s: format is %q, must be %q; folders of other versions cannot be read",
			path, record.Format, s.kind.Format)
	}
	return record, nil
}

func (s *Store) putMeta(record metaRecord) error {
	data, err := encode(record)
	if err != nil {
		return err
	}
	return s.put(metaFile, data)
}

// sameExperiment reports whether two experiments in JSON are equal, or differ in the number of
// seeds alone and the wanted one has more: all runs of the stored one are among its runs.
func sameExperiment(stored, wanted []byte) bool {
	var a, b map[string]any
	if json.Unmarshal(stored, &a) != nil || json.Unmarshal(wanted, &b) != nil {
		return false
	}
	was, _ := a["run"].(map[string]any)
	now, _ := b["run"].(map[string]any)
	few, _ := was["seeds"].(float64)
	more, _ := now["seeds"].(float64)
	if few < more {
		was["seeds"] = more
	}
	return reflect.DeepEqual(a, b)
}
