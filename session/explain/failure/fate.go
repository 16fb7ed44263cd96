package failure

import (
	"errors"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/session/explain/facts"
	"mcptea/session/session"
)

// kindCall is the kind of the line about a call that got no response.
const kindCall Kind = "call"

// requestAt returns the parameters of a request in the record, and the definition of the tool that it calls.
func requestAt(s *session.Session, at transport.Ref) (r facts.Request) {
	if !at.Present() {
		return r
	}
	if body, err := s.Store().Body(at.Row()); err == nil {
		r.Method = jsonrpc.Text(body, "method")
		r.Params, _ = jsonrpc.Member(body, "params")
	}
	if name := jsonrpc.Text(r.Params, "name"); name != "" {
		tools := s.State().Lists[client.Tools.Name]
		if tool, ok := tools.Find(name); ok {
			r.Tool = tool.Raw
		}
		for _, item := range tools.Items {
			r.Tools = append(r.Tools, item.Name)
		}
	}
	return r
}

// sending returns the call of a tool that failed without a response. A call of a tool with readOnlyHint changes nothing.
func (f Facts) sending() (s facts.Sending) {
	of, ok := errors.AsType[*client.RequestError](f.err)
	if !ok || !f.Connected || of.Method != "tools/call" || as[*client.RPCError](f.err) {
		return s
	}
	if f.requestAt != nil {
		annotations, _ := jsonrpc.Member(f.requestAt(of.Ref).Tool, "annotations")
		if only, _ := jsonrpc.Member(annotations, "readOnlyHint"); string(only) == "true" {
			return s
		}
	}
	_, status := errors.AsType[*transport.StatusError](f.err)
	return facts.Sending{Failed: true, Sent: of.Ref.Present() && transport.WasSent(f.err), Gone: status && errors.Is(f.err, mcphttp.ErrSessionExpired)}
}

// fates maps the fate of a call without a response to words.
var fates = map[facts.Fate]string{
	facts.NotSent: "not sent",
	facts.Refused: "refused: it was not carried out",
	facts.Unknown: "sent; the server may have carried it out: look before you send it again",
}

// fate returns the line about a call that got no response, or nil.
func (f Facts) fate() []Line {
	text := fates[facts.Of(f.recorded(), facts.Refusal{}).Fate]
	if text == "" {
		return nil
	}
	return []Line{{Kind: kindCall, Text: text}}
}

// CallText returns the sentence about a call that got no response, or "".
func (e Explanation) CallText() string {
	if len(e.Fate) == 0 {
		return ""
	}
	return "The call was " + e.Fate[0].Text + "."
}
