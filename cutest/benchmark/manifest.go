package benchmark

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/fairtrain/fairtrain/internal/atomicfile"
	"github.com/fairtrain/fairtrain/internal/seal"
)

// manifest says what a folder of results is about.
type manifest struct {
	Preset     *Preset     `json:"preset"`
	Candidates int         `json:"candidates,omitempty"` // per method and problem, if not all
	Problems   []*Instance `json:"problems"`
	Cells      []cellName  `json:"cells"`
	Started    time.Time   `json:"started"`
	Version    string      `json:"version"`
	Go         string      `json:"go"`
	Machine    string      `json:"machine"`
	CPUs       int         `json:"cpus"`
	Seal       string      `json:"seal"` // see package seal
}

// cellName names a result and the settings that it must have.
type cellName struct {
	Problem string `json:"problem"`
	Method  string `json:"method"`
	Key     string `json:"key"`
}

func newManifest(r *Runner, cells []*pending) *manifest {
	m := &manifest{
		Preset: r.Preset, Candidates: r.Candidates, Problems: r.Problems,
		Started: time.Now().UTC().Truncate(time.Second),
		Version: "unknown", Go: runtime.Version(), Machine: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU(),
		Seal: seal.Blank,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		m.Version = info.Main.Version
	}
	for _, c := range cells {
		m.Cells = append(m.Cells, cellName{c.Problem, c.Method, c.Key})
	}
	return m
}

func (s store) writeManifest(m *manifest) error {
	return writeJSON(filepath.Join(s.dir, manifestFile), m)
}

func (s store) manifest() (*manifest, error) {
	m := new(manifest)
	if err := readJSON(filepath.Join(s.dir, manifestFile), m); err != nil {
		return nil, err
	}
	return m, nil
}

// create makes the folder.
func (s store) create() error { return os.MkdirAll(filepath.Join(s.dir, cellsDir), 0o755) }

// sweep removes what killed programs have left.
func (s store) sweep() {
	atomicfile.Sweep(s.dir)
	atomicfile.Sweep(filepath.Join(s.dir, cellsDir))
}

// missing returns the cells that the store does not hold with the same settings, and
// tells of damaged ones, if tell is not nil.
func (s store) missing(cells []*pending, tell func(error)) ([]*pending, error) {
	var missing []*pending
	for _, c := range cells {
		stored, err := s.cell(cellName{c.Problem, c.Method, c.Key})
		if damage, ok := errors.AsType[*Damage](err); ok {
			if tell != nil {
				tell(damage)
			}
		} else if err != nil {
			return nil, err
		}
		if stored == nil {
			missing = append(missing, c)
		}
	}
	return missing, nil
}
