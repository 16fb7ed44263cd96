package system_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"mcptea/internal/system"
)

func TestLoopback_Refusal(t *testing.T) {
	local, network := net.IPv4(127, 0, 0, 1), net.IPv4(192, 0, 2, 1)
	for name, tc := range map[string]struct {
		at      net.IP // where the request arrived
		host    string
		header  http.Header
		refused bool
	}{
		"this machine by name":                     {local, "localhost:8080", nil, false},
		"this machine by name, another case":       {local, "LocalHost:8080", nil, false},
		"this machine by address":                  {local, "127.0.0.1:8080", nil, false},
		"this machine by address, IPv6":            {local, "[::1]:8080", nil, false},
		"another port":                             {local, "127.0.0.1", nil, false},
		"a name that resolves to this machine":     {local, "evil.example:8080", nil, true},
		"a name with localhost in front":           {local, "localhost.evil.example", nil, true},
		"a name below an address":                  {local, "127.0.0.1.evil.example", nil, true},
		"no host":                                  {local, "", nil, true},
		"another name at another interface":        {network, "server.example:8080", nil, false},
		"a page of this machine":                   {local, "localhost:8080", http.Header{"Origin": {"http://localhost:5173"}}, false},
		"a page of another site":                   {local, "localhost:8080", http.Header{"Origin": {"https://evil.example"}}, true},
		"a page of another site at another one":    {network, "server.example:8080", http.Header{"Origin": {"https://evil.example"}}, true},
		"a page without an origin":                 {local, "localhost:8080", http.Header{"Origin": {"null"}}, true},
		"two origins":                              {local, "localhost:8080", http.Header{"Origin": {"http://localhost", "https://evil.example"}}, true},
		"a picture of a page of another site":      {local, "localhost:8080", http.Header{"Sec-Fetch-Site": {"cross-site"}}, true},
		"an address that the user typed":           {local, "localhost:8080", http.Header{"Sec-Fetch-Site": {"none"}}, false},
		"a page at localhost that uses 127.0.0.1":  {local, "127.0.0.1:8080", http.Header{"Origin": {"http://localhost:6274"}, "Sec-Fetch-Site": {"cross-site"}}, false},
		"a name and no address of the connection":  {nil, "evil.example", nil, true},
		"localhost, no address of the connection":  {nil, "localhost", nil, false},
		"a user name that looks like this machine": {local, "localhost:8080", http.Header{"Origin": {"http://localhost@evil.example"}}, true},
	} {
		r := httptest.NewRequest(http.MethodGet, "http://localhost/mcp", nil)
		r.Host, r.Header = tc.host, tc.header
		if tc.at != nil {
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: tc.at, Port: 8080}))
		}
		if got := system.LoopbackRefusal(r); (got != "") != tc.refused {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Beside another interface, where a name may be that of a web site, the rules are those of the loopback interface, whatever
// the listener is bound to.
func TestSiteRefusal(t *testing.T) {
	local, network := net.IPv4(127, 0, 0, 1), net.IPv4(192, 168, 1, 5)
	for _, c := range []struct {
		at           net.IP
		host, origin string
		refused      bool
	}{
		{local, "127.0.0.1:80", "", false},
		{local, "localhost:80", "http://localhost:6274", false},
		{local, "evil.example:80", "http://evil.example:80", true},
		{local, "192.168.1.5:80", "", true},
		{local, "mcp.example.com", "https://mcp.example.com", false},
		{network, "192.168.1.5:80", "", false},
		{network, "[fd00::5]:80", "", false},
		{network, "evil.example:80", "", true},
		{network, "192.168.1.5:80", "http://evil.example", true},
		{network, "mcp.example.com", "", false},
	} {
		r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: c.at, Port: 80}))
		if why := system.SiteRefusal(r, false, []string{"mcp.example.com"}); (why != "") != c.refused {
			t.Errorf("%+v: %q", c, why)
		}
	}
}

func TestIsPort(t *testing.T) {
	for text, want := range map[string]bool{"1": true, "8080": true, "65535": true, "0": false, "65536": false, "-1": false, "": false, "http": false} {
		if got := system.IsPort(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
