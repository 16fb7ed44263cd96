package cli

import (
	"fmt"

	"mcptea/client"
	"mcptea/client/secret"
	"mcptea/session"
	"mcptea/session/failure"
	"mcptea/ui/paint"
)

// demoScript is mcptea demo without a terminal: it connects, lists, calls a tool that
// reports progress, and prints each frame.
func (p *program) demoScript(t client.Target) error {
	if t.IsStdio() {
		fmt.Fprintln(p.out, "server  "+failure.CommandLine(t.Argv))
	} else {
		fmt.Fprintln(p.out, "server  "+secret.URL(t.URL))
	}
	s, err := p.connect(t, client.ListKinds...)
	if err != nil {
		return err
	}
	defer p.closeSession(s)
	tr := &frameLog{p: p.connection, s: s, start: s.State().Started}
	lists, err := p.loadLists(s, tr.print, client.ListKinds...)
	if err != nil {
		return err
	}
	params := client.Params(map[string]any{"name": "long-work", "arguments": map[string]any{"duration": 1, "steps": 4}})
	response, err := p.do(s, "tools/call", params, tr.print)
	tr.print()
	return p.printDemoSummary(s, lists, response, err)
}

// printDemoSummary prints the counts and the result of the demo script.
func (p *program) printDemoSummary(s *session.Session, lists map[string]session.List, response client.Response, err error) error {
	st := s.State()
	fmt.Fprintf(p.out, "\nconnected to %s, protocol version %s, in %s\n",
		p.out.safe(st.Handshake.Server.String()), st.Handshake.Revision, paint.HumanDuration(st.Took))
	for _, kind := range client.ListKinds {
		l := lists[kind.Name]
		switch {
		case l.Err != nil:
			fmt.Fprintf(p.out, "%-10s %s\n", kind.Name, sentenceOf(l.Err))
		case l.Offered:
			fmt.Fprintf(p.out, "%-10s %d\n", kind.Name, len(l.Items))
		}
	}
	if err == nil {
		err = response.Err()
	}
	if err != nil {
		return p.outcome(s, err)
	}
	fmt.Fprintf(p.out, "long-work  result after %s:\n", paint.HumanDuration(response.Took))
	if p.printResult("tools/call", response.Result()) {
		return silent(ExitError)
	}
	sum := s.Store().Snapshot()
	fmt.Fprintf(p.out, "\n%d frames sent, %d received, %s; %d errors\n", sum.Out, sum.In, paint.HumanSize(sum.Bytes), sum.Errors)
	fmt.Fprintln(p.out, "In a terminal, mcptea demo opens the inspector.")
	for _, l := range lists {
		if l.Err != nil {
			return silent(ExitError)
		}
	}
	return nil
}
