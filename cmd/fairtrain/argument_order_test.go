package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
)

func TestFlagsFirst(t *testing.T) {
	app := app(command.NewProgram("fairtrain", nil, nil, nil))
	for given, want := range map[string]string{
		"":                             "",
		"data":                         "data",
		"nosuch x --json":              "nosuch x --json",
		"data nosuch x --json":         "data nosuch x --json",
		"data describe x":              "data describe x",
		"data describe x --json":       "data describe --json x",
		"data describe x -json y":      "data describe -json x y",
		"data describe x --label l y":  "data describe --label l x y",
		"data describe x --label=l y":  "data describe --label=l x y",
		"data describe x --json=0 y":   "data describe --json=0 x y",
		"data describe x --label -- y": "data describe --label -- x y", // as early: -- is the value
		"data describe x --json -- -y": "data describe --json -- x -y",
		"data describe -- x --json":    "data describe -- x --json",
		"data describe - --json":       "data describe --json -",
		"data describe x --json -":     "data describe --json x -",

		// The value of a flag that looks like a command, an argument or a flag stays.
		"--seed train data describe x --json":         "--seed train data describe --json x",
		"--json data describe x --write-schema y":     "--json data describe --write-schema y x",
		"data pack x --like a --out --json":           "data pack --like a --out --json x",
		"data pack --out x y --force":                 "data pack --out x --force y",
		"cutest eval f.SIF --param N=1 --at - --json": "cutest eval --param N=1 --at - --json f.SIF",
		"help fsfo --help":                            "help --help fsfo",

		// Faults that the command names.
		"train a9a --tol 3 --model -":                     "train --tol 3 --model - a9a",
		"data describe x --" + "generate-bash-completion": "data describe x --generate-bash-completion",
	} {
		got, err := command.FlagsFirst(app, strings.Fields("fairtrain "+given))
		if err != nil {
			t.Errorf("%s: %v", given, err)
		}
		if diff := cmp.Diff(strings.Fields("fairtrain "+want), got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", given, diff)
		}
	}
	for given, want := range map[string]string{
		"data describe x --bogus y":      "unknown flag --bogus",
		"--bogus data describe x":        "unknown flag --bogus",
		"data describe x ---json":        "unknown flag ---json",
		"data describe x --json --label": "flag needs an argument: --label",
	} {
		if _, err := command.FlagsFirst(app, strings.Fields("fairtrain "+given)); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", given, err, want)
		}
	}
}
