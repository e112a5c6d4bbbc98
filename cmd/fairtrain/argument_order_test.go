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
		"":                          "",
		"data":                      "data",
		"nosuch x --json":           "nosuch x --json",
		"data nosuch x --json":      "data nosuch x --json",
		"data check x":              "data check x",
		"data check x --json":       "data check --json x",
		"data check x -json y":      "data check -json x y",
		"data check x --label l y":  "data check --label l x y",
		"data check x --label=l y":  "data check --label=l x y",
		"data check x --json=0 y":   "data check --json=0 x y",
		"data check x --label -- y": "data check --label -- x y", // as early: -- is the value
		"data check x --json -- -y": "data check --json -- x -y",
		"data check -- x --json":    "data check -- x --json",
		"data check - --json":       "data check --json -",
		"data check x --json -":     "data check --json x -",

		// The value of a flag that looks like a command, an argument or a flag stays.
		"--seed train data check x --json":            "--seed train data check --json x",
		"--json data describe x --write-schema y":     "--json data describe --write-schema y x",
		"data convert x --also a=b --out --json":      "data convert --also a=b --out --json x",
		"data convert --out x y --force":              "data convert --out x --force y",
		"cutest eval f.SIF --param N=1 --at - --json": "cutest eval --param N=1 --at - --json f.SIF",
		"help fsfo --help":                            "help --help fsfo",

		// Faults that the command names.
		"train a9a --tol 3 --model -":                  "train --tol 3 --model - a9a",
		"data check x --" + "generate-bash-completion": "data check x --generate-bash-completion",
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
		"data check x --bogus y":      "unknown flag --bogus",
		"--bogus data check x":        "unknown flag --bogus",
		"data check x ---json":        "unknown flag ---json",
		"data check x --json --label": "flag needs an argument: --label",
	} {
		if _, err := command.FlagsFirst(app, strings.Fields("fairtrain "+given)); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", given, err, want)
		}
	}
}
