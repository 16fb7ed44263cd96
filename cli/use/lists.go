package use

import (
	"fmt"

	"mcptea/check/modelview"
	"mcptea/client"
	"mcptea/internal/words/phrase"
	"mcptea/offer"
	"mcptea/session/session"
)

// Bounds of the tools that are compared with the hosts at the end of a command.
const (
	maxPresented      = 200     // tools
	maxPresentedBytes = 1 << 20 // of their definitions
)

// warnOfLists prints a warning if the list of tools is empty although tools are declared, or if a host would refuse a tool
// or leave it out.
func (p *commands) warnOfLists(s *session.Session, lists map[string]offer.List) {
	tools, fetched := lists[client.Tools.Name]
	switch {
	case !fetched || !tools.Offered || tools.Err != nil || len(tools.Items) > maxPresented:
		return
	case len(tools.Items) == 0:
		p.Warning("the server declares tools, but its list of tools is empty: " + whyEmpty(s.Target()))
		return
	}
	definitions, size := raws(tools), 0
	for _, definition := range definitions {
		size += len(definition)
	}
	if size > maxPresentedBytes {
		return
	}
	h := s.State().Handshake
	all := modelview.BuildAll(modelview.Server{Name: h.Server.Name, Instructions: h.Instructions, Initialize: h.InitializeResult(), Tools: definitions})
	if text := lostSentence(&all); text != "" {
		p.WarnUnlessFound(text)
	}
}

// lostSentence says which tool does not reach each model, and why, or returns "". Tools that are lost because of another one
// are only counted.
func lostSentence(all *modelview.Matrix) string {
	var first *modelview.Row
	own := 0
	for i := range all.Rows {
		if row := &all.Rows[i]; row.IsLost() && row.Reason != "" && !row.IsLostWithOthers() {
			if own++; first == nil {
				first = row
			}
		}
	}
	if first == nil {
		return ""
	}
	more := ""
	if own > 1 {
		more += " and " + phrase.Count(own-1, "other tool") + " with its own reason"
	}
	if with := all.Lost - own; with > 0 {
		more += "; lost with it: " + phrase.Count(with, "other tool")
	}
	return fmt.Sprintf("%s does not reach each model: %s; mcptea info --as all shows it%s", phrase.Quote(first.Name, maxShownTool), first.Reason, more)
}

// maxShownTool bounds the name of a tool in a warning, in bytes.
const maxShownTool = 60

// whyEmpty returns what may fill a list that a server declares, and where it is set.
func whyEmpty(t client.Target) string {
	switch {
	case t.IsStdio():
		return "its settings enable none, or it is a gateway that has reached no server behind it; check the variables and arguments that it is started with, and what it writes to stderr"
	case t.Header.Get("Authorization") != "":
		return "this token may use none of them, or it is a gateway that has reached no server behind it; compare with a token that has more rights, and check in the server which tools and servers are enabled"
	}
	return "its settings enable none, it lists them only for requests with credentials, or it is a gateway that has reached no server behind it; check in the server which tools and servers are enabled, and send credentials if it takes any"
}
