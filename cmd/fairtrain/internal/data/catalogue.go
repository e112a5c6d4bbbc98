package data

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

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

func (p program) dataList(c *cli.Context) error {
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

func (p program) dataGet(c *cli.Context) error {
	entries, err := catalogued(c.Args().Slice())
	if err != nil {
		return err
	}
	dir := c.String("dir")
	if dir == "" {
		if dir, err = catalogue.CacheDir(); err != nil {
			return command.Advise(err, "--dir says where to store the files instead")
		}
	}
	if err := checkDownloads(c, entries, dir); err != nil {
		return err
	}
	files := []fetched{}
	for _, e := range entries {
		if len(e.Files) == 0 {
			p.Remark("%s is built in, there is nothing to download", e.Name)
		}
		for _, f := range e.Files {
			got, err := p.fetch(c, f, dir)
			if err != nil {
				return err
			}
			files = append(files, got)
		}
	}
	if p.JSON {
		return p.PrintJSON(map[string]any{"files": files})
	}
	var b bytes.Buffer
	for _, f := range files {
		fmt.Fprintln(&b, f.Path)
	}
	return p.Print(b.Bytes())
}

// checkDownloads refuses to replace files that are not the files to download. The cache
// is the program's own; in any other folder a file of that name may be anything.
func checkDownloads(c *cli.Context, entries []catalogue.Entry, dir string) error {
	f := command.NewFiles(c)
	for _, e := range entries {
		for _, file := range e.Files {
			f.WritesInto("dir", dir, file.Name, func(path string) bool {
				return c.Bool("force") || !c.IsSet("dir") || file.IsAt(path)
			})
		}
	}
	return f.Check()
}

// catalogued looks names up in the catalogue; a file's name stands for its data set.
func catalogued(names []string) ([]catalogue.Entry, error) {
	if len(names) == 0 {
		return nil, command.Usage(errors.New("data get needs the name of a data set"), "fairtrain data list shows the names")
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
			return nil, command.Usage(fmt.Errorf("no data set is known as %q", name), "fairtrain data list shows the names")
		}
	}
	return entries, nil
}

func (p program) fetch(c *cli.Context, f catalogue.File, dir string) (fetched, error) {
	bar := p.NewProgress("download " + f.Name)
	defer bar.Finish()
	path, err := catalogue.Fetch(c.Context, f, dir, catalogue.FetchOptions{
		Client: http.DefaultClient, Patience: 30 * time.Second,
		Progress: func(done, total int64) {
			bar.Update(float64(done)/float64(total), fmt.Sprintf("%s, %.1f of %.1f MB", f.Name, float64(done)/1e6, float64(total)/1e6))
		},
	})
	if errors.Is(err, context.Canceled) {
		return fetched{}, err
	}
	if err != nil {
		return fetched{}, command.Advise(err, "FAIRTRAIN_MIRROR=URL downloads from another directory",
			"a file from elsewhere is found in $FAIRTRAIN_DATA or ./data under the name "+f.Name)
	}
	return fetched{f.Name, path}, nil
}
