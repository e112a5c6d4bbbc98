package data

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/dataset/catalogue"
)

// listed is a known data set in the output of data list.
type listed struct {
	catalogue.Entry
	BuiltIn bool         `json:"built_in"`
	Files   []listedFile `json:"files"`
}

type listedFile struct {
	catalogue.File
	Path string `json:"path,omitempty"` // where it is, if it is anywhere
}

func (p program) list() error {
	list := []listed{}
	for _, e := range catalogue.Entries() {
		entry := listed{e, len(e.Files) == 0, []listedFile{}}
		for _, f := range e.Files {
			path, err := catalogue.Resolve(f.Name)
			if err != nil {
				path = "" // it is nowhere
			}
			entry.Files = append(entry.Files, listedFile{f, path})
		}
		list = append(list, entry)
	}
	if p.JSON {
		return p.PrintJSON(map[string]any{"data": list})
	}
	var b bytes.Buffer
	for i, e := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s\n  %s\n  licence: %s\n", e.Name, e.About, e.Licence)
		if e.BuiltIn {
			fmt.Fprintln(&b, "  built in")
		} else {
			fmt.Fprintf(&b, "  source: %s\n", e.Page)
		}
		for _, f := range e.Files {
			if f.Path == "" {
				fmt.Fprintf(&b, "  %s: not here; fairtrain data get %s\n", f.Name, e.Name)
			} else {
				fmt.Fprintf(&b, "  %s: %s\n", f.Name, f.Path)
			}
		}
	}
	return p.Print(b.Bytes())
}

// fetched is a file in the output of data get.
type fetched struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// getOptions are the flags of data get.
type getOptions struct {
	entries []catalogue.Entry
	dir     string
}

func readGet(c *cli.Context) (getOptions, error) {
	entries, err := catalogued(c.Args().Slice())
	o := getOptions{entries, c.String("dir")}
	if err != nil {
		return o, err
	}
	if o.dir == "" {
		if o.dir, err = catalogue.CacheDir(); err != nil {
			return o, command.Advise(err, "--dir says where to store the files instead")
		}
	}
	// The cache is the program's own; in any other folder a file of that name may be anything.
	f := command.NewFiles(c)
	for _, e := range entries {
		for _, file := range e.Files {
			f.WritesInto("dir", o.dir, file.Name, func(path string) bool {
				return !c.IsSet("dir") || file.IsAt(path)
			})
		}
	}
	return o, f.Check()
}

// get downloads the files of data sets into a folder.
func (p program) get(ctx context.Context, o getOptions) error {
	files := []fetched{}
	var b bytes.Buffer
	for _, e := range o.entries {
		if len(e.Files) == 0 {
			p.Remark("%s is built in, there is nothing to download", e.Name)
		}
		for _, f := range e.Files {
			path, err := p.fetch(ctx, f, o.dir)
			if err != nil {
				return err
			}
			files = append(files, fetched{f.Name, path})
			fmt.Fprintln(&b, path)
		}
	}
	if p.JSON {
		return p.PrintJSON(map[string]any{"files": files})
	}
	return p.Print(b.Bytes())
}

// catalogued looks names up in the catalogue; a file's name stands for its data set.
func catalogued(names []string) ([]catalogue.Entry, error) {
	if len(names) == 0 {
		return nil, command.Usage(errors.New("data get needs the name of a data set"),
			"fairtrain data list shows the names")
	}
	var entries []catalogue.Entry
	for i, name := range names {
		found := slices.Contains(names[:i], name)
		for _, e := range catalogue.Entries() {
			if e.Name == name && !found {
				entries, found = append(entries, e), true
			}
		}
		if !found {
			return nil, command.Usage(fmt.Errorf("no data set is known as %q", name),
				"fairtrain data list shows the names")
		}
	}
	return entries, nil
}

func (p program) fetch(ctx context.Context, f catalogue.File, dir string) (path string, err error) {
	bar := p.NewProgress("download " + f.Name)
	defer bar.Finish()
	path, err = catalogue.Fetch(ctx, f, dir, func(done, total int64) {
		bar.Update(float64(done)/float64(total), fmt.Sprintf("%s, %.1f of %.1f MB", f.Name,
			float64(done)/1e6, float64(total)/1e6))
	})
	if err == nil || errors.Is(err, context.Canceled) {
		return path, err
	}
	return "", command.Advise(err, "FAIRTRAIN_MIRROR=URL downloads from another directory",
		"a file that you have is found in $FAIRTRAIN_DATA or ./data under the name "+f.Name)
}
