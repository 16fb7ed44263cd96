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

// compared is a session that is one of several that get the same, by the name of its chip.
type compared struct {
	*session.Session
	name string
}

// agreed goes on once the user has agreed to a call of a tool that is annotated as destructive by one of
// the servers it goes to, where the configuration has that asked; without any it goes to this one. All that
// the user sends passes it: OnlineRequest and OnlineFrame, and what sends to other sessions as well. Several
// have the names of their chips: two servers can give themselves the same name.
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
