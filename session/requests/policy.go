package requests

import (
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
)

// Policy responds to server requests of one kind without the user.
type Policy struct {
	Mode    PolicyMode
	Result  []byte // with PolicyResult: the result as raw JSON
	Name    string // with PolicyResult: the name of the saved answer, or ""
	Command string // with PolicyCommand: the command line of the sampler
}

// A PolicyMode is the kind of response of a policy.
type PolicyMode uint8

// The modes. For roots, PolicyNone means that the client responds with the roots of
// the session.
const (
	PolicyNone    PolicyMode = iota // not offered to the server
	PolicyUser                      // the user responds
	PolicyDecline                   // action "decline", or the error for sampling and roots
	PolicyCancel                    // action "cancel", or the error for sampling and roots
	PolicyError                     // an error
	PolicyResult                    // the result in Policy.Result
	PolicyAccept                    // elicitation: action "accept", with defaults and examples from the requested schema
	PolicyCommand                   // sampling: the result that Policy.Command prints
)

// String returns the mode as a word of --answer, or of the inspector.
func (m PolicyMode) String() string {
	return [...]string{"none", "ask", "decline", "cancel", "error", "result", "accept", "sampler"}[m]
}

// Policies are the policies of a session by the kind of request.
type Policies struct{ Sampling, Elicitation, Roots Policy }

// For returns the policy for a method, which can be changed through it.
func (p *Policies) For(method string) *Policy {
	switch method {
	case client.MethodSampling:
		return &p.Sampling
	case client.MethodRoots:
		return &p.Roots
	}
	return &p.Elicitation
}

// Policies returns the current policies.
func (b *Inbox) Policies() Policies {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.policies
}

// SetPolicy changes the policy for requests of a method that arrive later. A client declares
// sampling and elicitation when a connection begins. So a change from or to PolicyNone applies to
// the next connection.
func (b *Inbox) SetPolicy(method string, p Policy) {
	b.mu.Lock()
	*b.policies.For(method) = p
	b.mu.Unlock()
	b.session.Changed()
}

// policyResponse returns the response of a policy that responds immediately.
func policyResponse(r *Request, p Policy) response {
	switch p.Mode {
	case PolicyResult:
		return resultResponse(resultForRequest(r, p.Result))
	case PolicyAccept:
		return resultResponse(acceptance(r))
	case PolicyDecline:
		return rejection(r.Method, Declined)
	case PolicyCancel:
		return rejection(r.Method, Cancelled)
	}
	return response{state: Refused, code: jsonrpc.CodeInternalError, message: "request rejected by the policy of mcptea"}
}

// acceptance accepts an elicitation: required fields have their defaults, or examples
// that match their schema.
func acceptance(r *Request) []byte {
	if jsonrpc.Text(r.Params, "mode") == "url" {
		return []byte(`{"action":"accept"}`)
	}
	content := []byte("{}")
	if requested, ok := jsonrpc.Member(r.Params, "requestedSchema"); ok {
		form := schema.Parse(requested)
		content = form.Fill(content)
	}
	return append(append([]byte(`{"action":"accept","content":`), content...), '}')
}
