package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/session"
	"mcptea/session/explain"
	"mcptea/ui/paint"
)

func (p *program) infoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "info [URL | -- COMMAND…]",
		Short: "Connect to a server and tell how that went and who it is",
		Long: `Connect to a server and tell each step with its time, of which era the server is and by what that is known, the revision, who the server is, what both sides offer, and how much is in its lists.

With --json one object is printed, also when connecting fails: then with "error", which has the step, the message, the likely cause and what to try. The exit code is 3 when connecting fails, and 4 when it does for want of a token.`,
		Example: `  mcptea info -- ./my-server
  mcptea info --url http://127.0.0.1:3000/mcp --protocol 2025-06-18
  mcptea info --json -- ./my-server | jq .verdict`,
		Args: cobra.ArbitraryArgs,
		RunE: p.does(p.info),
	}
}

// facts is what info has to tell.
type facts struct {
	target    client.Target
	transport string // the one in force
	state     session.State
	lists     map[string]session.List
	err       error // why connecting failed
	why       explain.Explanation
}

func (p *program) info(cmd *cobra.Command, args []string) error {
	t, rest, err := p.needTarget(cmd, args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usage(targetHint, "info takes a server and nothing else, and there is %q", rest[0])
	}
	s, err := p.prepare(t, client.ListKinds...)
	if err != nil {
		return err
	}
	defer p.shut(s)
	f := facts{target: t, err: s.Connect(p.ctx)}
	if cause := context.Cause(p.ctx); cause != nil {
		return cause
	}
	f.state, f.transport = s.State(), s.Transport()
	if f.err != nil {
		f.why = explain.Failure(f.err, explain.FactsOf(s))
	} else if f.lists, err = p.loadLists(s, nothing, client.ListKinds...); err != nil {
		return err
	}
	if p.flags.json {
		err = p.printInfoJSON(f)
	} else {
		err = p.printInfo(f)
	}
	switch {
	case err != nil:
		return err
	case f.err == nil:
		p.warnOfStrayText()
		return p.tellListErrors(s, f.lists, client.ListKinds)
	case p.flags.json:
		return silent(connectCode(f.err))
	}
	f.why.Attempt, f.why.Steps = nil, f.why.Authorization() // the rest was told
	return p.explained(f.why, connectCode(f.err))
}

const infoLabel = 13

// fact prints a label and texts beside it, a line each or more. The texts may
// be foreign.
func (p *program) fact(label string, texts ...string) {
	for _, text := range texts {
		lines := []string{p.out.safe(text)}
		if p.out.terminal {
			lines = paint.Wrap(text, max(20, p.out.width-infoLabel))
		}
		for _, l := range lines {
			_ = p.out.line(p.out.faint(fmt.Sprintf("%-*s", infoLabel-1, label)) + " " + l) // the screen remembers a failure
			label = ""
		}
	}
}

func (p *program) printInfo(f facts) error {
	switch {
	case f.err != nil:
		for _, l := range f.why.Attempt {
			p.fact(l.Label, l.Text)
		}
	case f.target.IsStdio():
		p.fact("command", explain.CommandLine(f.target.Argv))
	default:
		p.fact("url", f.target.String())
	}
	p.fact("transport", transportWords[f.transport])
	p.printSteps(f.state.Steps)
	p.fact("era", detectionWords(f.state.Detection)...)
	if f.err != nil {
		return p.out.line("")
	}
	h := f.state.Handshake
	p.fact("revision", revisionWords(h))
	p.fact("server", serverWords(h))
	p.fact("session", sessionWords(f))
	for _, l := range []struct {
		who  revision.Sender
		head string
		caps []byte
	}{{revision.Server, "the server offers", h.ServerCaps}, {revision.Client, "mcptea offers", h.ClientCaps}} {
		if err := p.printCapabilities(l.head, l.who, l.caps, h.Revision); err != nil {
			return err
		}
	}
	if err := p.printCounts(f.lists); err != nil {
		return err
	}
	return p.printInstructions(h.Instructions)
}

var transportWords = map[string]string{
	"stdio": "stdio", client.TransportHTTP: "Streamable HTTP", client.TransportSSE: "HTTP+SSE",
}

// printSteps tells each step that was reached, with its time.
func (p *program) printSteps(steps []client.Step) {
	label, glyphs := "steps", p.palette().Glyphs
	for _, st := range steps {
		if st.State == client.StepWaiting {
			continue
		}
		mark, took := p.out.good(glyphs.OKMark), paint.HumanDuration(st.Took)
		if st.State == client.StepFailed {
			mark = p.out.bad(glyphs.FailMark)
		}
		line := fmt.Sprintf("%s %-21s %8s  ", mark, st.Name, took)
		detail := paint.Sanitize(st.Detail)
		if p.out.terminal {
			detail = paint.Cut(detail, max(0, p.out.width-infoLabel-34))
		}
		_ = p.out.line(p.out.faint(fmt.Sprintf("%-*s", infoLabel-1, label)) + " " + strings.TrimRight(line+detail, " "))
		label = ""
	}
	if len(steps) > 0 && steps[len(steps)-1].State == client.StepDone {
		first, last := steps[0], steps[len(steps)-1]
		p.fact("connected", "in "+paint.HumanDuration(last.Start.Add(last.Took).Sub(first.Start).Round(time.Microsecond)))
	}
}

func detectionWords(v client.EraDetection) []string {
	if v.DetectedBy == "" {
		return []string{"unknown: it did not come to that"}
	}
	return append([]string{v.Era.String() + ", " + v.DetectedBy}, v.Evidence...)
}

func revisionWords(h client.Handshake) string {
	text := string(h.Revision)
	switch {
	case h.Unknown != "":
		text += fmt.Sprintf(", in place of %q, which nobody has released", h.Unknown)
	case h.Revision.IsModern():
		text += ", no handshake: each request stands alone"
	case h.Revision == h.Offered:
		text += ", as offered"
	case h.Revision.Before(h.Offered):
		text += ", negotiated down from " + string(h.Offered)
	default:
		text += ", newer than the " + string(h.Offered) + " that was offered"
	}
	return text
}

func serverWords(h client.Handshake) string {
	if h.Server.Title != "" && h.Server.Title != h.Server.Name {
		return h.Server.String() + " (" + h.Server.Title + ")"
	}
	return h.Server.String()
}

func sessionWords(f facts) string {
	switch {
	case f.state.Session != "":
		return f.state.Session
	case f.target.IsStdio():
		return "the process is the session"
	case f.state.Handshake.Revision.IsModern():
		return "none: the revision has no sessions"
	}
	return "none: the server gave no Mcp-Session-Id"
}

// printCounts tells how much is in the lists that are offered.
func (p *program) printCounts(lists map[string]session.List) error {
	if err := p.out.line("\n" + p.out.strong("lists")); err != nil {
		return err
	}
	none := true
	for _, k := range client.ListKinds {
		l := lists[k.Name]
		if !l.Offered {
			continue
		}
		none = false
		text := paint.HumanCount(len(l.Items))
		if l.Err != nil {
			text += ", not complete: " + shortly(l.Err)
		}
		p.fact("  "+k.Name, text)
	}
	if none {
		return p.out.line("  the server offers none")
	}
	return nil
}

func (p *program) printInstructions(text string) error {
	if err := p.out.line("\n" + p.out.strong("instructions")); err != nil {
		return err
	}
	if text == "" {
		return p.out.line("  none")
	}
	lines := strings.Split(p.out.safe(text), "\n")
	if p.out.terminal {
		lines = paint.Wrap(strings.TrimRight(text, "\n"), max(20, p.out.width-2))
	}
	for _, l := range lines {
		if err := p.out.line(strings.TrimRight("  "+l, " ")); err != nil {
			return err
		}
	}
	return nil
}

// failedStep is the step at which connecting failed, empty when none had begun.
func failedStep(err error) string {
	var connect *client.ConnectError
	if errors.As(err, &connect) {
		return connect.Step
	}
	return ""
}
