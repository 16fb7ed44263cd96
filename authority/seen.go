package authority

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// A Seen is a request that the authority received. It contains no secrets.
type Seen struct {
	Time           time.Time         `json:"time"`                     // time of the request
	Endpoint       string            `json:"endpoint"`                 // metadata, jwks, register, authorize, consent, token, introspect, revoke, other-jwks, other-certificate, other-metadata or unknown
	Method         string            `json:"method"`                   // HTTP method
	Path           string            `json:"path"`                     // path of the URL
	Agent          string            `json:"user_agent,omitempty"`     // User-Agent of the client
	Client         string            `json:"client,omitempty"`         // client_name of the registration
	Registration   string            `json:"registration,omitempty"`   // "registered", or "document" for a client ID metadata document
	Authentication string            `json:"authentication,omitempty"` // token_endpoint_auth_method of the request
	DPoP           bool              `json:"dpop,omitempty"`           // the request has a valid proof
	Params         map[string]string `json:"params,omitempty"`         // parameters; of secrets, the length
	Status         int               `json:"status"`                   // status of the response
	Error          string            `json:"error,omitempty"`          // error code of the response
	Findings       []Finding         `json:"findings,omitempty"`       // what the client must not do
}

// A Finding is something that a client must not do.
type Finding struct {
	Level string `json:"level"` // "error", "warning" or "info"
	Code  string `json:"code"`  // such as pkce, resource or went-on
	Text  string `json:"text"`  // the finding as a sentence
	Spec  string `json:"spec"`  // section that it violates
}

// The levels of findings.
const (
	levelError   = "error"
	levelWarning = "warning"
	levelInfo    = "info"
)

// shownParams lists the parameters that are not secret. For others, only the length is reported.
var shownParams = []string{
	"response_type", "response_mode", "client_id", "redirect_uri", "scope", "resource", "code_challenge_method", "grant_type", "prompt", "audience",
	"token_type_hint", "client_assertion_type", "dpop_jkt", "requested_token_type", "subject_token_type",
}

// An exchange is a request with its response.
type exchange struct {
	w    http.ResponseWriter
	r    *http.Request
	body []byte
	form url.Values
	seen Seen
}

func (a *Authority) serve(w http.ResponseWriter, r *http.Request, endpoint string, do func(*exchange)) {
	x := &exchange{w: w, r: r, seen: Seen{Time: a.now(), Endpoint: endpoint, Method: r.Method, Path: Redact(r.URL.Path), Agent: Redact(r.UserAgent()), Status: http.StatusOK}}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	x.body = body
	if r.Method == http.MethodPost && endpoint != "register" {
		x.form, _ = url.ParseQuery(string(body))
	}
	a.mu.Lock()
	a.counts[endpoint]++
	a.mu.Unlock()
	if err != nil {
		x.fail(http.StatusRequestEntityTooLarge, "invalid_request", "the body is larger than 64 KiB, or was cut")
	} else {
		do(x)
	}
	x.seen.Params, x.seen.Client = x.params(), Redact(x.seen.Client)
	a.watch(x)
}

// maxParams bounds the reported parameters of a request.
const maxParams = 64

// params returns the parameters of a request. For a secret, it returns the length.
func (x *exchange) params() map[string]string {
	all := make(map[string]string)
	add := func(name, value string) {
		if len(all) < maxParams {
			all[Redact(name)] = Redact(value)
		}
	}
	for name, values := range x.form {
		if slices.Contains(shownParams, name) {
			add(name, strings.Join(values, " "))
		} else {
			add(name, fmt.Sprintf("(%d characters)", len(values[0])))
		}
	}
	if x.seen.Endpoint != "register" {
		return all
	}
	var c map[string]json.RawMessage
	_ = json.Unmarshal(x.body, &c)
	for name, value := range c {
		switch name {
		case "client_secret", "software_statement", "registration_access_token", "jwks":
			add(name, fmt.Sprintf("(%d bytes)", len(value)))
		default:
			add(name, strings.Trim(string(value), `"`))
		}
	}
	return all
}

// secrets matches codes, tokens and secrets of the authority in a text.
var secrets = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:code|refresh|secret|consent)_[A-Za-z0-9_-]{43}|eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]*)?`)
})

// Redact replaces the tokens, codes and client secrets of any authority in a text.
func Redact(text string) string { return secrets().ReplaceAllString(text, "(secret)") }

// status writes the status of the response.
func (x *exchange) status(status int) {
	x.seen.Status = status
	x.w.WriteHeader(status)
}

// json writes a JSON response.
func (x *exchange) json(status int, d any) {
	x.w.Header().Set("Content-Type", "application/json")
	x.status(status)
	_ = json.NewEncoder(x.w).Encode(d)
}

// fail writes an error response (RFC 6749 §5.2).
func (x *exchange) fail(status int, code, text string) {
	x.seen.Error = code
	x.json(status, map[string]string{"error": code, "error_description": text})
}

// find adds a finding.
func (x *exchange) find(level, code, spec, format string, args ...any) {
	x.seen.Findings = append(x.seen.Findings, Finding{level, code, Redact(fmt.Sprintf(format, args...)), spec})
}

// capital returns a text that begins with a capital letter.
func capital(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[size:]
}
