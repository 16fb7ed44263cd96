package probe

import (
	"cmp"

	"mcptea/client/profile"
	"mcptea/client/revision"
)

// clientInfo is what mcptea calls itself in requests of its own making, where it is no other client.
const clientInfo = `{"name":"mcptea","version":"1"}`

// InitializeParams are the params of initialize, as the client sends them that mcptea is to the server. The capabilities
// are JSON; empty are those of the client. A probe that is about others says so in the name of its request.
func (r *Run) InitializeParams(version, capabilities string) string {
	return r.runner.initializeParams(version, capabilities)
}

func (r *Runner) initializeParams(version, capabilities string) string {
	as := r.cfg.Client.As
	if capabilities != "" && as != nil {
		as = nil
		if raw, err := profile.NewRaw([]byte(capabilities)); err == nil {
			as = r.cfg.Client.As.With(profile.Raw{}, raw)
		}
	}
	if params, ok := as.Initialize(version); ok {
		return string(params)
	}
	return `{"protocolVersion":` + JSON(version) + `,"capabilities":` + cmp.Or(capabilities, r.capabilities(false)) + `,"clientInfo":` + r.clientInfo() + `}`
}

func (r *Runner) clientInfo() string {
	return cmp.Or(string(r.cfg.Client.As.ClientInfo()), clientInfo)
}

// HandshakeVersion is the protocol version with a handshake that the client requests that mcptea is to the server; the
// newest one if it is itself.
func (r *Run) HandshakeVersion() string { return r.runner.handshakeVersion() }

func (r *Runner) handshakeVersion() string {
	for _, version := range r.cfg.Client.As.Requested() {
		if revision.Revision(version).HasHandshake() {
			return version
		}
	}
	return string(revision.NewestHandshake)
}

// ClientInfo is what the client calls itself that mcptea is to the server, ClientCapabilities are those that it declares
// by initialize, and MetaCapabilities those that it declares in stateless requests. They are JSON.
func (r *Run) ClientInfo() string { return r.runner.clientInfo() }

// ClientCapabilities is described at [Run.ClientInfo].
func (r *Run) ClientCapabilities() string { return r.runner.capabilities(false) }

// MetaCapabilities is described at [Run.ClientInfo].
func (r *Run) MetaCapabilities() string { return r.runner.capabilities(true) }

func (r *Runner) capabilities(stateless bool) string {
	return cmp.Or(string(r.cfg.Client.As.ClientCapabilities(stateless)), "{}")
}
