// Package wiremutant changes what a right server sends or gets in one thing, always in the same way, so that tests can
// measure what a checker names. Each change is data: an [Edit] has an operator, the kind of message it applies to, and
// a place in it. The package serves over stdio and over HTTP; a mutant without edits is transparent.
package wiremutant

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
)

// Sides of an edit: who sends the messages that it changes.
const (
	FromServer = "" // the zero value
	FromClient = "client"
)

// An Edit changes the messages of a kind.
type Edit struct {
	Op string `json:"op"` // a name in members, messages or responses
	// On is the method of a request or notification, "result:METHOD" or "error:METHOD" of a response, "http:METHOD"
	// of an HTTP response. It may end in *.
	On   string          `json:"on"`
	At   string          `json:"at,omitempty"` // JSON pointer, * for each element; only operators of members have one
	Arg  json.RawMessage `json:"arg,omitempty"`
	Side string          `json:"side,omitempty"`
	From int             `json:"from,omitempty"` // the first message that is changed, from 1; 0 is 1
	Conn int             `json:"conn,omitempty"` // the first connection over stdio that is changed, from 1; 0 is 1
}

// String returns the edit in a line.
func (e Edit) String() string {
	text := strings.Join(strings.Fields(e.Side+" "+e.Op+" "+e.On+" "+e.At+" "+string(e.Arg)), " ")
	if e.From > 0 {
		text += fmt.Sprintf(" from message %d", e.From)
	}
	if e.Conn > 0 {
		text += fmt.Sprintf(" from connection %d", e.Conn)
	}
	return text
}

// appliesTo reports whether the edit is for messages of a kind.
func (e Edit) appliesTo(kind string) bool {
	if start, ok := strings.CutSuffix(e.On, "*"); ok {
		return strings.HasPrefix(kind, start)
	}
	return e.On == kind
}

// Class is what a mutant is by the specification.
type Class string

// Classes of mutants.
const (
	Violation     Class = "violation"
	Allowed       Class = "allowed"
	NotObservable Class = "not observable" // nothing that a client sees tells it from a right server
)

// A Mutant is a correct server of the test world whose messages are changed by edits.
type Mutant struct {
	ID    string `json:"id"`
	World string `json:"world"`
	Edits []Edit `json:"edits"`
	Class Class  `json:"class"`
	Spec  string `json:"spec,omitempty"` // the sentence that a violation breaks
	// Want are patterns of "PROBE RULE MESSAGE": one of the findings matches one of them.
	Want []string `json:"want,omitempty"`
	// Never is a pattern of findings that are false for the mutant, although it is a violation, or "".
	Never string `json:"never,omitempty"`
}

// String returns the id and the edits.
func (m Mutant) String() string {
	all := make([]string, len(m.Edits))
	for i, e := range m.Edits {
		all[i] = e.String()
	}
	return m.ID + " " + strings.Join(all, " + ")
}

// Operator returns the name of the operator of the mutant. What the server does not get is ignored.
func (m Mutant) Operator() string {
	if m.Edits[0].Side == FromClient {
		return "ignored: " + m.Edits[0].Op
	}
	return m.Edits[len(m.Edits)-1].Op
}

// Read returns the mutants of a file of JSON lines, by their worlds.
func Read(path string) (map[string][]Mutant, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	of := map[string][]Mutant{}
	for line := range bytes.Lines(text) {
		var m Mutant
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := errors.Join(d.Decode(&m), m.check()); err != nil {
			return nil, fmt.Errorf("%w: %s", err, line)
		}
		of[m.World] = append(of[m.World], m)
	}
	return of, nil
}

// check returns an error if an edit has an unknown operator.
func (m Mutant) check() error {
	for _, e := range m.Edits {
		if members[e.Op] == nil && messages[e.Op] == nil && responses[e.Op] == nil && requests[e.Op] == nil && checks[e.Op] == nil {
			return fmt.Errorf("%s: no operator %s", m.ID, e.Op)
		}
	}
	return nil
}
