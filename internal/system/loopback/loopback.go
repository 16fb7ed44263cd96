// Package loopback decides which requests a server on the loopback interface accepts: those
// of programs on this machine, and not those that a web page makes by way of a browser (MCP
// 2025-11-25, basic / transports, security warning).
package loopback

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// IsHost reports whether a host is this machine by its name: localhost, or a loopback
// address.
func IsHost(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// Refusal returns why a request is refused, empty if it is not. A page of another site has
// its Origin. A page whose name was made to resolve to 127.0.0.1 (DNS rebinding) has none
// with a GET, but the Host of its site; a request that arrived at another interface may have
// any Host. A picture or link of a page has neither, but Sec-Fetch-Site.
func Refusal(r *http.Request) string {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	host := &url.URL{Host: r.Host}
	if (!ok || local.IP.IsLoopback()) && !IsHost(host.Hostname()) {
		return fmt.Sprintf("the host %q is not this machine", r.Host)
	}
	origins := r.Header["Origin"]
	for _, origin := range origins {
		if u, err := url.Parse(origin); err != nil || !IsHost(u.Hostname()) {
			return fmt.Sprintf("the origin %q is not this machine", origin)
		}
	}
	if len(origins) == 0 && r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		return "it is a request of a web page of another site"
	}
	return ""
}
