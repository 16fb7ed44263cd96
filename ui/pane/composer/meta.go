package composer

import (
	"bytes"

	"mcptea/client/jsonrpc"
	"mcptea/internal/phrase"
	"mcptea/ui/action"
	"mcptea/ui/paint"
)

// withMeta adds the _meta with which the session would send a request: what
// 2026-07-28 requires of every request (basic, "_meta"), and a progress token. Params
// that have a _meta, and notifications, stay as they are.
func (p *Pane) withMeta(id jsonrpc.ID, method string, params []byte) []byte {
	if id == "" || p.noMeta || p.session == nil || hasMeta(params) {
		return params
	}
	filled, err := p.session.RequestParams(p.tokenFor(id), method, params)
	if err != nil {
		return params // not connected: the revision is not known
	}
	return filled
}

// tokenFor is the progress token of a request: its id, if that can be a token.
func (p *Pane) tokenFor(id jsonrpc.ID) jsonrpc.ID {
	switch jsonrpc.TypeOfID([]byte(id)) {
	case jsonrpc.IDString, jsonrpc.IDInteger:
		return id
	}
	if auto := p.autoID(); auto != "" {
		return auto
	}
	return "1"
}

func hasMeta(params []byte) bool {
	_, ok := jsonrpc.Start(params, "_meta")
	return ok
}

// filledMeta is the _meta that is filled in when the draft is sent; nil when none is.
func (p *Pane) filledMeta() []byte {
	if p.raw {
		return nil
	}
	params := p.oneLine()
	if hasMeta(params) {
		return nil
	}
	meta, _ := jsonrpc.Member(p.withMeta(p.idOf(p.idKind), p.method.Value(), params), "_meta")
	return meta
}

func (p *Pane) toggleMeta() action.Action {
	switch {
	case p.raw:
		return action.Flash{Text: "In raw mode nothing is filled in"}
	case hasMeta([]byte(p.params.Buffer().Head(maxForm))):
		return action.Flash{Text: "The params have a _meta, which is sent as it is written"}
	}
	p.noMeta = !p.noMeta
	return nil
}

// withoutFilledMeta returns the params of a recorded request without its _meta when
// that is the one that is filled in, whatever its progress token; noMeta reports that
// the request has none and would get one.
func (p *Pane) withoutFilledMeta(method string, params []byte) (rest []byte, noMeta bool) {
	if p.session == nil {
		return params, false
	}
	meta, has := jsonrpc.Member(params, "_meta")
	if has {
		rest = jsonrpc.Without(params, "_meta")
	} else {
		rest = params
	}
	filled, err := p.session.RequestParams("1", method, rest)
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
	for name, value := range jsonrpc.Members(a) {
		other, ok := jsonrpc.Member(b, string(name))
		if !ok || string(name) != "progressToken" && !bytes.Equal(value, other) {
			return false
		}
		n++
	}
	return n == countMembers(b)
}

func countMembers(object []byte) (n int) {
	for range jsonrpc.Members(object) {
		n++
	}
	return n
}

// metaRow shows the _meta in one line; false when there is nothing to show.
func (p *Pane) metaRow(pal *paint.Palette, w int) (string, bool) {
	frame, ok := p.preview()
	if p.raw || !ok || p.method.Empty() {
		return "", false
	}
	var r paint.Row
	r.Start(w, paint.Style{})
	switch {
	case len(frame.meta) > 0:
		r.Right(hint(pal, metaKey(), "leave out")...)
		r.Put(pal.Muted, pal.Folded+" ")
		r.Put(pal.Value, `"_meta"`)
		r.Put(pal.Muted, ": { "+phrase.Count(countMembers(frame.meta), "member")+", filled in }")
	case p.noMeta && !hasMeta([]byte(p.params.Value())):
		r.Right(hint(pal, metaKey(), "fill in")...)
		r.Put(pal.Muted, `  "_meta" is left out`)
	default:
		return "", false
	}
	return r.String(), true
}
