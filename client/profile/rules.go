package profile

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// The rules below apply to the file of a client, both when it is made from a recording and when it is read.
// Users exchange such files, so a file must not make mcptea send anything surprising.

// The bounds of a file.
const (
	MaxFrames  = 64             // frames that a client sends by itself after connecting
	maxHeader  = 1 << 10        // bytes of the value of a header
	maxTimeout = 24 * time.Hour // bound for the timeout of a request
)

// IdentifyingHeaders lists the HTTP headers that identify a client and the media types that it accepts. The
// user sets all others.
var IdentifyingHeaders = []string{"Accept", "Accept-Language", "User-Agent"}

// harmless lists the methods besides lists that are used only for connecting: they neither read nor change the
// server's data.
var harmless = []string{
	initialize, "notifications/initialized", "server/discover", "ping", "logging/setLevel",
	"notifications/roots/list_changed", "subscriptions/listen",
}

// memberNames lists the members of a frame. A server may confuse other members with them, since some decoders
// ignore case.
var memberNames = []string{"jsonrpc", "id", "method", "params"}

// Surprise returns why a frame is sent only if the user agrees, or "" for a frame that only connects or
// lists.
func Surprise(frame Raw) string {
	if why := oddMember(frame); why != "" {
		return why
	}
	method := frame.Method()
	if slices.Contains(harmless, method) || slices.Contains(revision.ListMethods(), method) {
		return ""
	}
	return fmt.Sprintf("%q neither connects nor lists", method)
}

// oddMember describes an unusual member of a frame, or returns "".
func oddMember(frame Raw) string {
	var seen []string
	for name := range jsonrpc.Members(frame.text) {
		switch member := string(name); {
		case !slices.Contains(memberNames, member):
			return fmt.Sprintf("it has the member %q", member)
		case slices.Contains(seen, member):
			return fmt.Sprintf("it has the member %q twice", member)
		default:
			seen = append(seen, member)
		}
	}
	return ""
}

// Surprises returns the frames that are sent only if the user agrees.
func (p *Profile) Surprises() (all []Raw) {
	for _, f := range p.Frames {
		if Surprise(f) != "" {
			all = append(all, f)
		}
	}
	return all
}

// Check reports what cannot be used, with its place.
func (p *Profile) Check() error {
	if p.Format != 0 && p.Format != Format {
		return fmt.Errorf("it has the format %d, and this version of mcptea reads %d", p.Format, Format)
	}
	for _, check := range []func() error{p.checkTexts, p.checkFrames, p.checkCall, p.checkHeaders, p.checkValues} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (p *Profile) checkTexts() error {
	for _, o := range []struct{ name, text string }{{"id", p.ID}, {"name", p.Name}, {"source", p.Source}, {"date", p.Date}} {
		if strings.ContainsFunc(o.text, unicode.IsControl) {
			return fmt.Errorf("%s contains a control character", o.name)
		}
	}
	return nil
}

func (p *Profile) checkFrames() error {
	if len(p.Frames) > MaxFrames {
		return fmt.Errorf("it has %d frames, and at most %d are allowed", len(p.Frames), MaxFrames)
	}
	for i, f := range p.Frames {
		if kind := jsonrpc.Scan(f.text).Kind; kind != jsonrpc.Request && kind != jsonrpc.Notification {
			return fmt.Errorf("frames[%d] is neither a request nor a notification", i)
		}
	}
	return nil
}

func (p *Profile) checkCall() error { return CheckCall(p.Call) }

// CheckCall returns why a frame cannot be the template of calls, or nil. A template must have no content, since
// its content would be sent with each call.
func CheckCall(f Raw) error {
	switch {
	case f.IsZero():
		return nil
	case jsonrpc.Scan(f.text).Kind != jsonrpc.Request || f.Method() != "tools/call":
		return errors.New("call is not a request of tools/call")
	}
	if why := oddMember(f); why != "" {
		return fmt.Errorf("call cannot be used: %s", why)
	}
	params := jsonrpc.Get(f.text, "params")
	for name, value := range jsonrpc.Members(params) {
		switch string(name) {
		case "name":
			if text, ok := jsonrpc.Unquote(value); !ok || text != "" {
				return errors.New("call names a tool: its name must be empty")
			}
		case "arguments":
			if jsonrpc.TypeOf(value) != "object" || jsonrpc.Count(value) > 0 {
				return errors.New("call has arguments: they must be {}")
			}
		case "_meta":
			for member := range jsonrpc.Members(value) {
				if string(member) != progressToken {
					return fmt.Errorf("call has %q in its _meta", string(member))
				}
			}
		default:
			return fmt.Errorf("call has the param %q", string(name))
		}
	}
	return nil
}

func (p *Profile) checkHeaders() error {
	for name, value := range p.Headers {
		switch canonical := http.CanonicalHeaderKey(name); {
		case !slices.Contains(IdentifyingHeaders, canonical):
			return fmt.Errorf("headers has %q, and only %s say which client it is; -H sets others", name, strings.Join(IdentifyingHeaders, ", "))
		case len(value) > maxHeader:
			return fmt.Errorf("the header %s has %d bytes, and at most %d are allowed", canonical, len(value), maxHeader)
		case strings.ContainsFunc(value, unicode.IsControl):
			return fmt.Errorf("the header %s contains a control character", canonical)
		}
	}
	for _, name := range p.Omits {
		if !slices.ContainsFunc(revision.All(), func(r revision.Revision) bool { return isOfProtocol(r, name) }) {
			return fmt.Errorf("omits has %q, which is not a header of the protocol", name)
		}
	}
	return nil
}

func isOfProtocol(r revision.Revision, name string) bool {
	return slices.ContainsFunc(ProtocolHeaders(r), func(header string) bool { return strings.EqualFold(header, name) })
}

// ProtocolHeaders returns the headers that the protocol requires of each message.
func ProtocolHeaders(r revision.Revision) []string {
	return revision.Headers(r, http.MethodPost, "tools/list")
}

func (p *Profile) checkValues() error {
	for _, o := range []struct {
		name  string
		value Raw
	}{{"client_info", p.Info}, {"capabilities", p.Capabilities}} {
		if !o.value.IsZero() && jsonrpc.TypeOf(o.value.text) != "object" {
			return fmt.Errorf("%s is not an object", o.name)
		}
	}
	for _, v := range p.Requested() {
		if !revision.Revision(v).Known() {
			return fmt.Errorf("it requests the protocol version %q, which mcptea does not support", v)
		}
	}
	for kind, how := range p.Answers {
		if !slices.Contains([]string{"elicitation", "sampling", "roots"}, kind) || !slices.Contains([]string{"accept", "decline", "cancel", "error"}, how) {
			return fmt.Errorf("answers has %q: %q; the kinds are elicitation, sampling and roots, the answers accept, decline, cancel and error", kind, how)
		}
	}
	if !slices.Contains([]string{"", "all", "first"}, p.Pages) {
		return fmt.Errorf("pages is %q, not all or first", p.Pages)
	}
	if p.TimeoutMS < 0 || p.TimeoutMS > maxTimeout.Milliseconds() {
		return fmt.Errorf("timeout_ms is %d, not between 0 and %d", p.TimeoutMS, maxTimeout.Milliseconds())
	}
	return nil
}
