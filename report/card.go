package report

import (
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/fairtrain/fairtrain/internal/names"
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

// Bounds of a card, so that a report stays short enough to be read.
const (
	longestText = 4000 // characters
	longestList = 30   // entries
)

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
	hint := func([]string, string) string { return ", a card has " + strings.Join(cardKeys(), ", ") }
	if err := tomlfile.Decode(name, r, c, hint); err != nil {
		return nil, err
	}
	v := reflect.ValueOf(c).Elem()
	for k, key := range cardKeys() {
		texts, isList := v.Field(k).Interface().([]string)
		if !isList {
			texts = []string{v.Field(k).String()}
		}
		if len(texts) > longestList {
			return nil, fmt.Errorf("%s: %s has %d entries, at most %d are read", name, key, len(texts), longestList)
		}
		for i, t := range texts {
			if n := utf8.RuneCountInString(t); n > longestText {
				return nil, fmt.Errorf("%s: %s has %d characters, at most %d are read", name, key, n, longestText)
			}
			texts[i] = names.Line(strings.Join(strings.Fields(t), " "))
		}
		if !isList {
			v.Field(k).SetString(texts[0])
		}
	}
	return c, nil
}

// cardKeys returns the keys of a card, in the order of its fields.
func cardKeys() []string {
	var keys []string
	for f := range reflect.TypeFor[Card]().Fields() {
		keys = append(keys, f.Tag.Get("toml"))
	}
	return keys
}
