package system

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// IsLoopback reports whether a host is this machine by its name: localhost, or a loopback
// address.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// LoopbackRefusal returns why a request is refused, or "". A page of another site has its Origin. A page whose
// name was made to resolve to 127.0.0.1 (DNS rebinding) sends no Origin with a GET, but the Host of its site; a
// request that arrived at another interface may have any Host. A picture or link of a page has neither, but
// Sec-Fetch-Site.
func LoopbackRefusal(r *http.Request) string {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	host := &url.URL{Host: r.Host}
	if (!ok || local.IP.IsLoopback()) && !IsLoopback(host.Hostname()) {
		return fmt.Sprintf("the host %q is not this machine", r.Host)
	}
	origins := r.Header["Origin"]
	for _, origin := range origins {
		if u, err := url.Parse(origin); err != nil || !IsLoopback(u.Hostname()) {
			return fmt.Sprintf("the origin %q is not this machine", origin)
		}
	}
	if len(origins) == 0 && r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		return "it is a request of a web page of another site"
	}
	return ""
}

// IsPort reports whether a text is the number of a port that a program can listen on.
func IsPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}
