package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client/secret"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/system"
	"mcptea/internal/words/phrase"
)

const (
	formType = "application/x-www-form-urlencoded"
	jsonType = "application/json"

	maxRedirects = 5
)

// errNotFound reports that there is no metadata at a URL.
var errNotFound = errors.New("not found")

// A protectedError reports a metadata URL that requires authorization itself. Whether there is metadata is unknown,
// but the flow continues like after [errNotFound]: servers with static tokens protect all paths.
type protectedError struct{ status int }

func (e *protectedError) Error() string {
	return fmt.Sprintf("requires authorization (%d)", e.status)
}

// Is reports whether the target is [errNotFound].
func (e *protectedError) Is(target error) bool { return target == errNotFound }

// send sends one request, with the timeout of the configuration.
func (f *flow) send(ctx context.Context, r transport.Request) (transport.Reply, error) {
	r.Purpose = transport.PurposeAuthorization
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set("Accept", jsonType)
	late := fmt.Errorf("no response from %s within %s", secret.URL(r.URL.String()), phrase.Duration(f.cfg.Timeout))
	ctx, stop := context.WithTimeoutCause(ctx, f.cfg.Timeout, late)
	defer stop()
	reply, err := f.requester.Request(ctx, r)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return reply, err
}

// getJSON decodes a JSON document into a value. [errNotFound] means that the
// URL has no document, other errors that this is unknown. Redirects are followed within the
// origin, to other origins only if lenient.
func (f *flow) getJSON(ctx context.Context, from *url.URL, into any) error {
	at := from
	for range maxRedirects + 1 {
		reply, err := f.send(ctx, transport.Request{Method: http.MethodGet, URL: at})
		if err != nil {
			return err
		}
		if reply.Status/100 == 3 && reply.Header.Get("Location") != "" {
			if at, err = f.followRedirect(at, reply.Header.Get("Location")); err != nil {
				return err
			}
			continue
		}
		return parseMetadata(reply, into)
	}
	return fmt.Errorf("%s: more than %d redirects", secret.URL(from.String()), maxRedirects)
}

func (f *flow) followRedirect(from *url.URL, location string) (*url.URL, error) {
	to, err := from.Parse(location)
	if err != nil {
		return nil, fmt.Errorf("%s redirects to an invalid URL", secret.URL(from.String()))
	}
	if err := f.checkURL(to, "a redirect of "+secret.URL(from.String())); err != nil {
		return nil, err
	}
	if mcphttp.Origin(to) == mcphttp.Origin(from) {
		return to, nil
	}
	return to, f.refuse(CrossOriginMetadata, "RFC 9728 §3, RFC 8414 §3", secret.URL(to.String()),
		"%s redirects to another origin, %s", secret.URL(from.String()), mcphttp.Origin(to))
}

func parseMetadata(reply transport.Reply, into any) error {
	switch {
	case reply.Status >= 500, reply.Status == http.StatusTooManyRequests:
		return fmt.Errorf("returned %s", transport.StatusText(reply.Status))
	case reply.Status == http.StatusUnauthorized, reply.Status == http.StatusForbidden:
		return &protectedError{reply.Status}
	case reply.Status != http.StatusOK:
		return fmt.Errorf("%w (%d)", errNotFound, reply.Status)
	}
	if err := json.Unmarshal(reply.Body, into); err != nil {
		media, _, _ := mime.ParseMediaType(reply.Header.Get("Content-Type"))
		if _, page := phrase.Page(reply.Body); page || media == "text/html" { // the start page of a site for all paths
			return fmt.Errorf("%w (an HTML page)", errNotFound)
		}
		return fmt.Errorf("invalid JSON: %w", err)
	}
	return nil
}

// post sends a form to an endpoint and decodes the JSON response into a value. An
// error response is a *ServerError.
func (f *flow) post(ctx context.Context, to *url.URL, where string, header http.Header, form url.Values, into any) (transport.Reply, error) {
	if header == nil {
		header = http.Header{}
	}
	header.Set("Content-Type", formType)
	reply, err := f.send(ctx, transport.Request{Method: http.MethodPost, URL: to, Header: header, Body: []byte(form.Encode())})
	if err != nil {
		return reply, err
	}
	err = parseResponse(reply, where, into)
	var serverError *ServerError
	if errors.As(err, &serverError) {
		known := new(secret.Values) // the secrets of the request, which a response may repeat
		known.AddForm(formType, []byte(form.Encode()))
		known.AddHeader(header)
		serverError.Sent = public(form)
		if header.Get("Authorization") != "" {
			serverError.Sent.Set("token_endpoint_auth_method", "client_secret_basic")
		}
		serverError.Code, serverError.Description, serverError.body = known.Redact(serverError.Code), known.Redact(serverError.Description), known.Redact(serverError.body)
	}
	return reply, err
}

func parseResponse(reply transport.Reply, where string, into any) error {
	var failure struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	bad := json.Unmarshal(reply.Body, &failure)
	if reply.Status/100 != 2 || failure.Error != "" {
		e := &ServerError{Where: where, Status: reply.Status, Code: failure.Error, Description: failure.Description}
		if bad != nil || e.Code == "" {
			const most = 200
			e.body = phrase.Body(reply.Body, int64(len(reply.Body)), most)
			if _, page := phrase.Page(reply.Body); !page && e.body != "" {
				e.body = strconv.Quote(e.body)
			}
		}
		return e
	}
	if err := json.Unmarshal(reply.Body, into); err != nil {
		return badResponse(reply, where, err)
	}
	return nil
}

// report returns the violation, or adds a remark if the configuration is lenient.
func (f *flow) report(r *Refusal) error {
	f.list.Set(func(s *Step) { s.Refusal = r })
	if !f.cfg.Lenient {
		return r
	}
	f.list.Remark(r.Error() + "; continued because of --lenient")
	return nil
}

// refuse is like report, for a violation with its evidence and the section of the rule.
func (f *flow) refuse(kind Kind, rule, found, format string, args ...any) error {
	return f.report(&Refusal{Kind: kind, Rule: rule, Found: found, Text: fmt.Sprintf(format, args...)})
}

// checkURL rejects URLs without https (OAuth 2.1 §1.5) and internal addresses.
func (f *flow) checkURL(u *url.URL, what string) error {
	near, shown := mcphttp.IsLoopback(u.Hostname()), secret.URL(u.String())
	if kind := f.privateAddress(u); kind != "" {
		if err := f.refuse(InsecureURL, "RFC 9728 §7.7", shown, "%s is %s, %s; nothing was sent there, since %s could use the client to reach it",
			what, shown, kind, mcphttp.Origin(f.a.server)); err != nil {
			return err
		}
	}
	switch {
	case u.User != nil:
		return fmt.Errorf("%s is %s: with a user name a URL looks like one of another host", what, shown)
	case u.Scheme == "https" && u.Host != "", u.Scheme == "http" && near && mcphttp.IsLoopback(f.a.server.Hostname()):
		return nil
	case slices.Contains(codeSchemes, strings.ToLower(u.Scheme)):
		return fmt.Errorf("%s is %q, which a browser runs as code, and not an https:// URL", what, phrase.Clip(shown, maxShownURL))
	case u.Scheme != "http" || u.Host == "":
		return fmt.Errorf("%s is %q, not an https:// URL", what, phrase.Clip(shown, maxShownURL))
	case near:
		// A remote server must not make the client send requests to this machine.
		return f.refuse(InsecureURL, "RFC 9728 §7.7", shown, "%s is %s, on this machine, but the MCP server is not", what, shown)
	}
	return f.refuse(InsecureURL, "OAuth 2.1 §1.5", shown, "%s is %s: without https the requests can be read on the network", what, shown)
}

// codeSchemes are the schemes of URLs that a browser runs as code.
var codeSchemes = []string{"javascript", "data", "vbscript"}

// privateAddress describes an address in a private network if the server is outside of
// it: the server could reach internal services through the client (RFC 9728 §7.7).
// Link-local addresses, where clouds have their metadata services, are always
// rejected. Names are not resolved here. It is empty for other addresses.
func (f *flow) privateAddress(u *url.URL) string {
	ip, _ := system.AddressOf(u.Hostname()) // a name is the zero address
	ip = ip.Unmap()
	isHere := ip.IsLoopback() || mcphttp.IsLoopback(u.Hostname())
	switch {
	case ip.IsLinkLocalUnicast():
		return "a link-local address"
	case u.Scheme == "https" && isHere && !system.IsPrivateHost(f.a.server.Hostname()):
		return "an address of this machine"
	case !ip.IsLoopback() && system.IsPrivateAddr(ip) && !system.IsPrivateHost(f.a.server.Hostname()):
		return "an address in a private network"
	}
	return ""
}

// slashHint returns a hint if two issuers differ only in the trailing slash.
func slashHint(found, expected string) string {
	if strings.TrimSuffix(found, "/") == strings.TrimSuffix(expected, "/") {
		return "; they differ in the trailing slash and must be identical"
	}
	return ""
}

// endpoint parses and checks an endpoint of the server metadata.
func (f *flow) endpoint(raw, what string) (*url.URL, error) {
	if raw == "" {
		return nil, &IncompleteError{what}
	}
	if u := f.checked[what+" "+raw]; u != nil {
		return u, nil
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("the %s of the authorization server metadata is not a URL: %q", what, phrase.Clip(raw, maxShownURL))
	}
	u.Fragment, u.RawFragment = "", ""
	if err := f.checkURL(u, "the "+what); err != nil {
		return u, err
	}
	if f.checked == nil {
		f.checked = make(map[string]*url.URL)
	}
	f.checked[what+" "+raw] = u
	return u, nil
}

// maxShownURL is the maximum length of an invalid URL in an error, in bytes.
const maxShownURL = 100

// expiry returns the time in expires_in seconds, or the zero time if there is no such member.
func expiry(now time.Time, seconds float64) time.Time {
	const most = 10 * 365 * 24 * time.Hour // maximum of the lifetime: a large number of seconds would overflow
	if seconds <= 0 {
		return time.Time{}
	}
	return now.Add(min(time.Duration(min(seconds, most.Seconds()))*time.Second, most))
}
