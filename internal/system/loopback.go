package system

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
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

// SiteRefusal returns why a request to a listener for hosts may be from a web page of another site,
// or "". If the listener or the connection is on the loopback interface, the Host and the Origin
// must be this machine. On another interface, the Host must be an IP address, which is not the name
// of a web site, and no web page is expected. names are accepted in both.
func SiteRefusal(r *http.Request, loopback bool, names []string) string {
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		loopback = loopback || local.IP.IsLoopback()
	}
	isNamed := func(host string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, host) })
	}
	host := (&url.URL{Host: r.Host}).Hostname()
	if !isNamed(host) && !IsLoopback(host) && (loopback || net.ParseIP(host) == nil) {
		return fmt.Sprintf("the host %q is unknown; --allow-host accepts it", r.Host)
	}
	origins := r.Header.Values("Origin")
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if err != nil || !isNamed(u.Hostname()) && !(loopback && IsLoopback(u.Hostname())) {
			return fmt.Sprintf("the origin %q belongs to another site; --allow-host accepts it", origin)
		}
	}
	if len(origins) == 0 && r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		return "the request is from a web page of another site"
	}
	return ""
}

// IsPort reports whether a text is the number of a port that a program can listen on.
func IsPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}
