package ui

import (
	"slices"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/ui/action"
	"mcptea/ui/dialog"
)

// allowTools chooses the tools that a check may call although they are not read-only.
func (m *model) allowTools() {
	var tools []string
	for _, item := range m.session.State().Lists[client.Tools.Name].Items {
		if v, _ := jsonrpc.Member(item.Raw, "annotations", "readOnlyHint"); string(v) != "true" {
			tools = append(tools, item.Name)
		}
	}
	if len(tools) == 0 {
		m.say(action.Flash{Text: "All tools are annotated as read-only: the check calls them anyway."})
		return
	}
	dialog.Choose{
		Title: "Tools that a check may call", Verb: "allow, or no longer", Width: 72, Switches: true,
		Text: "The check calls these tools only if you allow it. Their calls have made-up arguments and may change what the server manages.",
		Load: func() []dialog.Entry {
			allowed := m.checker.State().Allowed
			entries := make([]dialog.Entry, len(tools))
			for i, tool := range tools {
				entries[i] = dialog.Entry{Key: tool, Name: tool, Current: slices.Contains(allowed, tool)}
			}
			return entries
		},
		Stays:  func(int) bool { return true },
		Accept: func(i int) { m.checker.Allow(tools[i], !slices.Contains(m.checker.State().Allowed, tools[i])) },
	}.Open(m.app())
}
