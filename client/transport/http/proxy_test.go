package http

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"mcptea/client/transport"
)

type discard struct{}

func (discard) Frame(transport.Frame) (at transport.Ref) { return at }
func (discard) Exchange(transport.Exchange)              {}
func (discard) Stderr(transport.Line)                    {}
func (discard) Process(transport.ProcessEvent)           {}

// TestRoundTrip_Proxy has a proxy that cannot be used, in each way: the error names the proxy
// and the reason, and not the server as what cannot be reached.
func TestRoundTrip_Proxy(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refusing := "http://" + closed.Addr().String()
	_ = closed.Close()
	returns := func(status int) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		t.Cleanup(s.Close)
		return s.URL
	}
	fails := func(err error) func(context.Context, string, string) (net.Conn, error) {
		return func(context.Context, string, string) (net.Conn, error) { return nil, err }
	}
	notFound := &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "proxy.example.invalid", IsNotFound: true}}
	timedOut := &net.OpError{Op: "dial", Net: "tcp", Err: context.DeadlineExceeded}
	const plain, secure = "http://mcp.example.invalid/mcp", "https://mcp.example.invalid/mcp"
	for _, tt := range []struct {
		name, proxy, to, want, reason string
		dial                          func(context.Context, string, string) (net.Conn, error)
	}{
		{"refused", refusing, plain, "cannot connect to the proxy PROXY: connection refused", "proxy-refused", nil},
		{"refused, TLS", refusing, secure, "cannot connect to the proxy PROXY: connection refused", "proxy-refused", nil},
		{"no such host", "http://proxy.example.invalid", plain, `cannot resolve host "proxy.example.invalid": no such host`, "proxy-dns", fails(notFound)},
		{"timeout", "http://proxy.example.invalid:3128", secure, "timed out waiting for the proxy PROXY: ", "proxy-timeout", fails(timedOut)},
		{"another", "http://proxy.example.invalid:3128", plain, "strange", "", fails(errors.New("strange"))},
		{"407", returns(407), secure, "the proxy for mcp.example.invalid:443 requires authentication: 407 Proxy Authentication Required", "proxy", nil},
		{"403", returns(403), secure, "the proxy does not connect to mcp.example.invalid:443: 403 Forbidden", "proxy-status", nil},
		{"502", returns(502), secure, "the proxy does not connect to mcp.example.invalid:443: 502 Bad Gateway", "proxy-status", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			proxy, err := url.Parse(tt.proxy)
			if err != nil {
				t.Fatal(err)
			}
			c := NewClient(TLS{}, tt.to, func() error { return nil })
			c.Receiver = discard{}
			c.http.target.Proxy = http.ProxyURL(proxy)
			if tt.dial != nil {
				c.http.target.DialContext = tt.dial
			}
			u, err := url.Parse(tt.to)
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Begin(u, "message", "POST", http.Header{}, []byte("{}")).RoundTrip(t.Context())
			want := "POST " + tt.to + ": " + strings.ReplaceAll(tt.want, "PROXY", proxy.Host)
			if err == nil || !strings.HasPrefix(err.Error(), want) || ReasonOf(err) != tt.reason || !IsUnreachable(err) {
				t.Errorf("%v (%s), want %s (%s)", err, ReasonOf(err), want, tt.reason)
			}
		})
	}
}
