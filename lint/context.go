package lint

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/words/phrase"
	"mcptea/record"
)

// FromServer reports whether the server has sent the message.
func (c *Context) FromServer() bool { return c.M.Frame.Dir == transport.In }

// FromStatelessServer reports whether the message is from a server that is known to be stateless. A
// server of the handshake era does not know the codes of server/discover, although it may receive
// that request.
func (c *Context) FromStatelessServer() bool { return c.FromServer() && c.St.Revision.IsStateless() }

// A Context holds the event that a rule checks, and reports findings. It is valid only during the call.
type Context struct {
	St *State
	F  *Frame    // frame, or nil if the event is not a frame
	M  *Message  // message, or nil if the event is not a message
	X  *Exchange // exchange, or nil if the event does not belong to HTTP
	// Step is the step of authorization that has ended; nil for other events.
	Step *record.Step
	// Body is the body of an HTTP error that is not a message, which the specification permits. It
	// is a frame in F, or the start of X.ResponseBody. It is empty for other events.
	Body []byte
	// Stderr is a line of the server's stderr, shortened; empty for other events.
	Stderr string
	// Delivery is a POST to the callback of a webhook; nil for other events.
	Delivery *Delivery
	End      *Ending // end of the connection, or nil while it is open
	// App is the app that sends or receives the message, or nil for messages between server and
	// client. The direction In is from the app to mcptea, its host. M is nil for an event of the
	// browser.
	App *App

	engine *Engine
	hook   *hook // the rule that runs
	is     When  // the conditions that the event meets

	related []int32 // see With
	fix     string  // fix of the next finding, or "" for the fix of the entry
	doubted *List   // list that the judgment is based on, if the list may be out of date; see Listed
}

// Asked records that an invariant has something to judge.
func (c *Context) Asked(name string) {
	if c.engine.asked != nil {
		c.engine.asked(name)
	}
}

// Report reports a finding of the rule. The values replace the names in braces in its texts; names
// and values alternate.
func (c *Context) Report(at Place, values ...any) { c.ReportIn(c.row(), at, values...) }

// ReportIn is like Report, but the finding belongs to the given row instead of the row of the
// event.
func (c *Context) ReportIn(row int32, at Place, values ...any) { c.report(c.side(), row, at, values) }

// With adds the rows of related frames to the next finding.
func (c *Context) With(rows ...int32) *Context {
	c.related = rows
	return c
}

// For selects the fix of the next finding: the fix for a part of the rule's condition.
func (c *Context) For(part string) *Context {
	c.fix = c.hook.entry.Fixes[part]
	return c
}

// ReportFor is like Report, but takes the responsible side. It is for entries that do not name a
// side.
func (c *Context) ReportFor(side Side, at Place, values ...any) { c.report(side, c.row(), at, values) }

// RuleID returns the id of the running rule.
func (c *Context) RuleID() string { return c.hook.entry.ID }

// ReportForIn is like ReportIn, but takes the responsible side.
func (c *Context) ReportForIn(side Side, row int32, at Place, values ...any) {
	c.report(side, row, at, values)
}

// ReportInfo is like Report, but with the severity info.
func (c *Context) ReportInfo(at Place, values ...any) {
	c.ReportInfoForIn(c.side(), c.row(), at, values...)
}

// ReportInfoForIn is like ReportForIn, but with the severity info.
func (c *Context) ReportInfoForIn(side Side, row int32, at Place, values ...any) {
	n := len(c.engine.batch)
	if c.report(side, row, at, values); len(c.engine.batch) > n {
		c.engine.batch[n].Severity = Info
	}
}

func (c *Context) report(side Side, row int32, at Place, values []any) {
	related, fix := c.related, cmp.Or(c.fix, c.hook.entry.Fix)
	c.related, c.fix = nil, ""
	if c.engine.noHeuristics && c.hook.entry.Basis == Heuristic || c.engine.isPart && c.hook.entry.Whole {
		return
	}
	if c.M != nil && c.M.Index >= 0 {
		at.path = At(c.M.Index).path + at.path
	}
	if c.limitReached() {
		c.engine.mute(c.hook.entry, at.path)
		return
	}
	if at.offset == 0 && at.path != "" {
		at.offset = -1
	}
	if len(at.path) > MaxKeptBytes {
		at = Whole // the peer chose the names in the place
	}
	f := pending{Finding: Finding{
		Rule: c.hook.entry, Severity: c.hook.entry.DefaultSeverity, Fault: side, Row: row, Time: c.St.Now, Path: at.path, Offset: at.offset,
		Related: related, Revision: c.Revision(),
	}}
	if !c.engine.silent {
		f.times = c.engine.timesAt(f.Rule.ID, f.Path)
		if c.engine.texts == nil || c.engine.texts(*f.times) {
			f.Message, f.Hint = c.texts(side, fix, values)
			f.Excerpt = c.excerpt(row, at)
		}
	}
	if c.doubted != nil {
		f.Severity, f.Unjudged = Info, true
		if f.Related = append(f.Related, c.doubted.changed.row); f.Message != "" {
			f.Message = truncated("Not judged: " + c.doubted.doubt() + ". By the list before: " + f.Message)
			f.Hint = "Send " + c.doubted.method + " again."
		}
	} else if lost := c.consequence(at); lost != "" {
		f.Severity = Error
		if f.Message != "" {
			f.Message = truncated(strings.TrimSuffix(f.Message, ".") + ". " + lost)
		}
	}
	c.engine.batch = append(c.engine.batch, f)
}

// texts returns the message and the hint of a finding.
func (c *Context) texts(side Side, fix string, values []any) (message, hint string) {
	values = append(values, "side", side) // the values that the rule passes take precedence
	if c.M != nil {
		values = append(values, "method", phrase.Clip(c.M.Method, maxShown), "id", phrase.Clip(c.M.ID.Shown(), maxShown))
	}
	message = Fill(c.hook.entry.Message, values)
	if strings.HasPrefix(c.hook.entry.Message, "{side}") {
		message = "The " + message
	}
	message, hint = truncated(phrase.Capital(message)), truncated(Fill(fix, values))
	if c.engine.redact != nil {
		message, hint = c.engine.redact(message), c.engine.redact(hint)
	}
	return message, hint
}

// maxMessage bounds each text of a finding, in bytes.
const maxMessage = 2 << 10

func truncated(text string) string { return phrase.Clip(text, maxMessage) }

// side returns the responsible side: the side in the entry, or else the sender.
func (c *Context) side() Side {
	switch {
	case c.hook.entry.Side != Either:
		return c.hook.entry.Side
	case c.F != nil:
		return senderOf(c.F.Dir)
	}
	return Server
}

func (c *Context) row() int32 {
	switch {
	case c.F != nil:
		return c.F.Row
	case c.X != nil:
		return c.X.Row
	case c.Delivery != nil:
		return c.Delivery.Row
	case c.End != nil:
		return c.End.Row
	}
	return -1
}

// Revision returns the protocol version that applies to the event, or "" while it is unknown.
func (c *Context) Revision() revision.Revision {
	switch {
	case c.M != nil:
		return c.M.Revision
	case c.X != nil && c.X.revision != "":
		return c.X.revision
	}
	return c.St.Revision
}

// MayBeExtension reports whether the method may belong to an extension that the server declares. A
// notification may belong to an extension whose notifications mcptea does not know. It may also
// belong to a capability with the name of its group.
func (c *Context) MayBeExtension() bool { return c.MayBeOfExtension(c.M.Method) }

// MayBeOfExtension is like MayBeExtension, but takes a method name.
func (c *Context) MayBeOfExtension(method string) bool {
	name, isNotification := strings.CutPrefix(method, "notifications/")
	group, _, hasGroup := strings.Cut(name, "/")
	if _, known := revision.Lookup(method); hasGroup && !known && !isCore(group) && c.St.ServerOffers(group) {
		return true
	}
	if !isNotification {
		return c.St.ServerOffers("extensions")
	}
	for _, caps := range [][]byte{c.St.ServerCaps, c.St.ClientCaps} {
		for id := range jsonrpc.Members(jsonrpc.Get(caps, "extensions")) {
			if !revision.IsSpoken(string(id)) {
				return true
			}
		}
	}
	return false
}

// isCore reports whether a group of methods belongs to the protocol itself. mcptea knows all names
// in such a group.
func isCore(group string) bool {
	return slices.Contains([]string{"tools", "resources", "prompts", "logging", "completion", "completions", "tasks", "sampling", "elicitation", "roots", "subscriptions"}, group)
}

// headerOf returns a header field. It ignores the case of the name and joins several lines with commas. name is
// in canonical form.
func headerOf(h http.Header, name string) (value string, ok bool) {
	values := mcphttp.Values(h, name)
	if len(values) == 1 {
		return values[0], true
	}
	return strings.Join(values, ", "), values != nil
}

// RequestField returns a header field of the request. name is in canonical form.
func (x *Exchange) RequestField(name string) (string, bool) { return headerOf(x.RequestHeader, name) }

// ResponseField returns a header field of the response.
func (x *Exchange) ResponseField(name string) (string, bool) {
	return headerOf(x.ResponseHeader, name)
}

// MediaType returns the media type of the response without parameters, in lower case.
func (x *Exchange) MediaType() string {
	v, _ := x.ResponseField("Content-Type")
	return MediaTypeOf(v)
}

// ClosedLocally reports whether the client or the user has ended the exchange.
func (x *Exchange) ClosedLocally() bool {
	return x.ClosedBy == transport.ClosedByClient || x.ClosedBy == transport.ClosedByUser
}

// MediaTypeOf returns a media type without its parameters, in lower case.
func MediaTypeOf(media string) string {
	media, _, _ = strings.Cut(media, ";")
	return strings.ToLower(strings.TrimSpace(media))
}

// IsStreamableHTTP reports whether the event is a Streamable HTTP exchange that can carry frames.
func (c *Context) IsStreamableHTTP() bool {
	return c.X != nil && c.St.Link == HTTP && c.X.HasFrames()
}

// ReportExchange reports a finding about the headers of a request or response.
func (c *Context) ReportExchange(values ...any) { c.ReportIn(c.X.Row, Whole, values...) }

// IsLoopback reports whether a host is this machine. Names below localhost are included (RFC 6761
// §6.3).
func IsLoopback(host string) bool {
	return mcphttp.IsLoopback(host) || strings.HasSuffix(strings.ToLower(host), ".localhost")
}

// ServerRequest is a request of the server: a message, or an entry of inputRequests
// (2026-07-28).
type ServerRequest struct {
	Method string
	Params []byte
	At     Place // place of the params
}

// RequestsOf returns a function for [Each]. The function returns the server's requests that have
// one of the methods.
func RequestsOf(methods ...string) func(*Context) []ServerRequest {
	return func(c *Context) []ServerRequest { return c.ServerRequests(methods...) }
}

// ServerRequests returns the server's requests in the message that have one of the methods.
func (c *Context) ServerRequests(methods ...string) []ServerRequest {
	var found []ServerRequest
	switch m := c.M; {
	case m.Frame.Dir != transport.In:
	case m.IsRequest() && slices.Contains(methods, m.Method):
		found = append(found, ServerRequest{m.Method, m.Params, At("params")})
	case m.IsResult() && m.IsStateless():
		for key, entry := range jsonrpc.Members(m.Get(m.Result, "inputRequests")) {
			if method := jsonrpc.Text(entry, "method"); slices.Contains(methods, method) {
				found = append(found, ServerRequest{method, jsonrpc.Get(entry, "params"), At("result", "inputRequests", string(key), "params")})
			}
		}
	}
	return found
}

// OfClient returns a raw capability of the client, or nil. The client has declared it in the
// handshake, or in the request that led to this result. Requests of the server may rely on it.
func (c *Context) OfClient(path ...string) []byte {
	switch {
	case c.M.IsRequest():
		return jsonrpc.Get(c.St.ClientCaps, path[0], path[1:]...)
	case c.M.Request != nil:
		return Capability(c.M.Request, path...)
	}
	return nil
}
