package input

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
	"github.com/fairtrain/fairtrain/internal/atomicfile"
	"github.com/fairtrain/fairtrain/internal/memory"
)

// Fit returns data as load does. Files that are too large for the memory that --memory gives are
// packed into the cache folder, if they were not before, and mapped from there.
//
// What counts is what is known of the files before they are read, or that reading them has
// failed for lack of memory. Rows without labels, and rows of which only some are wanted, can't
// be packed.
func (k Packing) Fit(load func() (catalogue.Input, error)) (catalogue.Input, error) {
	t := k.Options.Table
	packable := t.Keep == nil && t.Each == nil && !t.AnyLabels && !k.Options.Rows.AnyLabels
	need := catalogue.Footprint(k.Name)
	if !packable || need == 0 {
		return load()
	}
	if memory.Fits(need) {
		in, err := load()
		if _, large := errors.AsType[*memory.Error](err); !large {
			return in, err
		}
	}
	return k.cached()
}

// cached returns the rows of the packed file in the cache folder.
func (k Packing) cached() (catalogue.Input, error) {
	cache, err := catalogue.CacheDir()
	if err != nil {
		err = fmt.Errorf("%s would take more memory than --memory gives, and can't be packed: %w", k.Name, err)
		return catalogue.Input{}, command.Advise(err, "--memory allows more", "data pack --out FILE packs it elsewhere")
	}
	dir := filepath.Join(cache, "packed")
	place, state, err := sourceKeys(k.Name)
	if err != nil {
		return catalogue.Input{}, err
	}
	path := filepath.Join(dir, place+"-"+state+"-"+k.optionsKey()+".fpk")
	_, statErr := os.Stat(path)
	if statErr == nil {
		in, err := k.open(path)
		if _, large := errors.AsType[*memory.Error](err); large || err == nil || k.Flags.Context.Err() != nil {
			return in, err
		}
		k.Program.Remark("the packed rows of %s are damaged, and are packed again", k.Name)
	} else {
		k.Program.Remark("%s would take more memory than --memory gives: its rows are packed, once, into %s", k.Name, dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return catalogue.Input{}, err
	}
	atomicfile.Sweep(dir)
	_ = os.Remove(path) // a link would stay, and what it points to be replaced
	k.Options.Table.Identify = true
	if _, _, err := WritePacked(k.Flags.Context, path, nil, k.Fill); err != nil {
		if _, ofFile := errors.AsType[*fs.PathError](err); k.Flags.Context.Err() != nil || !ofFile {
			return catalogue.Input{}, err // of the source
		}
		return catalogue.Input{}, command.Advise(err, "data pack --out FILE packs them elsewhere")
	}
	if _, now, err := sourceKeys(k.Name); err != nil || now != state {
		os.Remove(path)
		return catalogue.Input{}, fmt.Errorf("%s has changed while it was read", k.Name)
	}
	// What was packed from an earlier state of the source serves nobody any more.
	known, err := filepath.Glob(filepath.Join(dir, place+"-*.fpk"))
	if err != nil {
		panic(err) // keys are no patterns
	}
	for _, old := range known {
		if !strings.Contains(filepath.Base(old), state) {
			os.Remove(old)
		}
	}
	return k.open(path)
}

// open maps the packed rows, which get the name of their source.
func (k Packing) open(path string) (catalogue.Input, error) {
	opts := catalogue.InputOptions{Rows: k.Options.Rows}
	in, err := LoadInput(k.Flags.Context, nil, path, opts)
	if err == nil && !in.Packed {
		return catalogue.Input{}, fmt.Errorf("%s is no packed file", path)
	}
	if err == nil {
		in.Rows.Name = k.Name
	}
	return in, err
}

// version is that of what is packed from the same source with the same options: it rises when that
// changes.
const version = 5

// optionsKey names everything that decides what is packed from a source.
func (k Packing) optionsKey() string {
	o := k.Options
	return key(version, o.Rows, o.CSV, o.Schema, o.Table.Numeric, o.Table.Categorical, o.Table.Groups, k.Like)
}

// sourceKeys name where the files of data are, and their state: which they are, their sizes and times, and on the disk.
func sourceKeys(name string) (place, state string, err error) {
	paths := catalogue.Sources(name)
	places, states := strings.Split(name, ","), []any{} // as they were named
	if only, err := catalogue.Resolve(name); err == nil && len(paths) == 1 && only == paths[0] {
		places = paths
	}
	for k := range places {
		if places[k], err = filepath.Abs(places[k]); err != nil {
			return "", "", err
		}
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return "", "", err
		}
		if path, err = filepath.Abs(path); err != nil {
			return "", "", err
		}
		states = append(states, path, info.Size(), info.ModTime().UnixNano(), inode(info))
	}
	return key(places), key(states...), nil
}

// key is a name for values.
func key(values ...any) string {
	text, err := json.Marshal(values)
	if err != nil {
		panic(err) // they have no functions and no cycles
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}
