package serve

import (
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/server/rpcserver"
	"mcptea/internal/words/phrase"
)

// question is a request of the server that a host has not responded to.
type question struct {
	id jsonrpc.ID
	to *conversation
}

// respond sends a response of the server to its host.
func (p *process) respond(frame []byte, e jsonrpc.Envelope) {
	p.mu.Lock()
	one := p.calls[e.ID.Of(frame).ID().Key()]
	if one == nil {
		p.mu.Unlock()
		return // the request was cancelled
	}
	p.forget(one)
	var later []*call
	if one.method == "initialize" {
		later = p.initialized(one, e.Kind == jsonrpc.Response)
	}
	p.mu.Unlock()
	for _, other := range later {
		if e.Kind == jsonrpc.Response {
			p.greet(other)
		} else {
			other.answer(e.ID.Replace(frame, other.id), 0)
		}
	}
	if one.method == "server/discover" && isHandshakeOnly(frame, e) {
		defer p.gateway.needsHandshake(p)
	}
	if p.common {
		frame = e.ID.Replace(frame, one.id)
		result := jsonrpc.Scan(frame).Result.Of(frame)
		if id := jsonrpc.Get(result, "_meta", revision.MetaSubscriptionID); len(id) > 0 && jsonrpc.TokenOf(id).Key() == one.key {
			frame = p.restored(frame, id)
		}
	}
	one.answer(frame, one.from.status(frame))
}

// initialized records the outcome of initialize, and returns the calls of later hosts that waited for it. The caller holds
// the lock.
func (p *process) initialized(one *call, succeeded bool) (later []*call) {
	later, p.waiting = p.waiting, nil
	p.greeted, p.shares = succeeded, succeeded
	if succeeded {
		one.from.ready = true
		for _, other := range later {
			other.from.ready = true
		}
	}
	return later
}

// isHandshakeOnly reports whether an error response to server/discover is the response of a server that requires initialize.
// The relay answers for a server that does not run, and a server without handshake may not support the version.
func isHandshakeOnly(frame []byte, e jsonrpc.Envelope) bool {
	if e.Kind != jsonrpc.ErrorResponse || jsonrpc.Text(frame, "error", "data", "source") != "" {
		return false
	}
	code, ok := jsonrpc.Integer(jsonrpc.Get(frame, "error", "code"))
	return ok && code != revision.CodeUnsupportedVersion && code != jsonrpc.CodeInternalError
}

// ask sends a request of the server to the host that it is for. With several hosts the request does not name one: it is for
// the only host with calls in progress, or for the only host. Otherwise it is refused, since another host must not see it.
func (p *process) ask(frame []byte, e jsonrpc.Envelope) {
	id := e.ID.Of(frame).ID()
	p.mu.Lock()
	to, why := p.addressee()
	isPing := e.HasMethod(frame, "ping")
	if to != nil && len(p.asked) >= maxPending {
		to, why = nil, phrase.Count(maxPending, "request")+" of the server have no response"
	}
	var stream *rpcserver.Stream
	if to != nil {
		p.asked[id.Key()] = question{id, to}
		stream = to.stream()
	}
	p.mu.Unlock()
	switch {
	case to != nil:
		stream.Send(frame)
	case isPing && p.common:
		p.later(func() { p.send(jsonrpc.EncodeResult(id, []byte("{}"))) })
	default:
		p.relay.Note("mcptea has refused " + e.MethodName(frame) + " of the server: " + why)
		p.later(func() { p.refuse(id, why) })
	}
}

// refuse answers a request of the server with an error.
func (p *process) refuse(id jsonrpc.ID, why string) {
	p.send(jsonrpc.EncodeError(id, jsonrpc.CodeInternalError, why, nil))
}

// addressee returns the host that a request of the server is for, or nil and the reason if that is unknown. The caller holds
// the lock.
func (p *process) addressee() (to *conversation, why string) {
	for _, one := range p.order {
		switch {
		case one.from.alone:
			return nil, "a call of a host without a session is in progress, and such a host accepts no requests"
		case to != nil && to != one.from:
			return nil, "calls of several hosts are in progress in this process (--shared), and the request does not say for which host it is"
		}
		to = one.from
	}
	if to != nil {
		return to, ""
	}
	for _, c := range p.members {
		switch {
		case c.alone:
		case to != nil:
			return nil, "several hosts share this process (--shared), no call is in progress, and the request does not say for which host it is"
		default:
			to = c
		}
	}
	if to == nil {
		return nil, "no host has a session"
	}
	return to, ""
}

// notify sends a notification of the server to the hosts that it is for.
func (p *process) notify(frame []byte, e jsonrpc.Envelope) {
	params := e.Params.Of(frame)
	if e.HasMethod(frame, "notifications/cancelled") {
		p.cancelQuestion(frame, jsonrpc.TokenOf(jsonrpc.Get(params, "requestId")).Key())
		return
	}
	if token := jsonrpc.Get(params, "progressToken"); e.HasMethod(frame, "notifications/progress") && len(token) > 0 {
		p.mu.Lock()
		one := p.tokens[jsonrpc.TokenOf(token).Key()]
		p.mu.Unlock()
		if one != nil {
			one.to.Send(p.restored(frame, token))
		}
		return
	}
	if id := jsonrpc.Get(params, "_meta", revision.MetaSubscriptionID); len(id) > 0 {
		p.mu.Lock()
		one := p.calls[jsonrpc.TokenOf(id).Key()]
		p.mu.Unlock()
		if one != nil {
			one.to.Send(p.restored(frame, id))
		}
		return
	}
	for _, s := range p.audience(frame, e) {
		s.Send(frame)
	}
}

// cancelQuestion sends the cancellation of a request of the server to its host.
func (p *process) cancelQuestion(frame []byte, key jsonrpc.Key) {
	p.mu.Lock()
	q, ok := p.asked[key]
	delete(p.asked, key)
	var to *rpcserver.Stream
	if ok {
		to = q.to.stream()
	}
	p.mu.Unlock()
	if ok {
		to.Send(frame)
	}
}

// audience returns the streams of a notification that names no request. An updated resource is for its subscribers, and the
// change of a list is for all. Another notification, such as a log message, is for the only host with calls in progress; if
// no host has one, or several do, it is for all hosts.
func (p *process) audience(frame []byte, e jsonrpc.Envelope) (to []*rpcserver.Stream) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.order) == 1 && p.order[0].from.alone {
		return []*rpcserver.Stream{p.order[0].to}
	}
	only, _ := p.addressee()
	uri := jsonrpc.Text(e.Params.Of(frame), "uri")
	isUpdate := e.HasMethod(frame, "notifications/resources/updated")
	isForAll := slices.ContainsFunc(revision.Lists, func(l revision.List) bool { return l.Changed != "" && e.HasMethod(frame, l.Changed) })
	for _, c := range p.members {
		switch {
		case c.alone, p.common && isUpdate && !c.subscribed[uri], p.common && !isUpdate && !isForAll && only != nil && c != only:
		default:
			to = append(to, c.stream())
		}
	}
	return to
}
