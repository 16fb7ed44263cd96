package composer

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema/variables"
	"mcptea/offer/compose"
)

// idKind is the origin of the id of the frame.
type idKind uint8

const (
	idAuto  idKind = iota
	idGiven        // the typed id
	idNull
	idUsed // an id that was used before
	idNone // no id: the frame is a notification
	idKinds
)

// maxFollowed is the size of params up to which their members are checked, and the frame is assembled, at each
// key. Larger ones are checked when they are sent.
const maxFollowed = 64 << 10

// followed reports whether the draft is small enough for that.
func (p *Pane) followed() bool { return p.params.Size() <= maxFollowed }

// A seen holds data computed from the draft.
type seen struct {
	bytes, meta []byte   // as sent, and the _meta that is filled in; nil for a large frame
	warnings    []string // warnings that are found quickly
}

// analyze returns the analysis of the draft. Values of variables that look like secrets are masked.
func (p *Pane) analyze() *seen {
	s := &seen{warnings: p.warningsOf(p.followed())}
	if p.followed() {
		s.meta, s.bytes = p.filledMeta(), p.assemble(p.sentID(), p.malformed, p.masked())
	}
	return s
}

// warningsOf checks the draft; whole reports whether the members of the params are checked, too.
func (p *Pane) warningsOf(whole bool) []string {
	problem := p.params.Sentence()
	if p.raw {
		switch {
		case problem != "":
			return []string{problem}
		case whole && strings.Contains(strings.TrimSuffix(p.params.Value(), "\n"), "\n") && p.isStdio():
			return []string{"A newline ends a message on stdio: the server reads several"}
		}
		return nil
	}
	params := compose.Params{Text: p.params.Start(), Problem: problem, Whole: whole}
	if !whole {
		return compose.Warnings(p.method.Value(), params, p.tick.State.Handshake)
	}
	params.Text, params.Filled = p.params.Value(), len(p.filledMeta()) > 0
	found := compose.Warnings(p.method.Value(), params, p.tick.State.Handshake)
	if _, err := expand([]byte(params.Text), p.Variables); err != nil {
		found = append([]string{err.Error()}, found...)
	}
	return found
}

func (p *Pane) isStdio() bool { return p.session.Transport() == "stdio" }

// idToken reads an id that was typed: a JSON value unchanged, anything else
// as a string.
func idToken(text string) jsonrpc.ID {
	text = strings.TrimSpace(text)
	if id, ok := jsonrpc.ParseID(text); ok {
		return id
	}
	return jsonrpc.StringID(text)
}

// oneLine removes the line breaks from params, because a line break ends a frame on stdio. JSON loses only
// white space.
func oneLine(text string) []byte {
	return bytes.ReplaceAll(jsonrpc.Compact(bytes.TrimSpace([]byte(text))), []byte("\n"), []byte(" "))
}

// oneLine returns the params as written, on one line.
func (p *Pane) oneLine() []byte { return oneLine(p.params.Value()) }

// expand replaces the variables in the strings of params. Without a lookup, it returns them unchanged. The same
// applies to params that are not JSON, and to variables without a value, which the error names.
func expand(params []byte, lookup variables.Lookup) ([]byte, error) {
	switch {
	case !hasVariables(params) || !json.Valid(params):
		return params, nil
	case lookup == nil:
		return variables.Plain(params), nil
	}
	return variables.ExpandJSON(params, lookup)
}

// hasVariables reports whether a text may have variables.
func hasVariables(text []byte) bool { return bytes.Contains(text, []byte("{{")) }

// masked returns the lookup of variables for display, or nil if there are no variables.
func (p *Pane) masked() variables.Lookup {
	if p.Variables == nil {
		return nil
	}
	return variables.Masked(p.Variables)
}

// autoID returns the id of the next request, or the zero ID without a connection. The id is reserved when it is
// first shown.
func (p *Pane) autoID() jsonrpc.ID {
	if !p.reserved.Present() {
		p.reserved, _ = p.session.NextID()
	}
	return p.reserved
}

// sentID returns the kind of id of the frame. A notification has no id unless the user sets one.
func (p *Pane) sentID() idKind {
	if p.idKind == idAuto && !p.raw && strings.HasPrefix(p.method.Value(), "notifications/") {
		return idNone
	}
	return p.idKind
}

// idOf returns the id of a frame, or an empty one for a notification.
func (p *Pane) idOf(kind idKind) jsonrpc.ID {
	switch kind {
	case idGiven:
		return idToken(p.id.Value())
	case idNull:
		return jsonrpc.IDOf("null")
	case idNone:
		return jsonrpc.ID{}
	case idUsed:
		return p.lastID
	}
	if id := p.autoID(); id.Present() {
		return id
	}
	return jsonrpc.IDOf("1")
}

// assemble returns the bytes of the frame, with the values of variables. In raw mode
// these are the text. malformed is the index of a malformation plus one.
func (p *Pane) assemble(kind idKind, malformed int, lookup variables.Lookup) []byte {
	return p.builder(kind, malformed, lookup)(p.idOf(idAuto))
}

// builder returns a function that assembles the current draft, with a different id each time. It may be called
// on another goroutine.
//
// A request gets the _meta that the session would send: what 2026-07-28 requires of every request (basic,
// "_meta"), and a progress token. Params that have a _meta, and notifications, stay unchanged.
func (p *Pane) builder(kind idKind, malformed int, lookup variables.Lookup) func(id jsonrpc.ID) []byte {
	value := sync.OnceValue(p.params.Snapshot())
	if p.raw {
		return func(jsonrpc.ID) []byte { return []byte(value()) }
	}
	params := sync.OnceValue(func() []byte { return oneLine(value()) })
	if !p.isLarge() {
		now, _ := expand(p.oneLine(), lookup) // the values belong to this goroutine
		params = func() []byte { return now }
	}
	method, s, noMeta, fixed := p.method.Value(), p.session, p.noMeta, jsonrpc.ID{}
	if kind != idAuto {
		fixed = p.idOf(kind)
	}
	return func(id jsonrpc.ID) []byte {
		token, filled := id, params()
		if kind != idAuto {
			id = fixed
		}
		if t := jsonrpc.TypeOfID(id.Bytes()); t == jsonrpc.IDString || t == jsonrpc.IDInteger {
			token = id
		}
		if id.Present() && !noMeta && !hasMeta(filled) {
			if with, err := s.RequestParams(token, method, filled); err == nil { // otherwise the protocol version is unknown
				filled = with
			}
		}
		frame := jsonrpc.EncodeRequest(id, method, filled)
		if malformed > 0 {
			frame = jsonrpc.Mutations()[malformed-1].Apply(frame)
		}
		return frame
	}
}

func hasMeta(params []byte) bool {
	_, ok := jsonrpc.Start(params, "_meta")
	return ok
}

// filledMeta returns the _meta that is filled in when the draft is sent, or nil.
func (p *Pane) filledMeta() []byte {
	if p.raw || hasMeta(p.oneLine()) {
		return nil
	}
	return jsonrpc.Get(p.assemble(p.sentID(), 0, nil), "params", "_meta")
}

func (p *Pane) toggleMeta() {
	if hasMeta([]byte(p.params.Head(maxForm))) {
		p.app.Say("The params have a _meta, which is sent unchanged.")
		return
	}
	p.noMeta = !p.noMeta
}

// withoutFilledMeta returns the params of a recorded request without its _meta, if that equals the
// _meta that would be filled in. Progress tokens do not count. noMeta reports whether the request
// has no _meta and would get one.
func (p *Pane) withoutFilledMeta(method string, params []byte) (rest []byte, noMeta bool) {
	meta, has := jsonrpc.Member(params, "_meta")
	rest = params
	if has {
		rest = jsonrpc.Without(params, "_meta")
	}
	filled, err := p.session.RequestParams(jsonrpc.IDOf("1"), method, rest)
	if err != nil {
		return params, false
	}
	ours, fills := jsonrpc.Member(filled, "_meta")
	switch {
	case !has:
		return params, fills
	case fills && sameMeta(meta, ours):
		return rest, false
	}
	return params, false
}

func sameMeta(a, b []byte) bool {
	n := 0
	members := jsonrpc.MemberIndex(b)
	for name, value := range jsonrpc.Members(a) {
		other, ok := members[string(name)]
		if !ok || string(name) != "progressToken" && !jsonrpc.Equal(value, other) {
			return false
		}
		n++
	}
	return n == jsonrpc.Count(b)
}
