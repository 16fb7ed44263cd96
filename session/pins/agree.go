package pins

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"mcptea/session"
	"mcptea/session/atomicfile"
)

// Question asks the user whether pins may be sent that take something from outside of
// their file: the file may have come with those of others.
type Question struct {
	Path string // of the file
	// Pins are all that take something from outside.
	Pins      []Pin
	agreement agreement
	waiting   []string // names of the pins that were to run
}

// agreement stands for the path of a file of pins, and all that its requests take from
// outside.
type agreement [sha256.Size]byte

// maxAgreements bounds the agreements that are kept; the oldest are forgotten.
const maxAgreements = 1000

// agreement returns what the user has to agree to; false if nothing is from outside. The
// caller holds the lock.
func (p *Pins) agreement() (a agreement, needed bool) {
	path, err := filepath.Abs(p.path)
	if err != nil {
		path = p.path
	}
	h := sha256.New()
	_, _ = h.Write([]byte(path))
	for _, one := range p.pins {
		if !one.Outside.Empty() {
			needed = true
			_, _ = h.Write(one.Outside.Hash[:])
		}
	}
	h.Sum(a[:0])
	return a, needed
}

// hasAgreed reports whether the user has agreed to what the pins take from outside. It
// reads a file.
func (p *Pins) hasAgreed() bool {
	p.mu.Lock()
	a, needed := p.agreement()
	known := p.agreed == a
	p.mu.Unlock()
	if !needed || known {
		return true
	}
	kept, err := readAgreements()
	return err == nil && slices.Contains(kept, hex.EncodeToString(a[:]))
}

// keepAgreement keeps that the user agrees to what the pins take from outside now.
func (p *Pins) keepAgreement() error {
	p.mu.Lock()
	a, needed := p.agreement()
	p.agreed = a
	p.mu.Unlock()
	if !needed {
		return nil
	}
	return a.keep()
}

// ask has the user asked about pins, unless the user has declined; always if they were
// chosen. The caller holds the lock.
func (p *Pins) ask(pins []Pin, chosen bool) {
	a, _ := p.agreement()
	if len(pins) == 0 || !chosen && p.declined == a {
		return
	}
	q := &Question{Path: p.path, agreement: a}
	for _, one := range pins {
		q.waiting = append(q.waiting, one.Name)
	}
	for _, one := range p.pins {
		if !one.Outside.Empty() {
			q.Pins = append(q.Pins, one.Pin)
		}
	}
	p.question = q
}

// Question returns what the user has to be asked; nil without that.
func (p *Pins) Question() *Question {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.question
}

// Decide takes the decision about a question. The pins that were to run do, if the user
// agrees; that is remembered until what they take from outside changes. It writes a file;
// an error of that is for the next session.
func (p *Pins) Decide(q *Question, agreed bool) error {
	p.mu.Lock()
	current := p.question == q
	if current {
		p.question = nil
	}
	switch {
	case !agreed:
		p.declined = q.agreement
	case current: // else the file has changed, and the question is another one
		p.agreed = q.agreement
	}
	p.changed()
	p.mu.Unlock()
	if !agreed || !current {
		return nil
	}
	p.Run(q.waiting...)
	return q.agreement.keep()
}

// agreementsFile is the file of the agreements: a hash on each line, the newest last.
func agreementsFile() (string, error) {
	dir, err := session.StateDir()
	return filepath.Join(dir, "agreed-pins"), err
}

func readAgreements() ([]string, error) {
	path, err := agreementsFile()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var kept []string
	for line := range bytes.Lines(text) {
		kept = append(kept, string(bytes.TrimSpace(line)))
	}
	return kept, nil
}

// keep adds an agreement to the file, with mode 0600.
func (a agreement) keep() error {
	path, err := agreementsFile()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	var unlock func()
	if err == nil {
		unlock, err = atomicfile.Lock(path + ".lock")
	}
	if err != nil {
		return fmt.Errorf("cannot remember the agreement: %w", err)
	}
	defer unlock()
	kept, err := readAgreements()
	if err != nil {
		return fmt.Errorf("cannot remember the agreement: %w", err)
	}
	text := hex.EncodeToString(a[:])
	kept = append(slices.DeleteFunc(kept, func(other string) bool { return other == text }), text)
	var b bytes.Buffer
	for _, line := range kept[max(0, len(kept)-maxAgreements):] {
		b.WriteString(line + "\n")
	}
	if err := atomicfile.WriteBytes(path, b.Bytes()); err != nil {
		return fmt.Errorf("cannot remember the agreement: %w", err)
	}
	return nil
}
