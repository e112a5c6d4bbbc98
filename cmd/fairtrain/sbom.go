package main

import (
	"cmp"
	"errors"
	"net/url"
	"runtime/debug"
	"strings"
)

// bom is a software bill of materials in the format of CycloneDX 1.6, of which it has what
// the build information of a Go program tells: which modules at which versions. There is no
// time and no serial number in it, so that the same program has the same one.
type bom struct {
	Format      string      `json:"bomFormat"`
	SpecVersion string      `json:"specVersion"`
	Version     int         `json:"version"` // of the bill
	Metadata    bomMetadata `json:"metadata"`
	Components  []component `json:"components"`
}

type bomMetadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// newBOM returns the bill of this program.
func newBOM() (*bom, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil, errors.New("this program was built without information on its modules")
	}
	b := &bom{
		Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata: bomMetadata{moduleComponent("application", info.Main)},
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		b.Components = append(b.Components, moduleComponent("library", *m))
	}
	// as scanners for weaknesses know it
	std := debug.Module{Path: "std", Version: strings.TrimPrefix(info.GoVersion, "go")}
	b.Components = append(b.Components, moduleComponent("library", std))
	return b, nil
}

// development is the version of a module that was built where it is written.
const development = "(devel)"

func moduleComponent(kind string, m debug.Module) component {
	c := component{Type: kind, Name: m.Path, Version: cmp.Or(m.Version, development)}
	// Package URLs have names in lower case: github.com/package-url/purl-spec, type golang.
	c.PURL = "pkg:golang/" + strings.ToLower(m.Path)
	if c.Version != development {
		c.PURL += "@" + strings.ReplaceAll(url.PathEscape(c.Version), "+", "%2B")
	}
	c.Ref = c.PURL
	if m.Sum != "" { // of go.sum: no hash of one file, which hashes of CycloneDX are
		c.Properties = []property{{"go:sum", m.Sum}}
	}
	return c
}
