package main

import (
	"fmt"
	"runtime"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/results"
)

// buildInfo says what the program was built from.
type buildInfo struct {
	results.Build
	GoVersion string `json:"go_version"`
	Platform  string `json:"platform"`
}

func versionCommand(p *command.Program) *cli.Command {
	return &cli.Command{
		Name:   "version",
		Usage:  "what this program was built from",
		Flags:  command.TalkFlags(),
		Action: func(*cli.Context) error { return version(p) },
	}
}

func version(p *command.Program) error {
	b := buildInfo{results.ReadBuild(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	if p.JSON {
		return p.PrintJSON(b)
	}
	modified := ""
	if b.Modified {
		modified = " (modified)"
	}
	return p.Print(fmt.Appendf(nil, "fairtrain %s\nrevision  %s%s\ngo        %s\nplatform  %s\n",
		b.Version, b.Revision, modified, b.GoVersion, b.Platform))
}
