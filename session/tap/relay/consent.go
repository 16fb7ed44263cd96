package relay

import (
	"fmt"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/record"
	"mcptea/session/tap/control"
)

// authorizeWait bounds the wait of a request for the user's authorization. It is shorter than
// the timeout of hosts for initialize (30 s and more), so that the host shows the page and not
// a timeout.
const authorizeWait = 25 * time.Second

// Consent handles an authorization that waits for the user at a page. Attached inspectors receive the whole
// address; the recording has the step without the secrets of the address.
func (r *Relay) Consent(at oauth.Consent) {
	r.mu.Lock()
	r.consent = at.URL
	r.mu.Unlock()
	r.Control.Consent(&control.Consent{URL: at.URL, Issuer: at.Issuer})
	r.askHost(at.URL)
}

// consent is a request to the host to show a page. It is kept until it is responded to and the sign-in has
// ended.
type consent struct {
	id       jsonrpc.ID
	open     bool // the request has no response yet
	notified bool // the end of the sign-in was reported
}

// askHost asks the host to show the page, if the host declares that capability (elicitation in URL mode,
// 2025-11-25, client / elicitation). The response goes to the relay.
func (r *Relay) askHost(page string) {
	r.mu.Lock()
	shows := jsonrpc.Get(r.known.initialize, "params", "capabilities", "elicitation", "url") != nil
	if !shows || r.known.result == nil || len(r.consents) >= maxPending {
		r.mu.Unlock()
		return
	}
	r.ownIDs++
	id := jsonrpc.StringID(fmt.Sprintf("%sconsent-%d", ownPrefix, r.ownIDs))
	r.consents[id.Key()] = &consent{id: id, open: true}
	r.mu.Unlock()
	line := func(url string) []byte {
		params := fmt.Sprintf(`{"mode":"url","elicitationId":%s,"url":%s,"message":"Sign in, so that mcptea can continue with the server."}`, id, jsonrpc.Quote(url))
		return append(jsonrpc.EncodeRequest(id, "elicitation/create", []byte(params)), '\n')
	}
	r.in.Inject(line(page), "mcptea asks for a consent", line((oauth.Step{URL: page}).MaskedURL()))
}

// answersConsent reports a response of the host to a request of the relay, and records it. The caller holds
// the lock.
func (r *Relay) answersConsent(id jsonrpc.Key, frame []byte, e *jsonrpc.Envelope) bool {
	c := r.consents[id]
	if c == nil || !c.open {
		return false
	}
	if c.open = false; c.notified || jsonrpc.Text(e.Result.Of(frame), "action") != "accept" {
		delete(r.consents, id)
	}
	return true
}

// signedIn notifies the host that the authorization is complete, so that it can close its pages.
func (r *Relay) signedIn() {
	r.mu.Lock()
	var ids []jsonrpc.ID
	for key, c := range r.consents {
		if !c.notified {
			ids = append(ids, c.id)
		}
		if c.notified = true; !c.open {
			delete(r.consents, key)
		}
	}
	r.mu.Unlock()
	for _, id := range ids {
		r.inject(jsonrpc.EncodeNotification("notifications/elicitation/complete", fmt.Appendf(nil, `{"elicitationId":%s}`, id)), "the sign-in has ended")
	}
}

// Authorization records a step of an authorization.
func (r *Relay) Authorization(s oauth.Step) {
	waits := s.Name == oauth.StepConsent && s.State == oauth.Running
	if s.Name == oauth.StepConsent && !waits {
		r.mu.Lock()
		r.signing, r.consent = false, ""
		r.mu.Unlock()
		r.Control.Consent(nil)
		r.signedIn()
	} else if waits {
		r.mu.Lock()
		r.signing = true
		r.mu.Unlock()
	}
	if s.State == oauth.Done || s.State == oauth.Failed || waits && s.URL != "" && !s.Opened {
		at := time.Now()
		r.queue.Call(func() {
			r.recorder.Event(record.Event{Kind: record.KindAuthorization, Time: at, Step: record.StepOf(s)})
		})
	}
}

// waitsForUser returns the error of requests that wait for the user, or nil if none does.
func (r *Relay) waitsForUser() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.signing {
		return nil
	}
	return &consentError{r.consent}
}

// consentError is the outcome of a request that has waited for the user, or for a sign-in with another
// process, which has the page.
type consentError struct{ page string }

// Error returns what the user should do.
func (e *consentError) Error() string {
	if e.page == "" {
		return "authorization is required, and another process of mcptea has asked for it: sign in on its page, or with mcptea auth login, then try again"
	}
	return "authorization is required: open " + e.page + " and sign in, then try again; mcptea waits for the page to return"
}
