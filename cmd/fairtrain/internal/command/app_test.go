package command

import (
	"context"
	"io"
	"testing"

	"github.com/urfave/cli/v2"
)

// TestPrompt: an action that does not look whether it is cancelled is left alone.
func TestPrompt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := NewProgram("fairtrain", nil, io.Discard, io.Discard)
	app := &cli.App{Commands: []*cli.Command{{Name: "deaf", Action: func(*cli.Context) error {
		cancel()
		select {}
	}}}}
	p.Harden(app)
	if err := app.RunContext(ctx, []string{"fairtrain", "deaf"}); ExitCode(err) != ExitInterrupted {
		t.Errorf("error %v", err)
	}
}
