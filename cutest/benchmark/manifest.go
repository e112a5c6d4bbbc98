package benchmark

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"
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
	return m, readJSON(filepath.Join(s.dir, manifestFile), m)
}

// create makes the folder.
func (s store) create() error { return os.MkdirAll(filepath.Join(s.dir, cellsDir), 0o755) }

// missing returns the cells that the store does not hold with the same settings.
func (s store) missing(cells []*pending) ([]*pending, error) {
	var missing []*pending
	for _, c := range cells {
		stored, err := s.cell(cellName{c.Problem, c.Method, c.Key})
		if err != nil {
			return nil, err
		}
		if stored == nil {
			missing = append(missing, c)
		}
	}
	return missing, nil
}
