package experiment

import (
	"context"
	"net"
	"net/url"
	"time"

	mcphttp "mcptea/client/transport/http"
	"mcptea/session/explain/failure"
)

// otherLoopback returns the other loopback address for a URL whose loopback address refused the connection.
func otherLoopback(raw string, err error) (address string, ok bool) {
	u, bad := url.Parse(raw)
	if bad != nil || mcphttp.ReasonOf(err) != "refused" {
		return "", false
	}
	other, ok := map[string]string{"127.0.0.1": "::1", "::1": "127.0.0.1"}[u.Hostname()]
	return net.JoinHostPort(other, mcphttp.Port(u)), ok
}

// tryLoopback connects to the other loopback address, and sends nothing.
func tryLoopback(ctx context.Context, raw string, err error) (report Report) {
	address, _ := otherLoopback(raw, err)
	at := time.Now()
	conn, failed := (&net.Dialer{Timeout: maxEach}).DialContext(ctx, "tcp", address)
	t := Tried{ID: "loopback", Changed: "a connection to " + address, Outcome: "refused", Same: failed != nil, Works: failed == nil, Took: time.Since(at)}
	if failed == nil {
		t.Outcome = "accepted"
		_ = conn.Close() // nothing was sent
	}
	if report.Tried = append(report.Tried, t); failed != nil {
		return Report{} // the server is down
	}
	u, _ := url.Parse(raw) // the URL has been parsed before
	host := u.Host
	u.Host, u.User, u.RawQuery = address, nil, ""
	report.Conclusion, report.Decides = failure.Shown("loopback", map[string]string{"address": address, "host": host, "url": u.String()}), true
	return report
}
