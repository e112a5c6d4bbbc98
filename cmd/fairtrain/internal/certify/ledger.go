package certify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fairtrain/fairtrain/classifier"
	"github.com/fairtrain/fairtrain/cmd/fairtrain/internal/command"
	"github.com/fairtrain/fairtrain/guarantee"
	"github.com/fairtrain/fairtrain/ledger"
)

// holdoutTest is a test that is to be done, once, and remembered.
type holdoutTest struct {
	testOptions
	rows         *certifiedRows
	requirements []guarantee.Requirement
	evidence     guarantee.Rows
	inModel      []classifier.Test // that the model file has
	training     []ledger.Entry    // to be entered before the test
}

// patience is how long to wait for another test, which takes seconds.
const patience = 5 * time.Minute

// do does the test and enters it in the ledger. Nobody else does so at the same time: others may
// have tested the rows while these were read, or a model trained, so it is only now known how often
// they were tested. It returns the test as a model file has it. A test that can't be remembered has
// no outcome.
func (s *holdoutTest) do(ctx context.Context, r *guarantee.Certificate) (classifier.Test, error) {
	release, err := s.ledger.Lock(ctx, patience)
	if err != nil {
		return classifier.Test{}, unrecorded(err)
	}
	defer release()
	if r.EarlierTests, err = s.earlier(); err != nil {
		return classifier.Test{}, err
	}
	r.TestedAt = ledger.Confidence(s.confidence, r.EarlierTests)
	if err := test(ctx, r, s.requirements, s.evidence, s.confidence); err != nil {
		return classifier.Test{}, err
	}
	return s.record(r)
}

// record enters the test in the ledger.
func (s *holdoutTest) record(r *guarantee.Certificate) (classifier.Test, error) {
	now := time.Now().UTC()
	entry := ledger.Entry{
		Time: now, Use: ledger.Testing, Name: s.rows.data.Name, SHA256: s.rows.data.Hash, Rows: s.rows.views, Features: s.rows.features,
		Confidence: r.TestedAt, Holds: r.Holds,
	}
	for _, v := range r.Requirements {
		entry.Requirements = append(entry.Requirements, v.Name())
	}
	for _, e := range append(slices.Clone(s.training), entry) {
		if err := s.ledger.Add(e); err != nil {
			return classifier.Test{}, unrecorded(err)
		}
	}
	return classifier.Test{
		Time: now.Format(time.RFC3339Nano), Data: classifier.DataName(entry.Name), Fingerprint: s.rows.views[0].Fingerprint(), Rows: r.Rows,
		Requirements: entry.Requirements, Confidence: r.TestedAt, Holds: r.Holds,
	}, nil
}

// unrecorded is the error of a test that can't be remembered.
func unrecorded(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return command.Advise(fmt.Errorf("the test can't be remembered, so it has no outcome: %w", err),
		"--ledger DIR names another folder")
}

// earlier returns how many tests the rows have had, or refuses them.
func (s *holdoutTest) earlier() (int, error) {
	rows := s.rows
	earlier, err := s.ledger.Earlier(ledger.Testing, rows.views, rows.features)
	if err != nil {
		return 0, command.Advise(err, "--ledger DIR names another folder")
	}
	count := len(earlier)
	inLedger := map[string]bool{}
	for _, e := range earlier {
		inLedger[e.Time.Format(time.RFC3339Nano)] = true
	}
	for _, t := range s.inModel {
		if t.Fingerprint == rows.views[0].Fingerprint() && !inLedger[t.Time] {
			count++ // with another ledger
		}
	}
	const leastError = 1e-12 // so that 1 − confidence is known to some digits
	switch {
	case count == 0:
		return 0, nil
	case s.reuse && 1-ledger.Confidence(s.confidence, count) < leastError:
		return 0, command.Advise(fmt.Errorf("%s: these rows have had %d tests, and another one would have to err with a probability below %g", rows.data.Name, count, leastError),
			"other rows are needed, which had no part in training or in a test")
	case s.reuse:
		return count, nil
	}
	last := "as the model file says"
	if len(earlier) > 0 {
		e := earlier[len(earlier)-1]
		share, _ := e.Shares(rows.views, rows.features)
		last = fmt.Sprintf("about %.0f %% of them, as %s on %s, for %s: %s", 100*share, e.Name,
			e.Time.Format("2006-01-02"),
			strings.Join(e.Requirements, " and "), map[bool]string{true: "guaranteed", false: "not guaranteed"}[e.Holds])
	}
	return 0, command.Advise(fmt.Errorf("%s: these rows were tested before (%s)", rows.data.Name, last),
		"rows that had a part in choosing a model can't judge it: other rows are needed",
		"--reuse tests them again at a higher confidence")
}

// testModel does the test of a model, and adds it to the model file. Since the model was read, others
// may have added tests, which stay and count, or written another model, which was not tested.
func (p program) testModel(ctx context.Context, m *classifier.Classifier, s *holdoutTest, r *Certification) error {
	if file, err := unchanged(r.Model, m); err == nil {
		s.inModel = file.Tests
	}
	test, err := s.do(ctx, &r.Certificate)
	if err != nil || r.Model == "-" {
		return err
	}
	file, err := unchanged(r.Model, m)
	if err == nil {
		file.Tests = append(file.Tests, test)
		err = p.WriteOutput(r.Model, file.Write)
	}
	if err != nil {
		p.Remark("the test is in the ledger, but not in the model file: %v", err)
	}
	return nil
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
