package link

import (
	"encoding/json"
	"fmt"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
	"mcptea/session/requests"
	"mcptea/session/session"
)

// warnOfReplies prints a warning about replies of --answer that do not match the
// requested schema. They were sent anyway: that may be the purpose of the test. It
// prints what the sampler wrote to stderr.
func (p *Link) warnOfReplies(s *session.Session) {
	for _, a := range s.Inbox().Requests() {
		if a.Failure != "" {
			p.Warning(a.Failure)
		}
		if text := strings.TrimSpace(string(a.Stderr)); text != "" {
			fmt.Fprintf(p.Err, "%s %s\n", p.Err.Warn("sampler stderr:"), p.Err.Safe(text))
		}
		requested, isForm := jsonrpc.Member(a.Params, "requestedSchema")
		content, given := jsonrpc.Member(a.Result, "content")
		if a.By != "policy" || a.Method != client.MethodElicitation || !isForm || a.State != requests.Answered || !json.Valid(a.Result) { // a long result is cut
			continue
		}
		if !given {
			content = []byte("{}")
		}
		form := schema.Parse(requested)
		for _, problem := range form.Check(content) {
			p.Warning(fmt.Sprintf("the reply to %s does not match the requested schema: %s", a.Method, problem.Error()))
		}
	}
}
