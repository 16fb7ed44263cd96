package wiremutant

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
)

// A Transition is a fault in what a server remembers: it forgets, repeats, mixes or loses something. Its mutants have the
// fault at some moments of the history of a connection only.
type Transition struct {
	Area string `json:"area"` // sessions, subscriptions, pages, progress, tasks, elicitation or events
	Kind string `json:"kind"` // what the server does wrong
	Mutant
	Moments []string `json:"moments"` // names in moments
}

// moments maps the names of moments to the members of the edits that restrict them.
var moments = map[string]Edit{
	"always": {},
	"second": {From: 2},
	"third":  {From: 3},
	"fourth": {From: 4},
	"once":   {From: 2, To: 2},
	"conn":   {Conn: 2},
	"again":  {When: "again"},
	"busy":   {When: "busy"},
}

// ReadTransitions returns the transitions in a file of JSON lines.
func ReadTransitions(path string) (all []Transition, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		var t Transition
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := errors.Join(d.Decode(&t), t.check()); err != nil {
			return nil, fmt.Errorf("%w: %s", err, line)
		}
		for _, name := range t.Moments {
			if _, ok := moments[name]; !ok {
				return nil, fmt.Errorf("no moment %s: %s", name, line)
			}
		}
		all = append(all, t)
	}
	return all, nil
}

// at returns the mutant of the transition that has the fault at a moment.
func (t Transition) at(name string) Mutant {
	m, at := t.Mutant, moments[name]
	m.ID += "-" + name
	m.Edits = nil
	for _, e := range t.Edits {
		e.From, e.To, e.Conn, e.When = at.From, at.To, at.Conn, at.When
		m.Edits = append(m.Edits, e)
	}
	return m
}

// Transitions returns up to n mutants of a world. The seed determines the choice: one mutant of each area and kind before a
// second.
func Transitions(world string, rows []Transition, seed uint64, n int) (chosen []Mutant) {
	of := map[string][]Mutant{}
	var groups []string
	for _, t := range rows {
		if t.World != world {
			continue
		}
		group := t.Area + " " + t.Kind
		if of[group] == nil {
			groups = append(groups, group)
		}
		for _, name := range t.Moments {
			of[group] = append(of[group], t.at(name))
		}
	}
	random := rand.New(rand.NewPCG(seed, 4))
	random.Shuffle(len(groups), func(i, k int) { groups[i], groups[k] = groups[k], groups[i] })
	for _, group := range groups {
		all := of[group]
		random.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	}
	for round, more := 0, true; more && len(chosen) < n; round++ {
		more = false
		for _, group := range groups {
			if all := of[group]; round < len(all) && len(chosen) < n {
				chosen, more = append(chosen, all[round]), true
			}
		}
	}
	return chosen
}
