package behavior

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/profile"
	"mcptea/client/revision"
	"mcptea/client/secret"
)

func certain(frame []byte) string { return secret.Certain(frame) }

// A NoClientError is the reason why a recording yields no profile.
type NoClientError struct{ Reason string }

// Error returns the reason why the recording shows no client.
func (e *NoClientError) Error() string { return "it shows no client that can be imitated: " + e.Reason }

// Left counts the frames of a client that a profile leaves out.
type Left struct {
	Secret    int      // frames with possible secrets
	Surprises []string // methods of frames that do more than connect and list, see [profile.Surprise]
}

// Profile returns the client as a profile, for [profile.Profile.File], and the data that was left out. The
// error is a *[NoClientError].
func (c *Client) Profile() (p *profile.Profile, left Left, err error) {
	left.Surprises = c.surprises
	p = &profile.Profile{
		Format: profile.Format, ID: idOf(c.Name), Name: c.Title(), Date: c.Started.Format(time.DateOnly),
		Source: c.source(),
		Call:   c.call, Undeclared: c.undeclared, Headers: c.Headers, Omits: c.Omitted,
	}
	for _, f := range c.frames {
		if isSecret(f.Bytes()) {
			left.Secret++
			continue
		}
		p.Frames = append(p.Frames, withoutTrace(f))
	}
	if p.ClientInfo() == nil {
		return nil, left, &NoClientError{"there is no initialize and no server/discover of it"}
	}
	p.Pages = c.pages()
	if c.Timeout != nil {
		p.TimeoutMS = time.Duration(c.Timeout.After).Round(100 * time.Millisecond).Milliseconds()
	}
	for method, kind := range answerKinds {
		if how := c.usual(method); how != "" {
			if p.Answers == nil {
				p.Answers = map[string]string{}
			}
			p.Answers[kind] = how
		}
	}
	for _, v := range p.Requested() {
		if !revision.Revision(v).Known() {
			return nil, left, &NoClientError{fmt.Sprintf("it requests the protocol version %q, which mcptea does not support", v)}
		}
	}
	return p, left, p.Check()
}

func (c *Client) source() string {
	text := "recording of mcptea"
	if c.Tap {
		text = "recording of a tap"
	}
	if c.Server != "" {
		text += ", server " + c.Server
	}
	return text
}

// Add adds the behavior in another recording of the same client, including frames that this one lacks. A client
// that restarts a server has one recording for each process.
func (c *Client) Add(other *Client) error {
	if c.Name != other.Name || c.Version != other.Version {
		return &NoClientError{fmt.Sprintf("the recordings are of two clients, %s and %s", c.Title(), other.Title())}
	}
	for _, f := range other.frames {
		if !slices.ContainsFunc(c.frames, func(recorded profile.Raw) bool { return recorded.Method() == f.Method() }) {
			c.frames = append(c.frames, f)
		}
	}
	if c.call.IsZero() {
		c.call = other.call
	}
	for _, method := range other.surprises {
		if !slices.Contains(c.surprises, method) {
			c.surprises = append(c.surprises, method)
		}
	}
	if c.Headers == nil {
		c.Headers, c.Omitted = other.Headers, other.Omitted
	}
	c.Server = cmp.Or(c.Server, other.Server)
	c.undeclared = c.undeclared || other.undeclared
	c.Lists = append(c.Lists, other.Lists...)
	for method, all := range other.Answers {
		c.Answers[method] = append(c.Answers[method], all...)
	}
	return nil
}

// pages returns how much of lists with pages the client reads, or empty if no list had any.
func (c *Client) pages() string {
	pages := ""
	for _, l := range c.Lists {
		switch {
		case l.Pages > 0:
			return "all"
		case l.More > 0:
			pages = "first"
		}
	}
	return pages
}

// usual returns the client's most frequent answer to a server request, in the words of a profile.
func (c *Client) usual(method string) string {
	most := Count{}
	for _, a := range c.Answers[method] {
		if a.Times > most.Times && a.How != "none" {
			most = a
		}
	}
	if most.How == "result" {
		return "accept"
	}
	return most.How
}

// trace lists members of _meta that differ in each request.
var trace = []string{"traceparent", "tracestate", "baggage"}

// withoutTrace returns a frame without the members of _meta that belong to one request.
func withoutTrace(f profile.Raw) profile.Raw {
	frame := f.Bytes()
	meta, has := jsonrpc.Member(frame, "params", "_meta")
	if !has || !slices.ContainsFunc(trace, func(name string) bool { return jsonrpc.Get(meta, name) != nil }) {
		return f
	}
	rest := meta
	for _, name := range trace {
		rest = jsonrpc.Without(rest, name)
	}
	at := jsonrpc.SpanOf(frame, meta)
	short, err := profile.NewRaw(slices.Concat(frame[:at.Start], rest, frame[at.End:]))
	if err != nil {
		return f
	}
	return short
}

// idOf returns the name of a client as an id: lower-case letters, digits and hyphens.
func idOf(name string) string {
	id := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, name)
	if id = strings.Trim(id, "-"); len(id) > 60 {
		id = id[:60]
	}
	if id == "" {
		return "client"
	}
	return id
}
