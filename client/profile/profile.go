// Package profile describes how other clients behave on the wire: their clientInfo and capabilities, the
// requests that they send after connecting and their order, the spelling of their frames, and their responses
// to a server. A client of mcptea with a [Profile] imitates that client. Behavior that the profile does not
// define is mcptea's own.
//
// A profile is a row of a table, or a file made from a recording. It contains no secrets: no arguments of
// calls, no URIs, and only the headers that identify the client.
package profile

import (
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// Format is the version of the files.
const Format = 1

// Profile describes a client. The zero value describes none.
type Profile struct {
	Format int    `json:"mcptea_client,omitempty"` // format of the file: [Format]
	ID     string `json:"id"`                      // id for the command line
	Name   string `json:"name"`                    // name and version, as its maker writes them
	Source string `json:"source,omitempty"`        // source of the knowledge
	Date   string `json:"date,omitempty"`          // date of the source: year and month, or day

	// Info, Capabilities and Versions are known without a frame, or replace the values of a frame. Use
	// [Profile.ClientInfo] and similar methods.
	Info         Raw      `json:"client_info,omitzero"`
	Capabilities Raw      `json:"capabilities,omitzero"`
	Versions     []string `json:"versions,omitempty"` // protocol versions that it requests, in their order

	// Frames holds the requests and notifications that the client sends on its own after connecting, in order.
	Frames []Raw `json:"frames,omitempty"`
	// Call is a tools/call, for how other requests are written. It has neither arguments nor a name.
	Call Raw `json:"call,omitzero"`

	// Undeclared: it requests lists that the server does not declare.
	Undeclared bool `json:"undeclared,omitempty"`
	// Pages is the part of a list with pages that the client reads: "all" or "first", or "" if unknown.
	Pages string `json:"pages,omitempty"`
	// Answers maps "elicitation", "sampling" and "roots" to its response to such a request of the server:
	// "accept", "decline", "cancel" or "error".
	Answers map[string]string `json:"answers,omitempty"`
	// TimeoutMS is the time for which the client waits for a response, in milliseconds, or 0 if unknown.
	TimeoutMS int64 `json:"timeout_ms,omitempty"`
	// Headers are HTTP headers that identify the client, and the media types that it accepts. Omits lists
	// headers of the protocol that it does not send.
	Headers map[string]string `json:"headers,omitempty"`
	Omits   []string          `json:"omits,omitempty"`

	// Changed lists the values of the profile that the user has replaced: "clientInfo", "capabilities".
	Changed []string `json:"-"`
}

// frame returns the first frame of a method, or the zero value.
func (p *Profile) frame(method string) Raw {
	if p == nil {
		return Raw{}
	}
	for _, f := range p.Frames {
		if f.Method() == method {
			return f
		}
	}
	return Raw{}
}

// stateless returns the first frame that carries the _meta of a version without a handshake, or the zero value.
func (p *Profile) stateless() Raw {
	for _, f := range p.Frames {
		if version, ok := jsonrpc.Member(f.text, "params", "_meta", revision.MetaProtocolVersion); ok && version[0] == '"' {
			return f
		}
	}
	return Raw{}
}

// known returns the first of values that is there.
func known(values ...[]byte) []byte {
	for _, v := range values {
		if len(v) > 0 {
			return v
		}
	}
	return nil
}

// ClientInfo returns the clientInfo of the client, or nil if unknown.
func (p *Profile) ClientInfo() []byte {
	if p == nil {
		return nil
	}
	return known(p.Info.text, jsonrpc.Get(p.frame(initialize).text, "params", "clientInfo"), jsonrpc.Get(p.stateless().text, "params", "_meta", revision.MetaClientInfo))
}

// ClientCapabilities returns the capabilities that the client declares to a server of an era, or nil if
// unknown.
func (p *Profile) ClientCapabilities(stateless bool) []byte {
	if p == nil {
		return nil
	}
	hand, meta := jsonrpc.Get(p.frame(initialize).text, "params", "capabilities"), jsonrpc.Get(p.stateless().text, "params", "_meta", revision.MetaClientCapabilities)
	if stateless {
		hand, meta = meta, hand
	}
	return known(p.Capabilities.text, hand, meta)
}

// Declares reports whether the client declares a capability, in any era.
func (p *Profile) Declares(name string) bool {
	return revision.Declares(p.ClientCapabilities(false), name) || revision.Declares(p.ClientCapabilities(true), name)
}

const initialize = "initialize"

// Requested returns the protocol versions that the client requests, in its order.
func (p *Profile) Requested() (all []string) {
	if p == nil {
		return nil
	}
	if len(p.Versions) > 0 {
		return p.Versions
	}
	for _, f := range p.Frames {
		version := jsonrpc.Text(f.text, "params", "_meta", revision.MetaProtocolVersion)
		if f.Method() == initialize {
			version = jsonrpc.Text(f.text, "params", "protocolVersion")
		}
		if version != "" && !slices.Contains(all, version) {
			all = append(all, version)
		}
	}
	return all
}

// Negotiates returns how the client negotiates: the only version that it requests, or otherwise the version in
// its initialize after a probe for the stateless era. Both are "" if unknown.
func (p *Profile) Negotiates() (pinned, offer revision.Revision) {
	all := p.Requested()
	switch {
	case len(all) == 0:
		return "", ""
	case len(all) > 1 && revision.Revision(all[0]).IsStateless():
		return "", revision.Revision(all[1])
	}
	return revision.Revision(all[0]), ""
}

// Timeout returns how long the client waits for a response, or 0 if unknown.
func (p *Profile) Timeout() time.Duration {
	if p == nil {
		return 0
	}
	return time.Duration(p.TimeoutMS) * time.Millisecond
}

// ReadsFirstPage reports a client that reads only the first page of a list.
func (p *Profile) ReadsFirstPage() bool { return p != nil && p.Pages == "first" }

// FirstID returns the id of the first request with an integer.
func (p *Profile) FirstID() (int64, bool) {
	if p == nil {
		return 0, false
	}
	for _, f := range p.Frames {
		if id, ok := jsonrpc.Integer(jsonrpc.Get(f.text, "id")); ok {
			return id, true
		}
	}
	return 0, false
}

// Words describes the profile in one line: the client, and the values that the user has changed.
// Unknown describes the parts for which mcptea uses its own behavior, or returns "".
func (p *Profile) Words() string {
	if p == nil {
		return ""
	}
	name := p.Name
	if name == "" {
		name = p.ID
	}
	if name == "" {
		name = "mcptea"
	}
	if len(p.Changed) > 0 {
		name += ", with other " + strings.Join(p.Changed, " and ")
	}
	return name
}

// Unknown returns descriptions of the parts that the profile does not contain. For these, mcptea behaves as
// without a profile.
func (p *Profile) Unknown() (all []string) {
	note := func(missing bool, what string) {
		if missing {
			all = append(all, what)
		}
	}
	note(p.ClientInfo() == nil, "clientInfo")
	note(p.ClientCapabilities(false) == nil, "capabilities")
	note(len(p.Requested()) == 0, "protocol versions")
	note(p.frame(initialize).IsZero() && p.stateless().IsZero(), "how frames are written")
	note(p.frame(initialize).IsZero() && !p.stateless().IsZero() && p.frame("server/discover").IsZero(), "how it finds out the era")
	note(len(p.Begins()) == 0, "requests after connecting")
	note(p.Pages == "", "pages of lists")
	note(p.TimeoutMS == 0, "timeout")
	for _, kind := range []string{"elicitation", "sampling"} {
		note(p.Declares(kind) && p.Answers[kind] == "", "answers to "+kind)
	}
	note(len(p.Headers) == 0 && len(p.Omits) == 0, "headers of HTTP")
	return all
}

// Begins returns the frames that the client sends after the handshake, or after server/discover.
func (p *Profile) Begins() (all []Raw) {
	if p == nil {
		return nil
	}
	for _, f := range p.Frames {
		switch f.Method() {
		case initialize, "notifications/initialized", "server/discover":
		default:
			all = append(all, f)
		}
	}
	return all
}
