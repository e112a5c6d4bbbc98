package passes

import (
	"errors"
	"fmt"

	"github.com/fairtrain/fairtrain/beam/files"
	"github.com/fairtrain/fairtrain/beam/shards"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/dataset/packed"
	"github.com/fairtrain/fairtrain/dataset/packing"
	"github.com/fairtrain/fairtrain/dataset/table"
)

// Texts are files of rows as they come, which workers count and pack.
type Texts struct {
	list []shards.Shard // of which nothing but the paths is known
	dir  string
}

// OpenTexts returns the files that match a pattern, in the order of their names. Workers leave their
// answers in the folder dir.
func OpenTexts(pattern, dir string) (*Texts, error) {
	paths, err := files.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pattern, err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s: no file matches", pattern)
	}
	t := &Texts{dir: dir}
	for k, path := range paths {
		t.list = append(t.list, shards.Shard{Path: path, First: k})
	}
	return t, nil
}

// Files returns the paths of the files.
func (t *Texts) Files() (paths []string) {
	for _, s := range t.list {
		paths = append(paths, s.Path)
	}
	return paths
}

// First reads the first file that has rows. It returns its path.
func (t *Texts) First(opts catalogue.InputOptions) (in catalogue.Input, from string, err error) {
	for _, s := range t.list {
		err = files.Mapped(s.Path, func(path string) error {
			in, err = catalogue.LoadInput(path, nil, opts)
			return err
		})
		if from = s.Path; !errors.Is(err, table.ErrNoRows) {
			break
		}
	}
	return in, from, err
}

// Count has workers count the rows of all files.
func (t *Texts) Count(o *packing.Order) (all []*packing.Counted, err error) {
	replies, err := first{t.dir}.ask(t.list, &question{Tally: o})
	for _, r := range replies {
		all = append(all, r.Tally)
	}
	return all, err
}

// Write has workers write the rows of file k as out[k].
func (t *Texts) Write(o *packing.Order, out []string) (all []packing.Written, err error) {
	replies, err := first{t.dir}.ask(t.list, &question{Pack: &packs{o, out}})
	for _, r := range replies {
		all = append(all, *r.Packed)
	}
	return all, err
}

// Found returns the files that match a pattern.
func (t *Texts) Found(pattern string) ([]string, error) { return files.Glob(pattern) }

// Remove removes a file.
func (t *Texts) Remove(path string) { files.Remove(path) }

// Open opens a packed file.
func (t *Texts) Open(path string) (*packed.File, error) { return shards.OpenFile(path) }

// packs is an order to write files, and their paths.
type packs struct {
	Order *packing.Order
	Out   []string
}

// write writes the rows of a file.
func (p *packs) write(s shards.Shard) (done packing.Written, err error) {
	err = files.Mapped(s.Path, func(path string) error {
		return files.Create(p.Out[s.First], func(out string) error {
			done, err = p.Order.Write(s.First, path, out)
			return err
		})
	})
	return done, err
}

// tally counts the rows of a file.
func tally(o *packing.Order, s shards.Shard) (c *packing.Counted, err error) {
	err = files.Mapped(s.Path, func(path string) error {
		c, err = o.Count(s.First, path)
		return err
	})
	return c, err
}
