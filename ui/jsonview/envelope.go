package jsonview

import (
	"bytes"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/ui/paint"
)

// The envelope of a message is its uninformative part: brackets, "jsonrpc", "id" and "method". It is a single
// gray line that unfolds. An envelope with something unusual, marked or searched for has separate lines.

// An envelope is the folded envelope of a document. A document that is shown in full has none.
type envelope struct {
	lines []int  // hidden lines, from top to bottom
	text  string // shown instead
	open  bool   // unfolded by the user
}

// FoldEnvelope folds the envelope of the document, if that is as the specification has it: "jsonrpc" is "2.0", an id is a
// string or a number, a method a string, and no member is there twice (Messages, in each revision).
func (v *View) FoldEnvelope() {
	d := v.doc
	if d.Len() < 3 || d.err != nil || !d.isOpen(0) || d.last(0) != d.Len()-1 {
		return
	}
	env := envelope{}
	seen := map[string]bool{}
	for l := range d.values(0) {
		start, end := d.key(l)
		raw := d.raw[start:end]
		name, ok := jsonrpc.Unquote(raw)
		if !ok || seen[name] || len(seen) == maxMembers || bytes.IndexByte(raw, '\\') >= 0 {
			return
		}
		seen[name] = true
		switch text, of, right := envelopeWord(name, d.Value(l)); {
		case of && !right:
			return
		case of:
			env.text += text
			env.lines = append(env.lines, l)
		}
	}
	if !seen["jsonrpc"] {
		return
	}
	env.lines = append(env.lines, d.Len()-1)
	v.envelope = &env
	if n := v.next(0); n > 0 {
		v.cursor = n
	}
}

// envelopeWord returns the text of a member in the line of an envelope. of reports whether the member belongs to the
// envelope, and right whether its value is as the specification requires.
func envelopeWord(name string, value []byte) (text string, of, right bool) {
	_, isText := jsonrpc.Unquote(value)
	switch name {
	case "jsonrpc":
		return "jsonrpc 2.0  ", true, jsonrpc.IsText(value, "2.0")
	case "id":
		isNumber := value[0] == '-' || value[0] >= '0' && value[0] <= '9'
		return "id " + display.Head(string(value), maxEnvelopeID) + "  ", true, isText || isNumber
	case "method":
		return "", true, isText // the title of the frame has it
	}
	return "", false, true
}

// maxEnvelopeID is the number of bytes of an id in the line of an envelope.
const maxEnvelopeID = 40

// maxMembers is the maximum number of members of a message whose envelope folds.
const maxMembers = 8

// enveloped reports whether the envelope is folded to one line.
func (v *View) enveloped() bool {
	env := v.envelope
	if env == nil || env.open || len(v.query.text) > 0 || v.isFolded(0) {
		return false
	}
	return !slices.ContainsFunc(env.lines, func(l int) bool { _, marked := v.marks[l]; return marked })
}

// isHidden reports a line of an envelope that is one line.
func (v *View) isHidden(l int) bool {
	return v.envelope != nil && v.enveloped() && slices.Contains(v.envelope.lines, l)
}

// toggleEnvelope unfolds the envelope or folds it, and reports whether the cursor was on it.
func (v *View) toggleEnvelope() bool {
	if v.cursor != 0 || v.envelope == nil || v.isFolded(0) {
		return false
	}
	v.envelope.open = !v.envelope.open
	return true
}

// envelopeRow writes the line of the envelope.
func (v *View) envelopeRow(r *paint.Row, p *paint.Palette) {
	r.To(1)
	r.Sign(p.Muted, p.Folded)
	r.To(1 + indent)
	r.Put(p.Faint, display.Sanitize(v.envelope.text))
	for _, l := range v.envelope.lines {
		if note, ok := v.notes[l]; ok {
			aside(r, p.Muted, note)
		}
	}
}
