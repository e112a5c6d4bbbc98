package certifying

import (
	"fmt"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/internal/atomicfile"
	"github.com/fairtrain/fairtrain/internal/folderlock"
	"github.com/fairtrain/fairtrain/ledger"
)

// enterTest enters a test in the ledger and returns it as a model file has it.
func enterTest(book ledger.Ledger, rows *certifiedRows, r *Certification) (classifier.Test, error) {
	now := time.Now().UTC()
	entry := ledger.Entry{
		Time: now, Use: ledger.Testing, Name: rows.data.Name, SHA256: rows.data.Hash, Rows: rows.views, Features: rows.features,
		Confidence: r.TestedAt, Holds: r.Holds,
	}
	for _, v := range r.Requirements {
		entry.Requirements = append(entry.Requirements, v.Name())
	}
	return classifier.Test{
		Time: now.Format(time.RFC3339Nano), Data: classifier.DataName(entry.Name), Fingerprint: rows.views[0].Fingerprint(), Rows: r.Rows,
		Requirements: entry.Requirements, Confidence: r.TestedAt, Holds: r.Holds,
	}, addEntry(book, entry)
}

func addEntry(book ledger.Ledger, e ledger.Entry) error {
	if err := book.Add(e); err != nil {
		return command.Advise(fmt.Errorf("the test can't be remembered, so it has no outcome: %w", err), "--ledger DIR names another folder")
	}
	return nil
}

// tellModel writes a test that is in the ledger into the model file, too.
func (p program) tellModel(c *cli.Context, m *classifier.Classifier, test classifier.Test) {
	if c.String("model") == "-" {
		return
	}
	if err := p.addTest(c, m, test); err != nil {
		p.Remark(c, "the test is in the ledger, but not in the model file: %v", err)
	}
}

// addTest adds a test of a model to its file. Since the model was read, others may have added tests,
// which stay, or written another model, which was not tested.
func (p program) addTest(c *cli.Context, m *classifier.Classifier, test classifier.Test) error {
	path := c.String("model")
	const most = time.Minute // nobody holds it for longer than it takes to read and write a model
	lock, err := folderlock.WaitFile(c.Context, atomicfile.Target(path), most)
	if err != nil {
		return err
	}
	defer lock.Release()
	file, err := unchanged(path, m)
	if err != nil {
		return err
	}
	file.Tests = append(file.Tests, test)
	return p.WriteOutput(path, file.Write)
}

// unchanged reads the model file again. It is an error if it has another model than m by now.
func unchanged(path string, m *classifier.Classifier) (*classifier.Classifier, error) {
	file, err := classifier.Load(path)
	if err != nil {
		return nil, err
	}
	tested, err := m.Digest()
	if err != nil {
		return nil, err
	}
	if now, err := file.Digest(); err != nil || now != tested {
		return nil, fmt.Errorf("%s has another model by now", path)
	}
	return file, nil
}
