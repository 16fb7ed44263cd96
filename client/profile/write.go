package profile

import (
	"bytes"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// Member is a member of a JSON object with a raw value.
type Member struct {
	Name  string
	Value []byte
}

const progressToken = "progressToken"

// Request returns a request with the members in the client's order and with its spaces. It returns false if the
// profile does not define that.
func (p *Profile) Request(id jsonrpc.ID, method string, params []byte) ([]byte, bool) {
	if p == nil {
		return nil, false
	}
	if own := p.frame(method); !own.IsZero() {
		if asSeen, _ := p.Params(id, method, nil); !p.Call.IsZero() && len(params) > 0 && !bytes.Equal(asSeen, params) {
			return written(p.Call, id, method, params) // like a call, with the caller's params
		}
		if frame, ok := spliced(own, id, params); ok {
			return frame, true
		}
	}
	return written(p.template(method, true), id, method, params)
}

// spliced returns a frame with another id and other params, and otherwise unchanged. It returns false if the
// frame lacks one of the two or repeats one.
func spliced(frame Raw, id jsonrpc.ID, params []byte) ([]byte, bool) {
	e := jsonrpc.Scan(frame.text)
	template := e.Params.Of(frame.text)
	if e.Kind != jsonrpc.Request || (len(template) == 0) != (len(params) == 0) {
		return nil, false
	}
	out := frame.text
	replace := func(at jsonrpc.Span, value []byte) { out = slices.Concat(out[:at.Start], value, out[at.End:]) }
	idAt, paramsAt := jsonrpc.SpanOf(frame.text, jsonrpc.Get(frame.text, "id")), e.Params
	switch {
	case len(template) == 0:
		replace(idAt, id.Bytes())
	case idAt.Start > paramsAt.Start:
		replace(idAt, id.Bytes())
		replace(paramsAt, params)
	default:
		replace(paramsAt, params)
		replace(idAt, id.Bytes())
	}
	return out, true
}

// Notification returns a notification as the client writes it; see [Profile.Request].
func (p *Profile) Notification(method string, params []byte) ([]byte, bool) {
	if p == nil {
		return nil, false
	}
	if own := p.frame(method); !own.IsZero() && len(params) == 0 {
		return own.text, true
	}
	return written(p.template(method, false), jsonrpc.ID{}, method, params)
}

// template returns a frame that shows how one of the method is written: of the same method if there is
// one, then one that is like it.
func (p *Profile) template(method string, request bool) Raw {
	if own := p.frame(method); !own.IsZero() {
		return own
	}
	if request && !p.Call.IsZero() {
		return p.Call
	}
	for _, f := range p.Frames {
		if (jsonrpc.Get(f.text, "id") != nil) == request {
			return f
		}
	}
	return Raw{}
}

// written returns a template with another id, method and params. Its other members are unchanged.
func written(template Raw, id jsonrpc.ID, method string, params []byte) ([]byte, bool) {
	if template.IsZero() {
		return nil, false
	}
	colon, comma := spaces(template)
	var out []byte
	add := func(name string, value []byte) {
		if len(value) == 0 {
			return
		}
		if len(out) > 0 {
			out = append(out, ',')
			out = append(out, comma...)
		}
		out = append(append(append(append(out, jsonrpc.Quote(name)...), ':'), colon...), value...)
	}
	_, hasParams := jsonrpc.Member(template.text, "params")
	for name, value := range jsonrpc.Members(template.text) {
		switch string(name) {
		case "id":
			add("id", id.Bytes())
		case "method":
			add("method", []byte(jsonrpc.Quote(method)))
			if !hasParams {
				add("params", params)
			}
		case "params":
			add("params", params)
		default:
			add(string(name), value)
		}
	}
	return append(append([]byte{'{'}, out...), '}'), true
}

// spaces returns the blanks that the client writes after a colon and after a comma.
func spaces(raw Raw) (colon, comma []byte) {
	frame, end := raw.text, 0
	for name, value := range jsonrpc.Members(frame) {
		at := jsonrpc.SpanOf(frame, value)
		if end > 0 {
			between := frame[end:at.Start]
			comma = blank(between[bytes.IndexByte(between, ',')+1:])
			return colon, comma
		}
		head := frame[bytes.Index(frame, name)+len(name) : at.Start]
		colon = blank(head[bytes.IndexByte(head, ':')+1:])
		end = at.End
	}
	return colon, nil
}

// blank returns the blank beginning of a text.
func blank(b []byte) []byte {
	return b[:len(b)-len(bytes.TrimLeft(b, " \t"))]
}

// Params returns the params of a request: the given ones, or otherwise the client's. It returns false if the
// profile has no frame for the method; then the params are the same for all clients, with [Profile.Meta].
func (p *Profile) Params(id jsonrpc.ID, method string, params []byte) (own []byte, ok bool) {
	frame := p.frame(method)
	if frame.IsZero() && p != nil && method == "tools/call" {
		frame = p.Call
	}
	if frame.IsZero() {
		return nil, false
	}
	own = jsonrpc.Get(frame.text, "params")
	meta, hasMeta := jsonrpc.Member(own, "_meta")
	if hasMeta {
		meta = renumbered(meta, id)
	}
	if len(params) == 0 {
		if !hasMeta {
			return own, true
		}
		at := jsonrpc.SpanOf(own, jsonrpc.Get(own, "_meta"))
		return slices.Concat(own[:at.Start], meta, own[at.End:]), true
	}
	if _, given := jsonrpc.Member(params, "_meta"); !hasMeta || given {
		return params, true
	}
	open, isObject := bytes.CutSuffix(bytes.TrimSpace(params), []byte("}"))
	if !isObject {
		return params, true // sent as given
	}
	return append(jsonrpc.AppendMember(bytes.Clone(bytes.TrimSpace(open)), "_meta", meta), '}'), true
}

// renumbered returns a _meta whose progress token, if it has one, is replaced with an id.
func renumbered(meta []byte, id jsonrpc.ID) []byte {
	token, ok := jsonrpc.Member(meta, progressToken)
	if !ok {
		return meta
	}
	at := jsonrpc.SpanOf(meta, token)
	return slices.Concat(meta[:at.Start], id.Bytes(), meta[at.End:])
}

// SendsProgressToken reports whether the calls of the client carry a progress token. known is false if no call
// was recorded.
func (p *Profile) SendsProgressToken() (sends, known bool) {
	if p == nil || p.Call.IsZero() {
		return false, false
	}
	_, sends = jsonrpc.Member(p.Call.text, "params", "_meta", progressToken)
	return sends, true
}

// Meta returns the members of _meta in each request of a version without a handshake, in the order of the
// client, or nil if unknown.
func (p *Profile) Meta() (all []Member) {
	if p == nil {
		return nil
	}
	meta := jsonrpc.Get(p.stateless().text, "params", "_meta")
	for name, value := range jsonrpc.Members(meta) {
		switch string(name) {
		case progressToken:
			continue
		case revision.MetaClientInfo:
			value = known(p.Info.text, value)
		case revision.MetaClientCapabilities:
			value = known(p.Capabilities.text, value)
		}
		all = append(all, Member{string(name), value})
	}
	return all
}

// Initialize returns the params of initialize with a version. It returns false if the profile does not define
// them.
func (p *Profile) Initialize(version string) (params []byte, ok bool) {
	template := jsonrpc.Get(p.frame(initialize).text, "params")
	if template == nil {
		return nil, false
	}
	for _, m := range []Member{{"protocolVersion", []byte(jsonrpc.Quote(version))}, {"clientInfo", p.Info.text}, {"capabilities", p.Capabilities.text}} {
		if value, has := jsonrpc.Member(template, m.Name); has && len(m.Value) > 0 {
			at := jsonrpc.SpanOf(template, value)
			template = slices.Concat(template[:at.Start], m.Value, template[at.End:])
		}
	}
	return template, true
}

// With returns the profile with a different clientInfo or different capabilities. A zero value keeps the
// profile's own.
func (p *Profile) With(info, capabilities Raw) *Profile {
	changed := Profile{}
	if p != nil {
		changed = *p
		changed.Frames, changed.Changed = slices.Clone(p.Frames), slices.Clone(p.Changed)
	}
	if !info.IsZero() {
		changed.Info, changed.Changed = info, append(changed.Changed, "clientInfo")
	}
	if !capabilities.IsZero() {
		changed.Capabilities, changed.Changed = capabilities, append(changed.Changed, "capabilities")
	}
	for i, f := range changed.Frames {
		changed.Frames[i] = changed.restated(f)
	}
	return &changed
}

// restated returns a frame with the clientInfo and the capabilities that were set.
func (p *Profile) restated(f Raw) Raw {
	for _, m := range []struct {
		value Raw
		path  []string
	}{
		{p.Info, []string{"_meta", revision.MetaClientInfo}},
		{p.Capabilities, []string{"_meta", revision.MetaClientCapabilities}},
		{p.Info, []string{"clientInfo"}},
		{p.Capabilities, []string{"capabilities"}},
	} {
		if value, has := jsonrpc.Member(f.text, "params", m.path...); has && !m.value.IsZero() {
			f = f.withValue(jsonrpc.SpanOf(f.text, value), m.value)
		}
	}
	return f
}
