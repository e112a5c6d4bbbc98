package benchmark

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"golang.org/x/sync/errgroup"

	"github.com/fairtrain/fairtrain/cutest"
	"github.com/fairtrain/fairtrain/cutest/collection"
	"github.com/fairtrain/fairtrain/internal/sidefile"
	"github.com/fairtrain/fairtrain/problem"
	"github.com/fairtrain/fairtrain/results"
)

// Instance is a deterministic problem at a certain size.
type Instance struct {
	Name    string `json:"name"`
	N       int    `json:"n"`     // variables that are not fixed
	M       int    `json:"m"`     // constraints
	Fixed   int    `json:"fixed"` // variables eliminated
	Bounded int    `json:"bounded"`
	Source  string `json:"source"`           // the file, or builtIn
	Params  string `json:"params,omitempty"` // parameters that are not the file's defaults

	// LeftOut says why the problem can't enter the experiment, whatever its rule.
	LeftOut string `json:"left_out,omitempty"`

	open func() (problem.Problem, error)
	file results.DataFile // the file of the problem, if it is from a file
}

// NewInstance describes a deterministic equality-constrained problem that is not in a
// file. Every call of open must return a problem that shares no memory with others.
func NewInstance(name, source string, open func() (problem.Problem, error)) (*Instance, error) {
	p, err := open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	n, m := p.Dims()
	v, x, nearby := problem.NewValues(n, m), make([]float64, n), make([]float64, n)
	p.Start(x)
	p.Evaluate(v, x, nil)
	p.Evaluate(&problem.Values{Gradient: nearby}, near(x), nil)
	return &Instance{
		Name: name, N: n, M: m, Source: source, open: open,
		LeftOut: unsuitableValues(v.Objective, v.Gradient, v.Constraint, v.Jacobian.Data, nearby),
	}, nil
}

// BuiltIn returns the problems that ship with the program.
func BuiltIn() ([]*Instance, error) {
	var instances []*Instance
	for _, built := range collection.All() {
		i, err := NewInstance(built.Name, builtIn, func() (problem.Problem, error) {
			own := *built // with its own scratch memory
			return &own, nil
		})
		if err != nil {
			return nil, err
		}
		instances = append(instances, i)
	}
	return instances, nil
}

// builtIn is the source of problems that ship with the program.
const builtIn = "built in"

// Open returns the problem, for one goroutine.
func (i *Instance) Open() (problem.Problem, error) { return i.open() }

// LoadSIF decodes the SIF files at the given paths, at the sizes of the collection. A
// path names a file or a folder of files. Problems come in the order of their files'
// names. A fault in a file is an error if the path names the file itself. A faulty file
// in a folder is left out, under the file's name, and so is a problem that another file
// has.
func LoadSIF(ctx context.Context, paths ...string) ([]*Instance, error) {
	files, err := sifFiles(paths)
	if err != nil {
		return nil, err
	}
	sizes := officialSizes()
	instances := make([]*Instance, len(files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for k, file := range files {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			i, err := loadFile(file.path, sizes)
			if fault, ok := errors.AsType[*cutest.Error](err); ok && file.fromFolder {
				i, err = &Instance{Name: filepath.Base(file.path), Source: file.path, LeftOut: fault.Error()}, nil
			}
			instances[k] = i
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return instances, leaveOutDoubles(instances, files)
}

// leaveOutDoubles leaves out the problems in files of folders that an earlier file has. It is an
// error if the file was named itself.
func leaveOutDoubles(instances []*Instance, files []sifFile) error {
	first := map[string]string{}
	for k, i := range instances {
		source, double := first[i.Name]
		if !double {
			first[i.Name] = i.Source
			continue
		}
		fault := fmt.Sprintf("problem %s is also in %s", i.Name, source)
		if !files[k].fromFolder {
			return fmt.Errorf("%s: %s", i.Source, fault)
		}
		instances[k] = &Instance{Name: filepath.Base(i.Source), Source: i.Source, LeftOut: fault}
	}
	return nil
}

//go:embed sizes.toml
var sizesFile string

// officialSizes returns the parameters of the collection's own sizes, by problem.
func officialSizes() map[string]map[string]string {
	sizes := make(map[string]map[string]string)
	if err := toml.Unmarshal([]byte(sizesFile), &sizes); err != nil {
		panic(err) // the embedded file is faulty
	}
	return sizes
}

// loadFile decodes a file, with the parameters of its size in the collection if that is
// not the file's own.
func loadFile(file string, sizes map[string]map[string]string) (*Instance, error) {
	text, err := sidefile.Read(file, sidefile.Most)
	if err != nil {
		return nil, err
	}
	p, err := cutest.Decode(bytes.NewReader(text), file, cutest.Options{})
	if err != nil {
		return nil, err
	}
	params := sizes[p.Name]
	if !offers(p, params) {
		params = nil
	} else if p, err = cutest.Decode(bytes.NewReader(text), file, cutest.Options{Params: params}); err != nil {
		return nil, err
	}
	i := newSIFInstance(p, file, params)
	sum := sha256.Sum256(text)
	i.file = results.DataFile{Name: filepath.Base(file), SHA256: hex.EncodeToString(sum[:]), Rows: p.M(), Columns: p.N(), NonZeros: len(p.Columns)}
	return i, nil
}

// DecodeFile decodes a SIF file with the given parameters.
func DecodeFile(file string, params map[string]string) (*cutest.Problem, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return cutest.Decode(f, file, cutest.Options{Params: params})
}

// sifFile is a file, and whether it was found in a folder.
type sifFile struct {
	path       string
	fromFolder bool
}

// sifFiles lists the files at the given paths.
func sifFiles(paths []string) ([]sifFile, error) {
	var files []sifFile
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, sifFile{path, false})
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		found := false
		for _, e := range entries {
			file := filepath.Join(path, e.Name())
			if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
				continue // of a link to nothing, opening it will tell
			}
			if strings.EqualFold(filepath.Ext(e.Name()), ".sif") {
				files = append(files, sifFile{file, true})
				found = true
			}
		}
		if !found {
			return nil, fmt.Errorf("%s: no file ends in .SIF", path)
		}
	}
	return files, nil
}

// offers reports whether a file lets its user choose all of the given parameters.
func offers(p *cutest.Problem, params map[string]string) bool {
	for name := range params {
		if !slices.Contains(p.Parameters, name) {
			return false
		}
	}
	return len(params) > 0
}

func newSIFInstance(p *cutest.Problem, file string, params map[string]string) *Instance {
	i := &Instance{
		Name: p.Name, N: p.N(), M: p.M(), Source: file,
		open: func() (problem.Problem, error) { return cutest.NewOracle(p) },
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		i.Params = strings.TrimSpace(i.Params + " " + name + "=" + params[name])
	}
	for _, v := range p.Variables {
		switch {
		case v.Lower == v.Upper:
			i.Fixed++
			i.N--
		case !unbounded(v):
			i.Bounded++
		}
	}
	i.LeftOut = unsuitable(p, i)
	return i
}
