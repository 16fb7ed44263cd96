package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// finding is what the answer to server/discover says of a server.
type finding struct {
	era     revision.Era
	because string // one sentence without its full stop

	handshake Handshake         // of a modern one
	offer     revision.Revision // for a legacy one: what to begin the handshake with

	err     error // connecting ends here
	refused error // the HTTP refusal of server/discover that made it a legacy one; nil otherwise
	again   int   // how often the same question may be asked once more
	pause   time.Duration
	restart bool // start the command again and begin with initialize
	tryList bool // another modern request decides
}

// read judges an answer by the tables of basic / versioning (2026-07-28). A
// legacy verdict never hangs on one error code: servers with a handshake have
// answered with many.
func (c *Client) read(p probed) finding {
	switch {
	case p.err != nil && p.status == 0:
		return c.readSilence(p.err)
	case p.status != 0 && p.status != http.StatusOK:
		return c.readStatus(p)
	case p.err != nil:
		return finding{err: p.err, because: p.err.Error()} // accepted, and then the answer broke
	}
	return c.readAnswer(p.answer)
}

func (c *Client) legacyFinding(because string, args ...any) finding {
	return finding{era: revision.EraLegacy, because: fmt.Sprintf(because, args...), offer: c.offer()}
}

// readSilence judges what came in place of an answer.
func (c *Client) readSilence(err error) finding {
	var late *TimeoutError
	var closed *ClosedError
	var invalid *InvalidResponseError
	switch {
	case errors.Is(err, errEarly):
		return c.legacyFinding("the server spoke before it had answered server/discover")
	case c.target.URL != "":
		return finding{err: err, because: err.Error(), again: unreachable(err), pause: c.backoff}
	case errors.As(err, &late):
		return c.legacyFinding("server/discover got no answer within %s", transport.Took(late.After))
	case errors.As(err, &closed) && hasEnded(err):
		return finding{err: err, restart: true, because: fmt.Sprintf("the server ended at server/discover (%v)", closed.Err)}
	case errors.As(err, &invalid):
		return c.legacyFinding("server/discover got an answer that is %s", invalid.Fault)
	}
	return finding{err: err}
}

// unreachable is how often to try once more. It leaves out what was decided here: the user's own cancelling, and
// a wait that was long enough.
func unreachable(err error) (again int) {
	var late *TimeoutError
	if errors.As(err, &late) || errors.Is(err, ErrClosed) || errors.Is(err, context.Canceled) {
		return 0
	}
	return mostAgain
}

// readAnswer judges an answer that came as one should.
func (c *Client) readAnswer(a Response) finding {
	if a.Err() != nil {
		return c.readError(a)
	}
	versions, ok := jsonrpc.Member(a.Result(), "supportedVersions")
	if !ok || versions[0] != '[' {
		return c.legacyFinding(`the answer to server/discover has no "supportedVersions"`)
	}
	listed := texts(versions)
	if namesModern(listed) {
		h, err := c.discovered(a)
		return finding{era: revision.EraModern, err: err, handshake: h, because: "server/discover lists " + listing(listed)}
	}
	return c.readVersions(listed, "server/discover lists %s", listing(listed))
}

// readVersions judges a list without one of ours that has no handshake.
func (c *Client) readVersions(listed []string, because string, args ...any) finding {
	r, ok := revision.NewestCommonLegacy(listed)
	if !ok {
		err := &RevisionError{Offered: revision.NewestModern, Listed: listed}
		return finding{era: revision.EraModern, because: fmt.Sprintf(because, args...), err: err}
	}
	f := c.legacyFinding(because, args...)
	f.offer = r
	return f
}

// readError judges an error in answer to the question.
func (c *Client) readError(a Response) finding {
	var rpc *RPCError
	errors.As(a.Err(), &rpc)
	because := fmt.Sprintf("server/discover was answered with error %d %s", rpc.Code, rpc.Message)
	listed := supportedRevisions(a)
	switch {
	case namesModern(listed), rpc.Code == revision.CodeHeaderMismatch:
		return finding{era: revision.EraModern, again: 1, because: because, err: rpc}
	case rpc.Code == revision.CodeUnsupportedVersion && len(listed) == 0:
		err := fmt.Errorf("%w (it does not say which revisions it speaks; mcptea asked in %s)", rpc, revision.NewestModern)
		return finding{era: revision.EraModern, again: 1, because: because, err: err}
	case rpc.Code == revision.CodeMissingCapability:
		return finding{era: revision.EraModern, because: because, err: c.lacking(rpc)}
	case len(listed) > 0:
		return c.readVersions(listed, "%s, and lists %s", because, listing(listed))
	}
	return c.legacyFinding("%s", because)
}

// readStatus judges an answer that HTTP says is no success.
func (c *Client) readStatus(p probed) finding {
	status := c.refusalOf(p)
	body := p.answer
	if body.Frame == nil {
		body = Response{Frame: status.Body, Envelope: jsonrpc.Scan(status.Body)}
	}
	because := fmt.Sprintf("server/discover was answered with HTTP %d", p.status)
	switch p.status {
	case http.StatusUnauthorized, http.StatusForbidden:
		var tried *transport.AuthorizationError
		if errors.As(p.err, &tried) {
			return finding{err: p.err, because: because} // which also says why there is no token
		}
		return finding{err: status, because: because}
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable,
		http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity, http.StatusNotImplemented:
		return c.readRefusal(p.status, status, body)
	}
	if p.status/100 == 3 {
		return finding{err: status, because: because} // the error says where to
	}
	f := finding{err: undecided(status), because: because}
	if pause, busy := c.isBusy(status); busy {
		f.again, f.pause = mostAgain, pause
	}
	return f
}

// undecided says how to go on although the server did not tell its era: a
// downgrade in silence is what nobody wants.
func undecided(err error) error {
	return fmt.Errorf("%w (which does not tell whether the server has a handshake; --protocol 2025-11-25 begins with one without asking)", err)
}

func (c *Client) readRefusal(status int, refused error, body Response) finding {
	var rpc *RPCError
	if !errors.As(body.Err(), &rpc) {
		f := c.legacyFinding("server/discover was answered with HTTP %d", status)
		f.refused = refused
		return f
	}
	f := c.readError(body)
	f.because = fmt.Sprintf("%s and HTTP %d", f.because, status)
	if f.era != revision.EraLegacy {
		return f
	}
	f.refused = refused
	f.tryList = status == http.StatusNotFound && rpc.Code == jsonrpc.CodeMethodNotFound
	return f
}

// refusalOf is the refusal as an error, also when its body was an answer.
func (c *Client) refusalOf(p probed) *transport.StatusError {
	var refused *transport.StatusError
	if errors.As(p.err, &refused) {
		return refused
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return &transport.StatusError{
		Method: c.status.Method, URL: c.status.URL, Status: p.status, Header: c.status.ResponseHeader,
		Body: head(p.answer.Frame, 4<<10),
	}
}

// lacking says what a server wants of its clients. Asking again is of no use:
// what mcptea can do, it has declared already.
func (c *Client) lacking(refused *RPCError) error {
	required, _ := jsonrpc.Member(refused.Data, "requiredCapabilities")
	var missing []string
	canAnswer := true
	for name := range jsonrpc.Members(required) {
		if _, ok := jsonrpc.Member(c.statelessCapabilities(), string(name)); ok {
			continue
		}
		missing = append(missing, string(name))
		canAnswer = canAnswer && (string(name) == "sampling" || string(name) == "elicitation")
	}
	switch {
	case len(missing) == 0:
		return refused
	case canAnswer:
		return fmt.Errorf("%w (it wants a client with %s: offer that with --answer %s=ask)", refused, strings.Join(missing, " and "), missing[0])
	}
	return fmt.Errorf("%w (it wants a client with %s, which mcptea does not have)", refused, strings.Join(missing, " and "))
}
