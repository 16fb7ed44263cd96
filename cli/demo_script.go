package cli

import (
	"fmt"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/client"
	"mcptea/internal/words/phrase"
	"mcptea/offer"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// demoScript runs mcptea demo without a terminal. It connects, lists, calls a tool that reports
// progress, and prints each frame.
func (p *program) demoScript(t client.Target) error {
	if t.IsStdio() {
		fmt.Fprintln(p.Out, "server  "+failure.CommandLine(t.Shown(t.Argv)))
	} else {
		fmt.Fprintln(p.Out, "server  "+t.ShownURL())
	}
	s, err := p.Connect(t, client.ListKinds...)
	if err != nil {
		return err
	}
	defer p.CloseSession(s)
	log := &link.FrameLog{Out: p.Out, ASCII: p.ASCII, Secrets: s.Secrets()}
	printed := func() { log.Print(s) }
	lists, err := p.LoadLists(s, printed, client.ListKinds...)
	if err != nil {
		return err
	}
	params := client.Params(map[string]any{"name": "long-work", "arguments": map[string]any{"duration": 1, "steps": 4}})
	response, err := p.Do(s, "tools/call", params, printed)
	printed()
	return p.printDemoSummary(s, lists, response, err)
}

// printDemoSummary prints the counts and the result of the demo script.
func (p *program) printDemoSummary(s *session.Session, lists map[string]offer.List, response client.Response, err error) error {
	st := s.State()
	fmt.Fprintf(p.Out, "\nconnected to %s, protocol version %s, in %s\n",
		p.Out.Safe(st.Handshake.Server.String()), st.Handshake.Revision, phrase.Took(st.Took))
	for _, kind := range client.ListKinds {
		l := lists[kind.Name]
		switch {
		case l.Err != nil:
			fmt.Fprintf(p.Out, "%-10s %s\n", kind.Name, link.SentenceOf(l.Err))
		case l.Offered:
			fmt.Fprintf(p.Out, "%-10s %d\n", kind.Name, len(l.Items))
		}
	}
	if err == nil {
		err = response.Err()
	}
	if err != nil {
		return p.Outcome(s, err)
	}
	fmt.Fprintf(p.Out, "long-work  result after %s:\n", phrase.Took(response.Took))
	if p.PrintResult("tools/call", response.Result()) {
		return app.Silent(app.ExitError)
	}
	sum := s.Store().Snapshot()
	fmt.Fprintf(p.Out, "\n%d frames sent, %d received, %s; %d errors\n", sum.Out, sum.In, phrase.Size(sum.Bytes), sum.Errors)
	fmt.Fprintln(p.Out, "In a terminal, mcptea demo opens the inspector; mcptea demo --serve runs only the server.")
	for _, l := range lists {
		if l.Err != nil {
			return app.Silent(app.ExitError)
		}
	}
	return nil
}
