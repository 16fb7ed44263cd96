package probe

import (
	"cmp"

	"mcptea/client/profile"
	"mcptea/client/revision"
)

// clientInfo is the identity in raw requests, unless mcptea impersonates another client.
const clientInfo = `{"name":"mcptea","version":"1"}`

// InitializeParams returns initialize params of the client that mcptea impersonates, or of mcptea
// itself. capabilities is JSON. If it is empty, the capabilities of the client are used. If a probe
// changes them, the name of its request says so.
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

// HandshakeVersion returns the handshake version that the impersonated client requests, or the newest one.
func (r *Run) HandshakeVersion() string { return r.runner.handshakeVersion() }

func (r *Runner) handshakeVersion() string {
	for _, version := range r.cfg.Client.As.Requested() {
		if revision.Revision(version).HasHandshake() {
			return version
		}
	}
	return string(revision.NewestHandshake)
}

// ClientInfo returns the client's identity as JSON.
func (r *Run) ClientInfo() string { return r.runner.clientInfo() }

// ClientCapabilities returns the capabilities that the client declares in initialize, as JSON.
func (r *Run) ClientCapabilities() string { return r.runner.capabilities(false) }

// MetaCapabilities returns the capabilities that the client declares in stateless requests, as JSON.
func (r *Run) MetaCapabilities() string { return r.runner.capabilities(true) }

func (r *Runner) capabilities(stateless bool) string {
	return cmp.Or(string(r.cfg.Client.As.ClientCapabilities(stateless)), "{}")
}
