package failure

import (
	"path/filepath"
	"slices"
	"strings"

	"mcptea/internal/words/phrase"
	"mcptea/session/explain/facts"
)

// words are the message of a peer that an explanation is about.
type words struct {
	text    string
	refusal facts.Refusal
}

// A voice is what the facts say about a message: who wrote it, and how the things that it names relate to what was sent.
type voice struct {
	who    reason
	plain  bool // the page says without it who wrote the message
	things []about
}

// plainParties are the parties that the sentence of an explanation names already.
var plainParties = []facts.Party{facts.PartyProgram, facts.PartyServer, facts.PartyTool}

// An about is what the facts say about things of one kind in one state.
type about struct {
	reason
	kind   facts.ThingKind
	state  facts.State
	place  string
	names  []string
	values []string
}

// maxAbout is the maximum number of kinds of things in a cause.
const maxAbout = 2

// voiceOf returns what the facts say about a message.
func (f Facts) voiceOf(w words) (v voice) {
	a := f.recorded()
	s := f.refused(situation{}, w.refusal)
	v.who, _ = find("who", s)
	all := facts.Things(a, w.text)
	if s.text("party") == string(facts.PartyCode) {
		all = append(all, facts.Places(string(w.refusal.Body))...)
	}
	v.plain = slices.Contains(plainParties, facts.Party(s.text("party")))
	for len(all) > 0 {
		first := all[0]
		alike := func(t facts.Thing) bool {
			return t.Kind == first.Kind && t.State == first.State && t.Place == first.Place && (first.State != facts.Near || t.Value == first.Value)
		}
		var group []facts.Thing
		for _, t := range all {
			if alike(t) {
				group = append(group, t)
			}
		}
		all = slices.DeleteFunc(all, alike)
		if first.State == facts.Elsewhere && s.text("party") == string(facts.PartyLauncher) && first.Kind != facts.ThingVariable {
			continue // of the launcher, which has not started the server
		}
		if first.Kind == facts.ThingName && first.State == facts.Elsewhere && (!f.Connected && f.target.IsStdio() || s.text("party") == string(facts.PartyCode)) {
			continue // a name in the source of the server, or before anything was sent to it
		}
		s["listing"] = ""
		if tool := facts.Listing(a.Request, first, w.text); tool != "" && first.State != facts.Elsewhere {
			s["listing"] = "; the tool " + phrase.Quote(tool, knownName) + " lists what there is"
		}
		if one, ok := aboutThings(s, group); ok {
			v.things = append(v.things, one)
		}
	}
	return v
}

// maxNamed is the maximum number of names in one sentence.
const maxNamed = 4

// aboutThings returns the row for things of one kind in one state.
func aboutThings(s situation, group []facts.Thing) (one about, ok bool) {
	var shown, assigned []string
	for _, t := range group[:min(len(group), maxNamed)] {
		name := phrase.Quote(t.Name, knownName)
		if t.State == facts.Given && t.Value != "" {
			name += " as " + phrase.Quote(t.Value, knownName)
		}
		shown, assigned = append(shown, name), append(assigned, bare(t.Name)+"=VALUE")
		one.names, one.values = append(one.names, t.Name), append(one.values, t.Value)
	}
	first := group[0]
	one.kind, one.state, one.place = first.Kind, first.State, first.Place
	s["thing_kind"], s["thing_state"], s["things"], s["assigned"] = string(first.Kind), string(first.State), listed(shown), strings.Join(assigned, " ")
	s["thing"], s["thing_names"], s["thing_value"], s["thing_place"] = bare(first.Name), listed(one.names), "", escape(first.Place)
	if first.Value != "" {
		s["thing_value"] = phrase.Quote(first.Value, knownName)
	}
	s["thing_relative"] = first.OfCommand && !filepath.IsAbs(first.Name) && !strings.ContainsAny(first.Name, `:\`)
	s["thing_verb"] = "is"
	if len(shown) > 1 {
		s["thing_verb"] = "are"
	}
	one.reason, ok = find("named", s)
	return one, ok
}

// listed returns names in a sentence.
func listed(all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

// voiced returns a candidate with what the facts say about the message. A row that is about this failure keeps its cause. Of a
// general one, only what no fact replaces is kept.
func (f Facts) voiced(c Candidate, w words) Candidate {
	if strings.TrimSpace(w.text) == "" || c.Strength > Reports && !c.Generic {
		return c
	}
	v := f.voiceOf(w)
	general := c.Generic || c.Cause == ""
	said, of := c.Cause, c.subject
	if general && !(v.plain && len(v.things) == 0) {
		said, of, c.Strength, c.Composed, c.hedged = v.who.Cause, v.who.subject, Reports, true, false
	}
	parts, remedy, isUnset := []string{said}, Remedy{}, false
	for _, one := range v.things {
		if len(parts) > maxAbout || one.isSuperfluous(c, general, of, w.text) {
			continue
		}
		parts = append(parts, one.Cause)
		isUnset = isUnset || one.kind == facts.ThingVariable && one.state == facts.Lacking && facts.IsExpansion(w.text, one.names[0])
		if remedy.Text == "" {
			remedy = one.Remedy
		}
	}
	c.Cause = strings.TrimSpace(strings.Join(parts, " "))
	switch {
	case general && v.who.Remedy.Text != "" && (remedy.Text == "" || !v.isSent()):
		c.Remedy, c.Generic = v.who.Remedy, false
	case remedy.Text != "" && (general || c.Remedy.Vague || isUnset):
		c.Remedy, c.Generic = remedy, false
	}
	return c
}

// isSuperfluous reports whether a cause needs no sentence about the things. general says that the cause fits any failure of
// its kind, said is what the page says before, and text is the message.
func (one about) isSuperfluous(c Candidate, general bool, said subject, text string) bool {
	switch {
	case one.Cause == "", one.state == facts.Elsewhere && said.hasAll(one):
		return true
	case general:
		return false
	case said.covers(one):
		return true
	}
	// The row has an action for the variable that it found.
	return c.Remedy.Action != "" && one.kind == facts.ThingVariable && !facts.IsExpansion(text, one.names[0])
}

// isSent reports whether a thing was sent, or could have been.
func (v voice) isSent() bool {
	return slices.ContainsFunc(v.things, func(one about) bool { return one.state != facts.Elsewhere && one.state != facts.Own })
}

// A subject is what a cause is about, by the row that it is from: not by its words. It is comparable.
type subject struct {
	texts string // contents of its holes, a line each
	kinds string // kinds of things that the row names without a hole
}

// has reports whether a hole of the cause contains a text.
func (t subject) has(text string) bool { return text != "" && strings.Contains(t.texts, text) }

// isOf reports whether the row names things of a kind without a hole.
func (t subject) isOf(kind facts.ThingKind) bool {
	return slices.Contains(strings.Fields(t.kinds), string(kind))
}

// hasAll reports whether the cause names all things.
func (t subject) hasAll(one about) bool {
	return t.isOf(one.kind) || !slices.ContainsFunc(one.names, func(name string) bool {
		return !t.has(name) && !(one.kind == facts.ThingAddress && t.has(facts.HostOf(name)))
	})
}

// covers reports whether the cause of a row about the failure leaves nothing to say about the things.
func (t subject) covers(one about) bool {
	switch one.state {
	case facts.Elsewhere:
		return t.texts != "" || one.kind == facts.ThingName || one.kind == facts.ThingPlace || one.kind == facts.ThingFile || t.isOf(one.kind)
	case facts.Own:
		return true
	case facts.Lacking:
		return one.kind != facts.ThingVariable && t.hasAll(one)
	case facts.ValueOf, facts.Near:
		return t.has(one.place)
	}
	return t.isOf(one.kind) || slices.ContainsFunc(one.values, t.has)
}

// voiced is [Facts.voiced] for the first cause of an explanation.
func (e Explanation) voiced(f Facts) Explanation {
	if len(f.changed) > 0 || e.words.text == "" {
		return e
	}
	first := Candidate{}
	if len(e.Causes) > 0 {
		first = e.Causes[0]
	}
	if len(e.Causes) > 1 && !first.Generic {
		return e // two causes are told with may
	}
	if first = f.voiced(first, e.words); first.Cause != "" {
		e.Causes = append([]Candidate{first}, e.Causes[min(1, len(e.Causes)):]...)
	}
	return e
}
