package directory

import (
	"context"
	"crypto/subtle"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"mcptea/client"
	mcphttp "mcptea/client/transport/http"
)

// challengePath is the path of a file by which a server proves that its domain belongs to the
// submission.
const challengePath = "/.well-known/openai-apps-challenge"

const (
	// challengeTimeout bounds the request. A static file is served immediately.
	challengeTimeout = 10 * time.Second
	// maxChallenge bounds the bytes read. A token has about fifty.
	maxChallenge = 16 << 10
)

// Challenge is the file that shows a directory whose domain it is.
type Challenge struct {
	Token  string // expected content of the file, or "" if unknown
	status int
	served string
	err    error // error instead of a response
}

// FetchChallenge reads the file from the origin of a server. It sends no headers or tokens of the user,
// and follows no redirects.
func FetchChallenge(ctx context.Context, target client.Target, token string) (c Challenge) {
	defer func() { c.err = target.Secrets().Error(c.err) }()
	c.Token = token
	u, err := mcphttp.Endpoint(target.URL)
	if err != nil {
		c.err = err
		return c
	}
	ctx, stop := context.WithTimeout(ctx, challengeTimeout)
	defer stop()
	transport := mcphttp.NewTransport(target.TLS, u, &http.Transport{Proxy: http.ProxyFromEnvironment})
	defer transport.CloseIdleConnections()
	u.User, u.Path, u.RawPath, u.RawQuery = nil, challengePath, "", ""
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		c.err = err
		return c
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		c.err = err
		return c
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxChallenge))
	c.status, c.served, c.err = response.StatusCode, strings.TrimSpace(string(text)), err
	return c
}

func challenge(s Subject) verdict {
	c := s.Challenge
	switch {
	case s.URL == "":
		return verdict{not: "the server is a command"}
	case c.Token == "":
		return verdict{flag: "--directory-token compares it"}
	case c.err != nil:
		return verdict{unseen: "there is no response from " + challengePath + ": " + c.err.Error()}
	case c.status != http.StatusOK:
		return verdict{problem: fmt.Sprintf("%s returned %d %s", challengePath, c.status, http.StatusText(c.status))}
	case subtle.ConstantTimeCompare([]byte(c.served), []byte(c.Token)) == 0:
		return verdict{problem: fmt.Sprintf("%s serves another text than the token, of %d bytes in place of %d", challengePath, len(c.served), len(c.Token))}
	}
	return verdict{}
}
