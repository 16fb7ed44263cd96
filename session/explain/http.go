package explain

import (
	"crypto/x509"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"mcptea/client"
	"mcptea/client/transport"
	"mcptea/client/transport/httpsse"
	"mcptea/client/transport/rpchttp"
	"mcptea/internal/lazyregexp"
)

// noTransport explains a URL where neither HTTP transport works. The error of
// Streamable HTTP decides; that of HTTP+SSE is added.
func noTransport(err *client.FallbackError, f Facts) Explanation {
	e := classify(err.HTTP, f)
	var status *transport.StatusError
	var origin *httpsse.OriginError
	text := err.SSE.Error()
	if errors.As(err.SSE, &origin) { // it speaks HTTP+SSE, and that is what went wrong
		e = classify(err.SSE, f)
		if errors.As(err.HTTP, &status) {
			e.Evidence = append(e.Evidence, Line{"as http", brief(status), true})
		}
	}
	if errors.As(err.SSE, &status) {
		text = brief(status)
	}
	if errors.As(err.Probe, &status) {
		e.Evidence = append(e.Evidence, Line{"discover", brief(status), true})
	}
	e.Evidence = append(e.Evidence, Line{"as sse", text, true})
	return e
}

// brief is a response that is not a success, on one line.
func brief(err *transport.StatusError) string {
	text := fmt.Sprintf("%s %s → %d", err.Method, err.URL, err.Status)
	if body := strings.Join(strings.Fields(string(err.Body)), " "); body != "" {
		text += " " + cut(body)
	}
	return text
}

var malformed = lazyregexp.New(`malformed HTTP [\w ]+ ("(?:[^"\\]|\\.)*")`)

// unreachable is a connection that could not be made, or that broke.
func unreachable(err error, f Facts) (Explanation, bool) {
	// The URL is in another line already.
	text := strings.TrimPrefix(err.Error(), f.exchange.Method+" "+f.exchange.URL+": ")
	e := Explanation{Sentence: sentence(text)}
	switch rpchttp.ReasonOf(err) {
	case rpchttp.ResolveFailed:
		e.Cause = "The host name is misspelled, or name resolution (DNS) does not work on this machine."
		e.Try = "Check the host in the URL."
	case rpchttp.ConnectionRefused:
		e.Cause = "The server is not running, or it listens on another port or address."
		e.Try = "Start the server, and compare its port with the one in the URL."
	case rpchttp.CertificateError:
		e.Cause, e.Try = certificateCause(err)
	case rpchttp.NotTLS:
		e.Cause = "The server speaks plain HTTP on this port."
		e.Try = "Write http:// instead of https://."
	case rpchttp.TLSAlert:
		e.Cause = "There is no common TLS version or cipher suite, the server requires a client certificate, or it does not serve this host name."
		e.Try = "Check the host name in the URL and the server's TLS settings."
	case rpchttp.NotHTTP:
		if quoted := malformed().FindStringSubmatch(rootText(err)); quoted != nil {
			return notHTTP(e, quoted[1]), true
		}
		return e, false
	case rpchttp.ConnectionLost:
		e.Cause = "The server crashed, or a proxy closed the connection."
		e.Try = "Check the server's log."
		if strings.HasPrefix(f.target.URL, "http:") && f.exchange.Status == 0 {
			e.Cause = "The server crashed, a proxy closed the connection, or the port requires https."
			e.Try = "Look at the server's log; try https:// if the port may speak TLS."
		}
	case rpchttp.HostUnreachable:
		e.Cause = "This machine is not connected to the network of the host (for example without its VPN)."
		e.Try = "Check the network, and the address in the URL."
	case rpchttp.ProxyAuthRequired:
		e.Cause = "The request goes through a proxy (HTTPS_PROXY) that requires authentication."
		e.Try = "Set user and password in the variable (http://USER:PASSWORD@HOST), or add the server's host to NO_PROXY."
	case rpchttp.TimedOut:
		e.Cause = "The host does not respond: it is down, or a firewall drops the packets."
		e.Try = "Check the address and the network."
	default:
		return e, false
	}
	return e, true
}

// rootText is the text of the innermost error.
func rootText(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// notHTTP explains a response that is not HTTP. said is its first line in quotation
// marks.
func notHTTP(e Explanation, said string) Explanation {
	e.Evidence = []Line{{"said", cut(said), true}}
	e.Cause = "The port is not an HTTP server."
	e.Try = "Check host and port."
	bytes, _ := strconv.Unquote(said) // an invalid string matches no case
	switch {
	case strings.HasPrefix(bytes, "\x15\x03"):
		e.Sentence = strings.TrimSuffix(e.Sentence, ".") + ": the port requires TLS."
		e.Cause = "The port requires https, and the URL has http."
		e.Try = "Write https:// instead of http://."
	case strings.HasPrefix(bytes, "\x00\x00") && len(bytes) > 3 && bytes[3] == 4:
		e.Sentence = strings.TrimSuffix(e.Sentence, ".") + " 1.1: the port supports HTTP/2 only."
		e.Cause = "It may be a gRPC server."
	case strings.HasPrefix(bytes, "SSH-"):
		e.Cause = "The port is an SSH server."
	}
	return e
}

// certificateCause says why a certificate is not accepted.
func certificateCause(err error) (cause, try string) {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &authority):
		return "x509: certificate signed by unknown authority: it is self-signed, or this machine lacks the authority.",
			"Add its authority to the system's trust store, or set SSL_CERT_FILE."
	case errors.As(err, &host):
		return "The certificate is for another host name.", "Use a host name that is in the certificate, or issue one for this host name."
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "The certificate has not been renewed, or the clock of this machine is wrong.", "Renew the server's certificate; check the date of this machine."
	}
	return "The certificate, or one in its chain, is not valid.", "Issue a new certificate for the server."
}
