package cli

import (
	"encoding/json"
	"fmt"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session"
	"mcptea/session/inbox"
	"mcptea/session/schema"
)

// warnOfAnswers warns of answers given with --answer that do not fit the form that
// the server asked for. They were sent all the same: that may be what is tried out.
func (p *program) warnOfAnswers(s *session.Session) {
	for _, a := range s.Inbox().Requests() {
		wanted, isForm := jsonrpc.Member(a.Params, "requestedSchema")
		content, given := jsonrpc.Member(a.Result, "content")
		if a.By != "policy" || a.Method != client.MethodElicitation || !isForm || a.State != inbox.Answered || !json.Valid(a.Result) { // a long one is cut
			continue
		}
		if !given {
			content = []byte("{}")
		}
		form := schema.Parse(wanted)
		for _, problem := range form.Check(content) {
			fmt.Fprintf(p.err, "%s the answer to %s does not fit the form: %s\n", p.err.warn("warning:"), p.err.safe(a.Method), p.err.safe(problem.Error()))
		}
	}
}
