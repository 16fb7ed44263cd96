package client

import (
	"context"
	"fmt"

	"mcptea/client/jsonrpc"
	"mcptea/client/negotiate"
	"mcptea/client/revision"
)

// Handshake holds the data that client and server exchanged while connecting: by initialize
// (specification, basic / lifecycle) or by server/discover (2026-07-28). All bytes are raw JSON
// and may be kept.
type Handshake struct {
	Revision     revision.Revision
	Offered      revision.Revision // version that the client offered
	Unknown      string            // the version that the server selected, if it is not a released one
	Server       Implementation
	Instructions string
	ServerCaps   []byte // or nil if the server sent none
	ClientCaps   []byte
	Result       []byte // the whole result
}

// Implementation is clientInfo or serverInfo.
type Implementation struct {
	Name, Title, Version string
	Website              string // websiteUrl, since 2025-11-25
}

// Redacted returns the handshake with redacted texts, for display outside of frames. The function
// text removes the secrets from a text. Result stays exact.
func (h Handshake) Redacted(text func(string) string) Handshake {
	s := &h.Server
	s.Name, s.Title, s.Version, s.Website, h.Instructions = text(s.Name), text(s.Title), text(s.Version), text(s.Website), text(h.Instructions)
	return h
}

// InitializeResult returns the result of initialize; nil if the connection has none.
func (h Handshake) InitializeResult() []byte {
	if h.Revision.IsStateless() {
		return nil
	}
	return h.Result
}

// HasCapability reports whether the server declared a capability, such as "tools", or a member
// of a capability.
func (h Handshake) HasCapability(path ...string) bool {
	return revision.Declares(h.ServerCaps, path...)
}

// Offers reports whether the server declared the capability that a list requires.
func (h Handshake) Offers(kind ListKind) bool { return kind.IsDeclared(h.ServerCaps) }

// AnnouncesChanges reports whether the server declared that it sends the notification of changes of a
// list.
func (h Handshake) AnnouncesChanges(kind ListKind) bool {
	return kind.Changed != "" && kind.IsDeclared(h.ServerCaps, "listChanged")
}

// Handshake returns the result of connecting, the zero value before that.
func (c *Client) Handshake() Handshake {
	return read(c, func(s *state) Handshake { return s.handshake })
}

// handshakeOf reads the outcome of a negotiation.
func (c *Client) handshakeOf(o negotiate.Outcome) Handshake {
	h := Handshake{
		Revision: o.Revision, Offered: o.Offered, Unknown: o.Unknown, Result: o.Result,
		Instructions: jsonrpc.Text(o.Result, "instructions"), ClientCaps: c.capabilities(o.Offered),
	}
	h.ServerCaps, _ = jsonrpc.Member(o.Result, "capabilities")
	info, _ := jsonrpc.Member(o.Result, "serverInfo")
	if o.Revision.IsStateless() {
		info, _ = jsonrpc.Member(o.Meta, revision.MetaServerInfo)
	}
	h.Server = implementation(info)
	if o.Result == nil {
		h.ServerCaps = []byte(`{"tools":{}}`) // tools/list is all that is known to work
	}
	return h
}

// initialize sends initialize and waits for the response.
func (n *negotiation) initialize(ctx context.Context, offer revision.Revision) negotiate.Event {
	params, ok := n.cfg.As.Initialize(string(offer))
	if !ok {
		params = Params(map[string]any{"protocolVersion": offer, "capabilities": n.capabilities(offer), "clientInfo": n.clientInfo()})
	}
	r := n.newRequest(n.NextID(), "initialize", params)
	timeout := n.cfg.ConnectTimeout
	n.list.Begin(StepInitialize, n.target.String(), timeout)
	sent := n.list.onSent(StepInitialize, fmt.Sprintf("%d bytes, offers %s", len(r.Frame), offer), "", timeout)
	return n.exchange(ctx, call{Request: r, timeout: timeout, onSent: sent})
}

// initialized makes the handshake current and sends notifications/initialized.
func (n *negotiation) initialized(ctx context.Context, o negotiate.Outcome) negotiate.Event {
	h := n.handshakeOf(o)
	n.list.End(StepResponse, StepDone, fmt.Sprintf("%s, %s", h.Server, h.remark()))
	n.update(func(s *state) { s.handshake, s.unexpected, s.connected = h, nil, true })
	n.transport().Negotiated(string(h.Revision))
	n.list.Begin(StepInitialized, "", n.cfg.ConnectTimeout)
	ctx, stop := n.withTimeout(ctx, n.cfg.ConnectTimeout, context.DeadlineExceeded)
	defer stop()
	if err := n.Notify(ctx, "notifications/initialized", nil); err != nil {
		return n.event(Response{}, err, true)
	}
	return negotiate.Event{Kind: negotiate.InitializedSent}
}

// Negotiation describes how the current protocol version was chosen. notable reports whether it
// differs from the requested version.
func (h Handshake) Negotiation() (words string, notable bool) {
	switch {
	case h.Unknown != "":
		return fmt.Sprintf("instead of the unknown version %q, because of --lenient", h.Unknown), true
	case h.Revision.IsStateless():
		return "without the initialize handshake", false
	case h.Revision.Before(h.Offered):
		return "negotiated down from " + string(h.Offered), true
	case h.Offered.Before(h.Revision):
		return fmt.Sprintf("newer than the requested %s: the server must not select it", h.Offered), true
	}
	return "as requested", false
}

// remark names the current revision and how it differs from the offer.
func (h Handshake) remark() string {
	text := "protocol version " + string(h.Revision)
	if words, notable := h.Negotiation(); notable {
		text += ", " + words
	}
	return text
}

func implementation(info []byte) Implementation {
	return Implementation{Name: jsonrpc.Text(info, "name"), Title: jsonrpc.Text(info, "title"), Version: jsonrpc.Text(info, "version"), Website: jsonrpc.Text(info, "websiteUrl")}
}

// String returns the name and the version.
func (i Implementation) String() string {
	if i.Name == "" {
		return "an unnamed server"
	}
	if i.Version == "" {
		return i.Name
	}
	return i.Name + " " + i.Version
}

// HandshakeOf reads a handshake out of its messages, as a recording has them: the
// params of initialize or server/discover, and the result. ok is false for another
// method. The handshake aliases both.
func HandshakeOf(method string, params, result []byte) (h Handshake, ok bool) {
	h = Handshake{Result: result, Instructions: jsonrpc.Text(result, "instructions")}
	h.ServerCaps, _ = jsonrpc.Member(result, "capabilities")
	info, _ := jsonrpc.Member(result, "serverInfo")
	switch method {
	case "initialize":
		h.Offered = revision.Revision(jsonrpc.Text(params, "protocolVersion"))
		h.Revision = revision.Revision(jsonrpc.Text(result, "protocolVersion"))
		h.ClientCaps, _ = jsonrpc.Member(params, "capabilities")
	case "server/discover":
		h.Revision, h.Offered = revision.NewestStateless, revision.NewestStateless
		h.ClientCaps, _ = jsonrpc.Member(params, "_meta", revision.MetaClientCapabilities)
		info, _ = jsonrpc.Member(result, "_meta", revision.MetaServerInfo)
	default:
		return Handshake{}, false
	}
	h.Server = implementation(info)
	return h, true
}
