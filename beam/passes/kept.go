package passes

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/fairtrain/fairtrain/beam/files"
	"github.com/fairtrain/fairtrain/beam/shards"
	"github.com/fairtrain/fairtrain/model"
)

// kept are the answers of passes in a folder, one file each. A run that asks the same questions
// again finds them there, and so goes on where another one was killed. The name of a file is the
// hash of the rows and of the question: answers about other rows, or for other flags, are never
// found.
type kept struct {
	dir  string // empty: nothing is kept
	rows [sha256.Size]byte
}

func newKept(dir string, list []shards.Shard) kept {
	list = slices.Clone(list)
	for k := range list {
		list[k].Path = "" // the same rows may be in another place
	}
	return kept{dir, sha256.Sum256(encoded(list))}
}

// The numbers of gob's types depend on what a program has encoded before. So that equal questions
// have equal hashes, one is encoded before all else.
func init() {
	encoded([]shards.Shard{})
	encoded([]question{{Plan: new(model.Plan)}})
}

func encoded(value any) []byte {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(value); err != nil {
		panic(err) // numbers and text can be encoded
	}
	return b.Bytes()
}

func (k kept) path(q *question) string {
	name := sha256.Sum256(append(k.rows[:], encoded(q)...))
	return files.Join(k.dir, "answer-"+hex.EncodeToString(name[:])+".gob")
}

// find returns the answer to a question, nil if there is none. A damaged one is none.
func (k kept) find(q *question) ([]reply, error) {
	if k.dir == "" {
		return nil, nil
	}
	content, err := files.Read(k.path(q))
	if err != nil {
		return nil, fmt.Errorf("the answers of passes: %w", err)
	}
	if len(content) < sha256.Size {
		return nil, nil
	}
	text := content[sha256.Size:]
	if sha256.Sum256(text) != [sha256.Size]byte(content[:sha256.Size]) {
		return nil, nil
	}
	var replies []reply
	if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&replies); err != nil {
		return nil, fmt.Errorf("%s: %w", k.path(q), err)
	}
	return replies, nil
}

// keep writes the answer to a question: all of it or nothing.
func (k kept) keep(q *question) error {
	if k.dir == "" {
		return nil
	}
	text := encoded(q.replies)
	sum := sha256.Sum256(text)
	if err := files.Write(k.path(q), append(sum[:], text...)); err != nil {
		return fmt.Errorf("the answers of passes: %w", err)
	}
	return nil
}
