// Package wiremutant changes one thing in the messages of a correct server, always in the same way, so that
// tests can measure what a checker reports. Each change is data: an [Edit] has an operator, a kind of message
// and a place in the message. The package serves over stdio and HTTP; a mutant without edits changes nothing.
package wiremutant

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Sides of an edit: the sender of the messages that it changes.
const (
	FromServer = "" // the zero value
	FromClient = "client"
)

// An Edit changes the messages of a kind.
type Edit struct {
	Op string `json:"op"` // name of an operator in members, messages or responses
	// On is the method of a request or notification, "result:METHOD" or "error:METHOD" for a response,
	// "http:METHOD" for an HTTP response. It may end in *.
	On   string          `json:"on"`
	At   string          `json:"at,omitempty"` // JSON Pointer, * for each element; only for operators of members
	Arg  json.RawMessage `json:"arg,omitempty"`
	Side string          `json:"side,omitempty"`
	From int             `json:"from,omitempty"` // number of the first message that is changed, from 1; 0 means 1
	To   int             `json:"to,omitempty"`   // number of the last message that is changed; 0 means all
	Conn int             `json:"conn,omitempty"` // number of the first connection over stdio that is changed, from 1; 0 means 1
	// When restricts the edit to a moment in the history of the connection: "again" if the client has sent the
	// same request before, "busy" if a different request is pending, "after KIND" if a message of that kind has
	// passed, or "" for always.
	When string `json:"when,omitempty"`
}

// String returns the edit in one line.
func (e Edit) String() string {
	text := strings.Join(strings.Fields(e.Side+" "+e.Op+" "+e.On+" "+e.At+" "+string(e.Arg)), " ")
	if e.From > 0 {
		text += fmt.Sprintf(" from message %d", e.From)
	}
	if e.To > 0 {
		text += fmt.Sprintf(" to message %d", e.To)
	}
	if e.Conn > 0 {
		text += fmt.Sprintf(" from connection %d", e.Conn)
	}
	if e.When != "" {
		text += " when " + e.When
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

// A Class is the class of a mutant by the specification.
type Class string

// Classes of mutants.
const (
	Violation     Class = "violation"
	Allowed       Class = "allowed"
	NotObservable Class = "not observable" // a client cannot distinguish it from a correct server
)

// A Mutant is a correct server of the test world whose messages are changed by edits.
type Mutant struct {
	ID    string `json:"id"`
	World string `json:"world"`
	Edits []Edit `json:"edits"`
	Class Class  `json:"class"`
	Spec  string `json:"spec,omitempty"` // sentence of the specification that a violation breaks
	// Want holds patterns of "PROBE RULE MESSAGE". At least one finding must match one of them.
	Want []string `json:"want,omitempty"`
	// Never is a pattern of findings that are false although the mutant is a violation, or "".
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

// Operator returns the name of the operator of the mutant. Edits of requests to the server do not count.
func (m Mutant) Operator() string {
	if m.Edits[0].Side == FromClient {
		return "ignored: " + m.Edits[0].Op
	}
	return m.Edits[len(m.Edits)-1].Op
}

// Read returns the mutants in a file of JSON lines, by world.
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

// check returns an error if an edit has an unknown operator or moment.
func (m Mutant) check() error {
	for _, e := range m.Edits {
		if histories[e.Op] == nil && members[e.Op] == nil && messages[e.Op] == nil && responses[e.Op] == nil && requests[e.Op] == nil && checks[e.Op] == nil {
			return fmt.Errorf("%s: no operator %s", m.ID, e.Op)
		}
		if when, _, _ := strings.Cut(e.When, " "); !slices.Contains([]string{"", "again", "busy", "after"}, when) {
			return fmt.Errorf("%s: no moment %s", m.ID, e.When)
		}
	}
	return nil
}
