package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"mcptea/client/secret"
	"mcptea/client/transport"
)

const (
	formType = "application/x-www-form-urlencoded"
	jsonType = "application/json"

	maxRedirects = 5
)

// errNotFound says that a document is not where it was looked for.
var errNotFound = errors.New("there is none")

// send makes one request, in bounded time.
func (f *flow) send(ctx context.Context, r transport.Request) (transport.Reply, error) {
	r.Purpose = transport.PurposeAuthorization
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set("Accept", jsonType)
	late := fmt.Errorf("%s did not answer within %s", secret.URL(r.URL.String()), transport.FormatDuration(f.cfg.Timeout))
	ctx, stop := context.WithTimeoutCause(ctx, f.cfg.Timeout, late)
	defer stop()
	reply, err := f.by.Request(ctx, r)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return reply, err
}

// getJSON fetches JSON by GET into a value. [errNotFound], with the reason,
// means that the place is wrong; other errors that nobody can tell. It follows
// redirects, within the origin unless leniency was asked for.
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
	return fmt.Errorf("%s leads to more than %d redirects", secret.URL(from.String()), maxRedirects)
}

func (f *flow) followRedirect(from *url.URL, location string) (*url.URL, error) {
	to, err := from.Parse(location)
	if err != nil {
		return nil, fmt.Errorf("%s redirects to something that is no URL", secret.URL(from.String()))
	}
	if err := f.checkURL(to, "a redirect of "+secret.URL(from.String())); err != nil {
		return nil, err
	}
	if origin(to) == origin(from) {
		return to, nil
	}
	return to, f.report(&Refusal{
		Kind: CrossOriginMetadata, Found: secret.URL(to.String()), Rule: "RFC 9728 §3, RFC 8414 §3",
		Text: fmt.Sprintf("%s redirects to another origin, %s, which cannot speak for it", secret.URL(from.String()), origin(to)),
	})
}

func parseMetadata(reply transport.Reply, into any) error {
	switch {
	case reply.Status >= 500, reply.Status == http.StatusTooManyRequests:
		return fmt.Errorf("the answer was %d %s", reply.Status, http.StatusText(reply.Status))
	case reply.Status != http.StatusOK:
		return fmt.Errorf("%w (%d)", errNotFound, reply.Status)
	}
	if err := json.Unmarshal(reply.Body, into); err != nil {
		media, _, _ := mime.ParseMediaType(reply.Header.Get("Content-Type"))
		if media == "text/html" { // a site that answers everything with its start page
			return fmt.Errorf("%w (a page of HTML)", errNotFound)
		}
		return fmt.Errorf("the document cannot be read: %w", err)
	}
	return nil
}

// post sends a form and reads the answer of an endpoint, JSON in both cases:
// success into a value, failure as a *ServerError.
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
	var said *ServerError
	if errors.As(err, &said) {
		said.Description, said.Body = redactForm(said.Description, form), redactForm(said.Body, form)
	}
	return reply, err
}

// redactForm takes out of a server's words what it repeats of the secrets that it
// was told.
func redactForm(text string, form url.Values) string {
	for name, values := range form {
		for _, v := range values {
			if v != "" && secret.IsMember(name) {
				text = strings.ReplaceAll(text, v, secret.Mark)
			}
		}
	}
	return text
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
			e.Body = strings.ToValidUTF8(string(reply.Body[:min(len(reply.Body), most)]), "")
		}
		return e
	}
	if err := json.Unmarshal(reply.Body, into); err != nil {
		// The body may hold a token, so that it is not repeated.
		return fmt.Errorf("%s answered %d with something that cannot be read: %w", where, reply.Status, err)
	}
	return nil
}

// report ends the matter, or notes that it goes on all the same.
func (f *flow) report(r *Refusal) error {
	f.list.Set(func(s *Step) { s.Refusal = r })
	if !f.cfg.Lenient {
		return r
	}
	f.list.Remark(r.Error() + "; continued because of --lenient")
	return nil
}

// checkURL refuses URLs whose requests others on the network can read (OAuth 2.1 §1.5).
func (f *flow) checkURL(u *url.URL, what string) error {
	near := isLoopback(u.Hostname())
	if refused := f.privateAddress(u, what); refused != nil {
		if err := f.report(refused); err != nil {
			return err
		}
	}
	switch {
	case u.Scheme == "https" && u.Host != "", u.Scheme == "http" && near && isLoopback(f.a.server.Hostname()):
		return nil
	case u.Scheme != "http" || u.Host == "":
		return fmt.Errorf("%s is %q, which is no https:// URL", what, secret.URL(u.String()))
	case near:
		// A server elsewhere must not have us knock at what listens here.
		return f.report(&Refusal{
			Kind: InsecureURL, Found: secret.URL(u.String()), Rule: "RFC 9728 §7.7",
			Text: fmt.Sprintf("%s is %s, on this machine, and the server that says so is not", what, secret.URL(u.String())),
		})
	}
	return f.report(&Refusal{
		Kind: InsecureURL, Found: secret.URL(u.String()), Rule: "OAuth 2.1 §1.5",
		Text: fmt.Sprintf("%s is %s: without https, others on the network can read what is sent", what, secret.URL(u.String())),
	})
}

// privateAddress refuses addresses inside a network when the server is outside of it: what
// answers there was not meant for a server elsewhere to reach by way of the client
// (RFC 9728 §7.7). Link-local addresses, where clouds keep their credentials, are
// refused whatever the server is; nil is what is fine. A name that resolves to such
// an address is not seen here.
func (f *flow) privateAddress(u *url.URL, what string) *Refusal {
	ip, _ := netip.ParseAddr(u.Hostname()) // a name is the zero address
	ip = ip.Unmap()
	kind := ""
	switch {
	case ip.IsLinkLocalUnicast():
		kind = "a link-local address"
	case u.Scheme == "https" && isLoopback(u.Hostname()) && !isInside(f.a.server.Hostname()):
		kind = "an address of this machine"
	case (ip.IsPrivate() || ip.IsUnspecified()) && !isInside(f.a.server.Hostname()):
		kind = "an address in a private network"
	default:
		return nil
	}
	shown := secret.URL(u.String())
	return &Refusal{
		Kind: InsecureURL, Found: shown, Rule: "RFC 9728 §7.7",
		Text: fmt.Sprintf("%s is %s, %s; nothing was sent there, since %s may only want the client to reach it", what, shown, kind, origin(f.a.server)),
	}
}

// isInside reports a server on this machine or in a private network, as far as its
// URL says.
func isInside(host string) bool {
	if isLoopback(host) {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return !strings.Contains(host, ".") || strings.HasSuffix(strings.ToLower(host), ".local") || strings.HasSuffix(strings.ToLower(host), ".internal")
	}
	ip = ip.Unmap()
	return ip.IsPrivate() || ip.IsLinkLocalUnicast()
}

// endpoint reads a URL that an authorization server names.
func (f *flow) endpoint(raw, what string) (*url.URL, error) {
	if raw == "" {
		return nil, fmt.Errorf("the server's metadata has no %s", what)
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("the %s of the server's metadata is no URL", what)
	}
	u.Fragment, u.RawFragment = "", ""
	return u, f.checkURL(u, "the "+what)
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// origin is scheme, host and port, as text that can be compared.
func origin(u *url.URL) string {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == "" || u.Scheme == "https" && port == "443" || u.Scheme == "http" && port == "80" {
		return u.Scheme + "://" + host
	}
	return u.Scheme + "://" + host + ":" + port
}

// expiry is when something ends that lasts for some seconds from now.
func expiry(now time.Time, seconds float64) time.Time {
	const most = 10 * 365 * 24 * time.Hour // beyond that it is no time but a joke
	if seconds <= 0 {
		return time.Time{}
	}
	return now.Add(min(time.Duration(min(seconds, most.Seconds()))*time.Second, most))
}
