package pins

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"

	"mcptea/internal/system"
	"mcptea/session/state"
)

// A Question asks for consent to send pins that use data from outside of their file, or that
// run after each restart and may change something. The file may have been written by others.
type Question struct {
	Path string // path of the file
	// Pins are all of these.
	Pins      []Pin
	agreement agreement
	waiting   []string // names of the pins that were to run
}

// agreement stands for the path of a file of pins, and all that its requests take from outside: a hash in
// hexadecimal digits; or empty if they take nothing from outside.
type agreement string

// needsAgreement reports that the user must agree before the pin is sent. One that was chosen
// is sent once; that it runs after each restart does not count then.
func (one *pin) needsAgreement(chosen bool) bool {
	return !one.Outside.Empty() || one.Repeated && !chosen
}

// agreement returns what the user must agree to. The caller holds the lock.
func (p *Pins) agreement() agreement {
	path, err := filepath.Abs(p.path)
	if err != nil {
		path = p.path
	}
	h, needed := sha256.New(), false
	_, _ = h.Write([]byte(path))
	for _, one := range p.pins {
		if one.needsAgreement(false) {
			needed = true
			_, _ = h.Write(one.Outside.Hash[:])
			if one.Repeated {
				_, _ = h.Write([]byte("after each restart"))
			}
		}
	}
	if !needed {
		return ""
	}
	return agreement(hex.EncodeToString(h.Sum(nil)))
}

// hasAgreed reports whether the user has agreed to the data that the pins use from outside. It reads a file.
func (p *Pins) hasAgreed() bool {
	p.mu.Lock()
	a := p.agreement()
	known := a == "" || p.agreed == a
	p.mu.Unlock()
	return known || a.isKept()
}

// keepAgreement stores that the user agrees to the data that the pins now use from outside.
func (p *Pins) keepAgreement() error {
	p.mu.Lock()
	a := p.agreement()
	p.agreed = a
	p.mu.Unlock()
	if a == "" {
		return nil
	}
	return a.keep()
}

// ask asks the user about pins, unless the user has declined the same requests. If the user runs the pins, it
// always asks. The caller holds the lock.
func (p *Pins) ask(pins []Pin, byUser bool) {
	a := p.agreement()
	if len(pins) == 0 || !byUser && p.declined == a {
		return
	}
	q := &Question{Path: p.path, agreement: a}
	for _, one := range pins {
		q.waiting = append(q.waiting, one.Name)
	}
	for _, one := range p.pins {
		if one.needsAgreement(false) {
			q.Pins = append(q.Pins, one.Pin)
		}
	}
	p.question = q
}

// Question returns the question that the user must answer, or nil.
func (p *Pins) Question() *Question {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.question
}

// Decide records the user's decision about a question. If the user agrees, the pins run that were
// waiting for it. The decision is remembered until the values that the pins take from outside
// change. Decide writes a file. An error of the file matters only for the next session.
func (p *Pins) Decide(q *Question, agreed bool) error {
	p.mu.Lock()
	current := p.question == q
	if current {
		p.question = nil
	}
	switch {
	case !agreed:
		p.declined = q.agreement
	case current: // otherwise the file has changed, and there is a new question
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

// agreements returns the file of the agreements of the user.
func agreements() (*state.Agreed, error) {
	dir, err := system.StateDir()
	if err != nil {
		return nil, fmt.Errorf("cannot remember the agreement: %w", err)
	}
	return state.NewAgreed(filepath.Join(dir, "agreed-pins")), nil
}

// isKept reports whether an agreement is in the file.
func (a agreement) isKept() bool {
	file, err := agreements()
	return err == nil && file.Has(string(a))
}

// keep adds an agreement to the file.
func (a agreement) keep() error {
	file, err := agreements()
	if err != nil {
		return err
	}
	return file.Add(string(a))
}
