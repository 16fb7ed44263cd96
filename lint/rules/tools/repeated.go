package tools

import (
	"net/http"
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record/flow"
)

// sentCalls holds the calls without a response, oldest first, at most maxSentCalls. Calls outlive their
// connection, because a client may repeat them on the next one.
type sentCalls struct{ all []sentCall }

const (
	maxSentCalls = 100
	// maxArguments bounds the arguments that are compared, in bytes.
	maxArguments = 64 << 10
	// atOnce is the maximum time between two calls that are meant to run concurrently.
	atOnce = time.Second
)

type sentCall struct {
	row       int32
	tool, id  string
	exchange  uint32
	arguments []byte
	at        time.Time
	flow      *flow.Flow // flow of the request, or nil when the connection has ended
}

// Reconnected keeps it when the connection is opened again.
func (s *sentCalls) Reconnected() {
	for i := range s.all {
		s.all[i].flow, s.all[i].exchange = nil, 0
	}
}

// repeatRules find a call that is sent again while the outcome of the first is unknown.
var repeatRules = []lint.Rule{
	{ID: "T035", Methods: lint.ToolCalls, When: lint.Request | lint.FromClient, Message: callRepeated},
	{Methods: lint.ToolCalls, When: lint.Request | lint.FromClient, After: func(c *lint.Context) {
		arguments := c.M.Get(c.M.Params, "arguments")
		own := lint.Own[sentCalls](c.St)
		sent := c.St.Flows.Find(transport.Out, c.M.ID)
		if sent == nil || len(arguments) > maxArguments {
			return
		}
		if len(own.all) == maxSentCalls {
			own.all = slices.Delete(own.all, 0, 1)
		}
		own.all = append(own.all, sentCall{
			row: c.M.Frame.Row, tool: c.M.Text(c.M.Params, "name"), id: string(c.M.ID.Shown()), exchange: c.M.Frame.Exchange,
			arguments: slices.Clone(arguments), at: c.M.Frame.Time, flow: sent,
		})
	}},
	{Methods: lint.ToolCalls, Kinds: lint.Responses, Message: func(c *lint.Context) {
		if r := c.M.Request; r != nil {
			lint.Own[sentCalls](c.St).drop(func(s *sentCall) bool { return s.flow == r })
		}
	}},
	{HTTP: func(c *lint.Context) { // a rejected call has not run
		if c.IsStreamableHTTP() && c.X.Method == http.MethodPost && c.X.Reached(transport.ExchangeDone) && c.X.Status/100 == 4 && c.X.Status != http.StatusRequestTimeout {
			lint.Own[sentCalls](c.St).drop(func(s *sentCall) bool { return s.exchange == c.X.ID && s.exchange != 0 })
		}
	}},
}

func (s *sentCalls) drop(is func(*sentCall) bool) {
	s.all = slices.DeleteFunc(s.all, func(call sentCall) bool { return is(&call) })
}

func callRepeated(c *lint.Context) {
	own := lint.Own[sentCalls](c.St)
	tool, arguments := c.M.Text(c.M.Params, "name"), c.M.Get(c.M.Params, "arguments")
	i := slices.IndexFunc(own.all, func(s sentCall) bool {
		return s.tool == tool && sameArguments(s.arguments, arguments) && s.fate(c.M.Frame.Time) != ""
	})
	if i < 0 {
		return
	}
	if definition, known := c.ListedTool(tool); known && isRepeatable(definition) {
		return
	}
	first := own.all[i]
	own.all = slices.Delete(own.all, i, i+1) // a third one repeats the second
	c.With(first.row).Report(lint.At("params"), "name", lint.Escaped(tool), "first", phrase.Clip(first.id, 40), "fate", first.fate(c.M.Frame.Time))
}

// sameArguments reports whether two calls have equal arguments. No arguments equal an empty object.
func sameArguments(a, b []byte) bool {
	empty := func(v []byte) bool { return len(v) == 0 || jsonrpc.Equal(v, []byte("{}")) }
	return empty(a) && empty(b) || jsonrpc.Equal(a, b)
}

// isRepeatable reports a tool that may run twice, by its hints.
func isRepeatable(definition []byte) bool {
	for _, hint := range []string{"readOnlyHint", "idempotentHint"} {
		if string(jsonrpc.Get(definition, "annotations", hint)) == "true" {
			return true
		}
	}
	return false
}

// fate returns why it is unknown whether the call has run, or "" while a response may be expected.
func (s *sentCall) fate(now time.Time) string {
	switch took := now.Sub(s.at); {
	case s.flow == nil:
		return "the connection ended before its response"
	case s.flow.State == flow.Cancelled:
		return "it was cancelled"
	case s.flow.State == flow.Abandoned:
		return "no response can arrive any more"
	case s.flow.State == flow.Pending && took >= atOnce:
		return "it has no response after " + phrase.Duration(took)
	}
	return ""
}
