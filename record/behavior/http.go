package behavior

import (
	"net/http"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/profile"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// exchange handles an HTTP request of the client. It ignores the requests that mcptea itself sends to a server.
func (r *reader) exchange(x *transport.Exchange) {
	agent := x.RequestHeader.Get("User-Agent")
	if x.Phase != transport.ExchangeSent || x.Method != http.MethodPost || strings.HasPrefix(agent, "mcptea") {
		return
	}
	c := &r.client
	if c.Headers == nil {
		c.Headers = map[string]string{}
		for _, name := range profile.IdentifyingHeaders {
			if value := x.RequestHeader.Get(name); value != "" {
				c.Headers[name] = value
			}
		}
		r.lacks = map[string]int{}
		return // the first request has no negotiated version
	}
	r.posts++
	for _, name := range profile.ProtocolHeaders(r.version()) {
		if x.RequestHeader.Get(name) == "" {
			r.lacks[name]++
		}
	}
}

// version returns the newest that the client has requested.
func (r *reader) version() (newest revision.Revision) {
	for _, v := range r.client.Requested {
		if of := revision.Revision(v); of.Known() && newest.Before(of) {
			newest = of
		}
	}
	return newest
}

// isSecret reports a frame with something that has the form of a secret.
func isSecret(frame []byte) bool {
	return certain(frame) != "" || jsonrpc.Get(frame, "params", "_meta", "authorization") != nil
}
