package authority

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"mcptea/internal/jose"
)

// watched holds what is known about the clients. Authority.seeing guards it.
type watched struct {
	facts    []Fact // in the order in which they were first seen
	reached  map[string]int
	findings []Finding // without repetitions; at most maxFindings
	refused  map[string]int
	wentOn   bool // the finding about a client that continues was reported
	loops    bool // the finding about a loop was reported
}

const (
	maxFindings = 200
	maxRefused  = 256

	// maxTokenRequests is the number of token requests after which a loop of the client is
	// reported.
	maxTokenRequests = 20
	// maxRepeated is the maximum number of times that a client may send a rejected token.
	maxRepeated = 5
)

// rank gives the endpoints their order in a flow.
var rank = map[string]int{"metadata": 1, "register": 2, "authorize": 3, "token": 4, "resource": 5}

// watch records a request, judges it together with the earlier requests of clients, and reports it.
func (a *Authority) watch(x *exchange) {
	a.seeing.Lock()
	defer a.seeing.Unlock()
	c := &a.client
	if c.reached == nil {
		c.reached = make(map[string]int)
	}
	s := &x.seen
	c.reached[s.Endpoint]++
	s.Findings = append(s.Findings, a.continued(s.Endpoint)...)
	if s.Endpoint == "token" && c.reached["token"] > maxTokenRequests && !c.loops {
		c.loops = true
		x.find(levelError, "loop", "RFC 6749 §5.2", "The client has sent more than %d token requests: it does not stop.", maxTokenRequests)
	}
	c.noteFacts(s)
	c.add(s.Findings...)
	if a.options.Seen != nil {
		a.options.Seen(*s)
	}
}

// noteFacts records the facts that a request reveals about its client.
func (c *watched) noteFacts(s *Seen) {
	or := func(text, none string) string {
		if text == "" {
			return none
		}
		return text
	}
	p := s.Params
	switch s.Endpoint {
	case "register":
		c.note("registration", "dynamic: application_type "+or(p["application_type"], "absent")+
			", token_endpoint_auth_method "+or(p["token_endpoint_auth_method"], "absent")+", grant_types "+or(p["grant_types"], "absent"))
	case "authorize":
		if s.Registration == "document" {
			c.note("registration", "client ID metadata document "+p["client_id"])
		}
		c.note("PKCE", or(p["code_challenge_method"], "none"))
		c.note("resource at authorization", or(p["resource"], "none"))
		c.note("scope", or(p["scope"], "none"))
		c.note("state", or(p["state"], "none"))
		c.note("redirect", or(p["redirect_uri"], "none"))
	case "token":
		if grant := p["grant_type"]; slices.Contains([]string{grantCode, grantRefresh, grantClient}, grant) {
			c.note("resource at "+grant, or(p["resource"], "none"))
		}
		c.note("client authentication", or(s.Authentication, "none"))
		c.note("DPoP", map[bool]string{true: "yes", false: "no"}[s.DPoP])
	}
}

// note records a fact.
func (c *watched) note(name, value string) {
	i := slices.IndexFunc(c.facts, func(f Fact) bool { return f.Name == name })
	if i < 0 {
		c.facts = append(c.facts, Fact{name, value})
	} else {
		c.facts[i].Value = value
	}
}

// add adds findings that are not there yet.
func (c *watched) add(more ...Finding) {
	for _, f := range more {
		if len(c.findings) < maxFindings && !slices.Contains(c.findings, f) {
			c.findings = append(c.findings, f)
		}
	}
}

// continued returns a finding if a client uses an endpoint after the wrong answer. A correct client
// stops there. The caller holds a.seeing.
func (a *Authority) continued(endpoint string) []Finding {
	last := rank[a.wrong.Until]
	if last == 0 || rank[endpoint] <= last || a.client.wentOn {
		return nil
	}
	a.client.wentOn = true
	next := map[string]string{"register": "registered", "authorize": "sent an authorization request", "token": "sent a token request", "resource": "used the token"}[endpoint]
	return []Finding{{levelError, "went-on", fmt.Sprintf("The client %s after %s. A right client %s.", next, a.wrong.Summary, a.wrong.Right), a.wrong.Spec}}
}

// sawResource records the reaction of the protected server. It finds clients that repeat a rejected
// token.
func (a *Authority) sawResource(r *http.Request, status int) {
	a.seeing.Lock()
	defer a.seeing.Unlock()
	c := &a.client
	_, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if status == http.StatusOK {
		c.add(a.continued("resource")...)
		return
	}
	if token == "" || r.Header.Get("DPoP") != "" {
		return
	}
	if len(c.refused) >= maxRefused || c.refused == nil {
		c.refused = make(map[string]int)
	}
	key := jose.SHA256(token)
	if c.refused[key]++; c.refused[key] > maxRepeated {
		c.add(Finding{levelWarning, "loop", fmt.Sprintf("The client has sent a token more than %d times that the server had rejected with %d.", maxRepeated, status), "MCP authorization, step-up authorization flow: retry limits"})
	}
}

// A Fact is something that clients have sent. Value is the newest value.
type Fact struct {
	Name  string `json:"name"`  // such as PKCE
	Value string `json:"value"` // such as S256
}

// A Summary describes what clients have done.
type Summary struct {
	Facts    []Fact         `json:"facts"`    // in the order in which they were seen
	Findings []Finding      `json:"findings"` // each once
	Reached  map[string]int `json:"reached"`  // requests by endpoint
}

// Summary returns what clients have done so far.
func (a *Authority) Summary() Summary {
	a.seeing.Lock()
	defer a.seeing.Unlock()
	c := &a.client
	return Summary{append([]Fact{}, c.facts...), append([]Finding{}, c.findings...), maps.Clone(c.reached)}
}
