package report

import (
	"io"
	"os"

	"github.com/fairtrain/fairtrain/internal/tomlfile"
)

// Card is what a person writes about a model and no number shows. All of it may be left out.
type Card struct {
	Title   string `toml:"title" json:"title,omitempty"`
	Summary string `toml:"summary" json:"summary,omitempty"` // what is decided, about whom
	Owner   string `toml:"owner" json:"owner,omitempty"`     // who answers for it
	Contact string `toml:"contact" json:"contact,omitempty"`
	// IntendedUse, NotFor and Limits are lists of sentences.
	IntendedUse []string `toml:"intended_use" json:"intended_use,omitempty"`
	NotFor      []string `toml:"not_for" json:"not_for,omitempty"`
	Limits      []string `toml:"limits" json:"limits,omitempty"`
	Oversight   string   `toml:"oversight" json:"oversight,omitempty"` // who may overrule it, and how
	DataSource  string   `toml:"data_source" json:"data_source,omitempty"`
	DataPeriod  string   `toml:"data_period" json:"data_period,omitempty"`
}

// LoadCard reads the card at path.
func LoadCard(path string) (*Card, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadCard(f, path)
}

// ReadCard reads a card in TOML; name stands for the file in errors, which have the line and
// the column. A key that a card does not have is an error.
func ReadCard(r io.Reader, name string) (*Card, error) {
	c := &Card{}
	err := tomlfile.Decode(name, r, c, func([]string, string) string {
		return ", a card has title, summary, owner, contact, intended_use, not_for, limits, oversight, data_source, data_period"
	})
	return c, err
}
