// Package profile has clients of others as they are on the wire: how one calls itself, what it
// declares, which requests it sends after connecting and in which order, how its frames are
// written, and how it answers a server. A client of mcptea with a [Profile] is that client to a
// server, as far as the profile goes; what a profile does not know is as mcptea does it.
//
// A profile is a row of a table, or a file that was made from a recording. It has no secrets: no
// arguments of calls, no URIs and no headers but those that say which client it is.
package profile

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// Format is the version of the files.
const Format = 1

// Profile is a client. The zero value knows nothing of one.
type Profile struct {
	Format int    `json:"mcptea_client,omitempty"` // of a file: [Format]
	ID     string `json:"id"`                      // on the command line
	Name   string `json:"name"`                    // as its maker writes it, with its version
	Source string `json:"source,omitempty"`        // where this is known from
	Date   string `json:"date,omitempty"`          // of the source: year and month, or day

	// Info, Capabilities and Versions are what is known without a frame, or what was set in place of
	// that of a frame. Use [Profile.ClientInfo] and the like.
	Info         Raw      `json:"client_info,omitempty"`
	Capabilities Raw      `json:"capabilities,omitempty"`
	Versions     []string `json:"versions,omitempty"` // protocol versions that it requests, in their order

	// Frames are what it sends by itself after connecting, in its order: requests and notifications.
	Frames []Raw `json:"frames,omitempty"`
	// Call is a tools/call, for how other requests are written. It has neither arguments nor a name.
	Call Raw `json:"call,omitempty"`

	// Undeclared: it requests lists that the server does not declare.
	Undeclared bool `json:"undeclared,omitempty"`
	// Pages is how much of a list with pages it reads: "all" or "first"; empty where that was not seen.
	Pages string `json:"pages,omitempty"`
	// Answers are how it responded to requests of the server, by "elicitation", "sampling" and "roots":
	// "accept", "decline", "cancel" or "error".
	Answers map[string]string `json:"answers,omitempty"`
	// TimeoutMS is how long it waits for a response, in milliseconds; 0 where that is not known.
	TimeoutMS int64 `json:"timeout_ms,omitempty"`
	// Headers are those of HTTP that say which client it is, and what it accepts. Omits are headers of
	// the protocol that it does not send.
	Headers map[string]string `json:"headers,omitempty"`
	Omits   []string          `json:"omits,omitempty"`

	// Changed are what the user has set in place of the profile's: "clientInfo", "capabilities".
	Changed []string `json:"-"`
}

// Raw is JSON as it was written. In a file it is JSON, or a string with the exact bytes where those
// have spaces.
type Raw []byte

// UnmarshalJSON implements json.Unmarshaler.
func (r *Raw) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		text, ok := jsonrpc.Unquote(data)
		if !ok {
			return errors.New("not a valid string")
		}
		*r = Raw(text)
		return nil
	}
	*r = Raw(bytes.Clone(jsonrpc.Compact(data)))
	return nil
}

// MarshalJSON implements json.Marshaler.
func (r Raw) MarshalJSON() ([]byte, error) {
	if !jsonrpc.Valid(r) {
		return nil, errors.New("a frame of a profile is not valid JSON")
	}
	if bytes.Equal(jsonrpc.Compact(r), r) {
		return r, nil
	}
	return []byte(jsonrpc.Quote(string(r))), nil
}

// method is that of a frame.
func (r Raw) method() string { return jsonrpc.Text(r, "method") }

// MethodOf is the method of a frame.
func MethodOf(frame Raw) string { return frame.method() }

// frame is the first frame of a method; nil without one.
func (p *Profile) frame(method string) Raw {
	if p == nil {
		return nil
	}
	for _, f := range p.Frames {
		if f.method() == method {
			return f
		}
	}
	return nil
}

// stateless is the first frame that carries the _meta of a version without a handshake.
func (p *Profile) stateless() Raw {
	for _, f := range p.Frames {
		if version, ok := jsonrpc.Member(f, "params", "_meta", revision.MetaProtocolVersion); ok && version[0] == '"' {
			return f
		}
	}
	return nil
}

// known is the first of values that is there.
func known(values ...[]byte) []byte {
	for _, v := range values {
		if len(v) > 0 {
			return v
		}
	}
	return nil
}

// ClientInfo is what the client calls itself; nil where that is not known.
func (p *Profile) ClientInfo() []byte {
	if p == nil {
		return nil
	}
	return known(p.Info, jsonrpc.Get(p.frame(initialize), "params", "clientInfo"), jsonrpc.Get(p.stateless(), "params", "_meta", revision.MetaClientInfo))
}

// ClientCapabilities are those that the client declares to a server of an era; nil where they are not
// known.
func (p *Profile) ClientCapabilities(stateless bool) []byte {
	if p == nil {
		return nil
	}
	hand, meta := jsonrpc.Get(p.frame(initialize), "params", "capabilities"), jsonrpc.Get(p.stateless(), "params", "_meta", revision.MetaClientCapabilities)
	if stateless {
		hand, meta = meta, hand
	}
	return known(p.Capabilities, hand, meta)
}

// Declares reports whether the client declares a capability, in any era.
func (p *Profile) Declares(name string) bool {
	return revision.Declares(p.ClientCapabilities(false), name) || revision.Declares(p.ClientCapabilities(true), name)
}

const initialize = "initialize"

// Requested are the protocol versions that the client requests, in its order.
func (p *Profile) Requested() (all []string) {
	if p == nil {
		return nil
	}
	if len(p.Versions) > 0 {
		return p.Versions
	}
	for _, f := range p.Frames {
		version := jsonrpc.Text(f, "params", "_meta", revision.MetaProtocolVersion)
		if f.method() == initialize {
			version = jsonrpc.Text(f, "params", "protocolVersion")
		}
		if version != "" && !slices.Contains(all, version) {
			all = append(all, version)
		}
	}
	return all
}

// Negotiates is how the client negotiates: the only version that it requests, or else the one of its
// initialize after a probe for the stateless era. Both are empty where it is not known.
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

// Timeout is how long the client waits for a response; 0 where that is not known.
func (p *Profile) Timeout() time.Duration {
	if p == nil {
		return 0
	}
	return time.Duration(p.TimeoutMS) * time.Millisecond
}

// ReadsFirstPage reports a client that reads only the first page of a list.
func (p *Profile) ReadsFirstPage() bool { return p != nil && p.Pages == "first" }

// FirstID is the id of the first request with an integer.
func (p *Profile) FirstID() (int64, bool) {
	if p == nil {
		return 0, false
	}
	for _, f := range p.Frames {
		if id, ok := jsonrpc.Integer(jsonrpc.Get(f, "id")); ok {
			return id, true
		}
	}
	return 0, false
}

// Words name the profile in one line: the client, and what the user has changed. Unknown is what of
// it is as mcptea does it; empty if nothing is.
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

// Unknown are the parts that the profile does not know, in words. mcptea does them as it does
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
	note(p.frame(initialize) == nil && p.stateless() == nil, "how frames are written")
	note(p.frame(initialize) == nil && p.stateless() != nil && p.frame("server/discover") == nil, "how it finds out the era")
	note(len(p.Begins()) == 0, "requests after connecting")
	note(p.Pages == "", "pages of lists")
	note(p.TimeoutMS == 0, "timeout")
	for _, kind := range []string{"elicitation", "sampling"} {
		note(p.Declares(kind) && p.Answers[kind] == "", "answers to "+kind)
	}
	note(len(p.Headers) == 0 && len(p.Omits) == 0, "headers of HTTP")
	return all
}

// Begins are the frames that the client sends after the handshake, or after server/discover.
func (p *Profile) Begins() (all []Raw) {
	if p == nil {
		return nil
	}
	for _, f := range p.Frames {
		switch f.method() {
		case initialize, "notifications/initialized", "server/discover":
		default:
			all = append(all, f)
		}
	}
	return all
}

// Check reports what cannot be used, with its place.
func (p *Profile) Check() error {
	if p.Format != 0 && p.Format != Format {
		return fmt.Errorf("it has the format %d, and this version of mcptea reads %d", p.Format, Format)
	}
	for i, f := range p.Frames {
		switch e := jsonrpc.Scan(f); {
		case e.Kind != jsonrpc.Request && e.Kind != jsonrpc.Notification:
			return fmt.Errorf("frames[%d] is neither a request nor a notification", i)
		case bytes.ContainsAny(f, "\r\n"):
			return fmt.Errorf("frames[%d] has a line break", i)
		}
	}
	for _, o := range []struct {
		name  string
		value Raw
	}{{"client_info", p.Info}, {"capabilities", p.Capabilities}, {"call", p.Call}} {
		if o.value != nil && (!jsonrpc.Valid(o.value) || jsonrpc.TypeOf(o.value) != "object") {
			return fmt.Errorf("%s is not an object", o.name)
		}
	}
	for _, v := range p.Requested() {
		if !revision.Revision(v).Known() {
			return fmt.Errorf("it requests the protocol version %q, which mcptea does not support", v)
		}
	}
	for kind, how := range p.Answers {
		if !slices.Contains([]string{"elicitation", "sampling", "roots"}, kind) || !slices.Contains([]string{"accept", "decline", "cancel", "error"}, how) {
			return fmt.Errorf("answers has %q: %q; the kinds are elicitation, sampling and roots, the answers accept, decline, cancel and error", kind, how)
		}
	}
	if !slices.Contains([]string{"", "all", "first"}, p.Pages) {
		return fmt.Errorf("pages is %q, and not all or first", p.Pages)
	}
	return nil
}
