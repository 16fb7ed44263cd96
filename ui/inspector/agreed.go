package inspector

import (
	"cmp"
	"fmt"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/session/question"
	"mcptea/session/session"
	"mcptea/ui/dialog"
)

// A compared is a session that sends the same call as others, with the name of its chip.
type compared struct {
	*session.Session
	name  string
	place int // see [program.Session]
}

// agreed calls then after the user has agreed to a call of a tool that one of the servers annotates as
// destructive, if the configuration requires it. Without to, the call goes to this session. All requests of the
// user pass through it: from OnlineRequest and OnlineFrame, and to other sessions. Several sessions are named
// by their chips, because two servers can report the same name.
func (m *model) agreed(method string, params []byte, then func(), to ...compared) {
	if len(to) == 0 {
		to = []compared{{Session: m.session}}
	}
	name := jsonrpc.Text(params, "name")
	if !m.options.Confirm || method != "tools/call" || !slices.ContainsFunc(to, func(s compared) bool { return s.State().Lists["tools"].IsDestructive(name) }) {
		then()
		return
	}
	facts := []question.Fact{{Label: "tool", Text: name, Strong: true}}
	for _, s := range to {
		server := s.State().Handshake.Server.String()
		if s.name != "" {
			server = fmt.Sprintf("%s (%s)", s.name, server)
		}
		facts = append(facts, question.Fact{Label: "to", Text: server})
	}
	dialog.Consent{
		Text:  question.Text{Facts: facts, Name: "arguments", Lines: []string{cmp.Or(string(jsonrpc.Get(params, "arguments")), "{}")}},
		Title: "Call a tool that is annotated as destructive?",
		Yes:   "call it", No: "do not call", After: "nothing is sent",
		Accept: then,
	}.Open(m.app())
}
