package use

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/check/modelview"
	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/lint/sdks"
	"mcptea/offer"
	"mcptea/session/explain/experiment"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// infoFlags are the flags of mcptea info.
type infoFlags struct {
	as            string // a host, or allHosts
	all, discover bool
	noExperiments bool
}

// experiments reports whether trials may be made: not where many runs repeat them.
func (f infoFlags) experiments() bool { return !f.noExperiments && os.Getenv("CI") == "" }

func (p *commands) infoCommand() *cobra.Command {
	var f infoFlags
	cmd := &cobra.Command{
		Use:     "info TARGET",
		Aliases: []string{"doctor"},
		Short:   "Connect to a server and describe it",
		Long: `Connect to a server and print each step with its duration, how the protocol version was negotiated, the name and version of the server, the capabilities of both sides, and the number of entries in its lists.

With --json one object is printed. If connecting fails, it has an "error" with the step, the message, the likely cause and what to try. The exit code is 3 if connecting fails, and 4 if the server requires authorization.

With --discover it also looks for what the host publishes about its servers: the catalog at /.well-known/ai-catalog.json, and the server card at URL/server-card. It reports mistakes in them, and differences between a card and the server. For a host name, such as example.com, this comes first: its servers are listed, and mcptea connects to none of them.

With --as HOST it prints the tools as that host presents them to a model: the names, refused, lost and cut parts, tools that a model could confuse, what to change, and an estimate of the tokens. HOST is one of ` + strings.Join(modelview.IDs, ", ") + `: claude, openai and gemini are the APIs, typescript-sdk and the like are the libraries with which clients read the list, plain is MCP itself. Nothing is sent to a host or a model. The exit code is 1 if the host would refuse the list or the request, or leave a tool out. With --as all it is one table of all tools and hosts.`,
		Example: `  mcptea info -- ./my-server
  mcptea info --url http://127.0.0.1:3000/mcp --protocol 2025-06-18
  mcptea info --json -- ./my-server | jq .detection
  mcptea info --discover https://mcp.example.com/mcp
  mcptea info --as claude -- ./my-server`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error { return p.info(cmd, args, f) }),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		fs.BoolVar(&f.all, "all", false, "with --as: also print the facts and the definitions")
		fs.BoolVar(&f.discover, "discover", false, "also look for the catalog of the host and for server cards, without credentials, and compare the card with the server")
		fs.BoolVar(&f.noExperiments, "no-experiments", false, "if connecting fails, do not repeat the failed request or start the command again with one thing changed; off if CI is set")
		fs.StringVar(&f.as, "as", "", "print the tools as this `HOST` presents them to a model; all for a table of all hosts")
	})
	app.Completes(cmd, "as", append(slices.Clone(modelview.IDs), allHosts)...)
	p.target.AddRequest(cmd)
	return cmd
}

// infoReport is the content of mcptea info.
type infoReport struct {
	target    client.Target
	transport string // the current one
	state     session.State
	lists     map[string]offer.List
	err       error // error of connecting
	why       failure.Explanation
	trials    experiment.Report

	discovered *Discovered // result of --discover, or nil
}

func (p *commands) info(cmd *cobra.Command, args []string, flags infoFlags) error {
	if cmd.Flags().Changed("as") {
		return p.infoAs(cmd, args, flags.as, flags.all)
	}
	t, alone, err := p.target.HostAlone(cmd, args)
	if err == nil && !alone {
		var rest []string
		if t, rest, err = p.target.NeedTarget(cmd, args); err == nil {
			err = p.target.MoreThanTarget(cmd, rest)
		}
	}
	switch {
	case err != nil:
		return err
	case flags.discover && (t.IsStdio() || t.Shared != nil):
		return app.Usage("Omit the flag, or connect to a URL.", "--discover requires a URL: server cards describe servers over HTTP")
	case flags.all:
		return app.Usage("Write --as HOST --all.", "--all requires --as")
	}
	if alone {
		if done, err := p.infoHost(t); done {
			return err
		}
	}
	s, err := p.PrepareOnly(t, client.ListKinds...)
	if err != nil {
		return err
	}
	defer p.CloseSession(s)
	f := infoReport{target: t, err: s.Connect(p.Ctx)}
	if cause := context.Cause(p.Ctx); cause != nil {
		return cause
	}
	f.state, f.transport = s.State(), s.Transport()
	if f.err != nil {
		f.why = failure.Explain(f.err, failure.FactsOf(s))
		if flags.experiments() {
			f.trials = experiment.Run(p.Ctx, s, f.err, f.why)
			f.why = f.trials.Explain(f.why)
		}
	} else if f.lists, err = p.LoadLists(s, link.Nothing, client.ListKinds...); err != nil {
		return err
	}
	if flags.discover || f.err != nil && !alone && !t.IsStdio() && t.Shared == nil && isHostAlone(t.URL) {
		if f.discovered, err = p.discover(t, liveOf(f)); err != nil {
			return err
		}
	}
	switch {
	case f.err != nil && p.Filters():
		return p.Explained(f.err, f.why, link.ConnectCode(f.err, f.why))
	case p.JSON:
		err = p.printInfoJSON(f)
	default:
		p.printInfo(f)
	}
	switch {
	case err != nil:
		return err
	case f.err == nil:
		p.WarnOfViolations()
		if !p.JSON {
			p.warnOfLists(s, f.lists)
		}
		return p.printInfoListErrors(s, f, flags)
	case p.JSON:
		return app.Silent(link.ConnectCode(f.err, f.why))
	}
	f.why.Attempt, f.why.Steps = nil, f.why.Authorization() // printed already
	return p.Explained(f.err, f.why, link.ConnectCode(f.err, f.why))
}

// printInfoListErrors is like printListErrors, but adds an experiment over HTTP.
func (p *commands) printInfoListErrors(s *session.Session, f infoReport, flags infoFlags) error {
	if flags.experiments() && !p.JSON && !p.Filters() {
		for _, k := range client.ListKinds {
			err := f.lists[k.Name].Err
			if err == nil || errors.As(err, new(*client.RPCError)) {
				continue
			}
			why := failure.Explain(err, failure.FactsOf(s))
			if report := experiment.Run(p.Ctx, s, err, why); len(report.Tried) > 0 {
				p.Warning(fmt.Sprintf("the list of %s is incomplete: %s", k.Name, link.SentenceOf(err)))
				return p.Explained(err, report.Explain(why), app.ExitError)
			}
			break
		}
	}
	return p.printListErrors(s, f.lists, client.ListKinds)
}

// printRefusals prints the values in the result of initialize that make other clients refuse the
// connection.
func (p *commands) printRefusals(h client.Handshake) {
	for _, r := range refusalsOf(h) {
		p.Out.Line("")
		p.Out.Beside(p.Out.Bad(fmt.Sprintf("%-*s", infoLabel, "error")), display.Sanitize(r.Sentence()), p.Readable())
		p.printField("try", r.Remedy())
	}
}

func refusalsOf(h client.Handshake) []sdks.Refusal {
	return sdks.Refusals(sdks.Official, func(s *sdks.SDK) []sdks.Fault { return s.RefusesConnection(h.InitializeResult()) })
}

// printAs prints which client mcptea impersonated, and which of its behavior is unknown.
func (p *commands) printAs() {
	as := p.Flags.As
	if as == nil {
		return
	}
	text := as.Words()
	if as.Source != "" {
		text += " (" + as.Source + ", " + as.Date + ")"
	}
	p.printField("as client", display.Sanitize(text))
	if unknown := as.Unknown(); len(unknown) > 0 {
		p.printField("not known", strings.Join(unknown, ", ")+": as mcptea does it")
	}
}

const infoLabel = 13

// printField prints a label and texts next to it.
func (p *commands) printField(label string, texts ...string) {
	for _, text := range texts {
		p.Out.Beside(p.Out.Faint(fmt.Sprintf("%-*s", infoLabel, label)), text, p.Out.Width)
		label = ""
	}
}

func (p *commands) printInfo(f infoReport) {
	switch {
	case f.err != nil:
		for _, l := range f.why.Attempt {
			p.printField(string(l.Kind), l.Text)
		}
	case f.target.Shared != nil:
		p.printField("attached", "to the "+f.target.Shared.By+": "+f.target.String())
	case f.target.IsStdio():
		p.printField("command", failure.CommandLine(f.target.Shown(f.target.Argv)))
	default:
		p.printField("url", f.target.String())
	}
	p.printField("transport", TransportWords[f.transport])
	if f.target.Shared == nil { // otherwise another process has connected
		p.printSteps(f)
		if f.err == nil || f.state.Detection.Era != revision.EraUnknown { // else the steps say as much
			p.printField("era", detectionWords(f.state, f.err)...)
		}
	}
	if f.err != nil {
		p.printAs()
		if f.discovered != nil {
			p.printDiscovery(f.discovered)
			p.sayEndpoints(f.discovered)
		}
		p.Out.Line("")
		return
	}
	if f.state.TLS != nil {
		for i, text := range failure.ChainLines(f.state.TLS, f.state.Started) {
			p.printField([]string{"certificate", ""}[min(i, 1)], display.Sanitize(text))
		}
	}
	h := f.state.Handshake
	p.printAs()
	words, _ := h.Negotiation()
	p.printField("protocol", string(h.Revision)+", "+words)
	p.printField("server", serverWords(h))
	p.printField("session", f.state.SessionWords())
	if f.discovered != nil {
		p.printDiscovery(f.discovered)
	}
	p.printSection("server capabilities", p.capabilities(revision.Server, h.ServerCaps, h.Revision)...)
	p.printRefusals(h)
	p.printSection("client capabilities", p.capabilities(revision.Client, h.ClientCaps, h.Revision)...)
	p.printSection("lists", p.counts(f.lists))
	p.printSection("instructions")
	p.Out.Beside("  ", cmp.Or(strings.TrimRight(h.Instructions, "\n"), "none"), p.Out.Width)
}

// TransportWords are the transports in words.
var TransportWords = map[string]string{
	"stdio": "stdio", client.TransportHTTP: "Streamable HTTP", client.TransportSSE: "HTTP+SSE",
}

// printSteps prints each step that was reached, with its duration. For the failed step, the last line of stderr
// has the words of the library.
func (p *commands) printSteps(f infoReport) {
	steps := f.state.Steps
	t := app.Table{Out: p.Out, Looks: []lipgloss.Style{app.Faint}, Right: []int{2}}
	label, glyphs := fmt.Sprintf("%-*s", infoLabel-2, "steps"), p.palette().Glyphs
	for _, st := range steps {
		if st.State == client.StepWaiting {
			continue
		}
		mark, detail := p.Out.Good(glyphs.OKMark), st.Detail
		switch {
		case st.State == client.StepFailed:
			mark = p.Out.Bad(glyphs.FailMark)
			if isAbout(f.err, detail) {
				detail = f.why.Sentence
			}
		case st.Absent:
			mark = p.Out.Faint(glyphs.Absent)
		}
		t.Painted(label, mark+" "+st.Name, phrase.Took(st.Took), display.Sanitize(detail))
		label = ""
	}
	t.Print()
	if len(steps) > 0 && steps[len(steps)-1].State == client.StepDone {
		first, last := steps[0], steps[len(steps)-1]
		p.printField("connected", "in "+phrase.Took(last.Start.Add(last.Took).Sub(first.Start).Round(time.Microsecond)))
	}
}

// isAbout reports whether the text of an error has been printed with the error.
func isAbout(err error, text string) bool {
	return err != nil && text != "" && strings.Contains(err.Error(), text)
}

// detectionWords explains which era was detected, and how. It leaves out the error of connecting.
func detectionWords(st session.State, failed error) []string {
	v := st.Detection
	if v.DetectedBy == "" {
		return []string{"unknown: connecting failed before detection"}
	}
	words := []string{v.Era.String() + ", " + v.DetectedBy}
	for _, text := range v.Evidence {
		if !isAbout(failed, text) {
			words = append(words, text)
		}
	}
	return foldRetries(words)
}

// foldRetries makes one line of the same attempts in a row.
func foldRetries(words []string) (folded []string) {
	const retried = "; retried"
	n := 1
	for i, text := range words {
		if i+1 < len(words) && strings.HasSuffix(text, retried) && strings.TrimSuffix(words[i+1], retried) == strings.TrimSuffix(text, retried) {
			n++
			continue
		}
		if n > 1 {
			text = strings.TrimSuffix(text, retried) + fmt.Sprintf(" (%d times)", n)
		}
		folded, n = append(folded, text), 1
	}
	return folded
}

func serverWords(h client.Handshake) string {
	if h.Server.Title != "" && h.Server.Title != h.Server.Name {
		return h.Server.String() + " (" + h.Server.Title + ")"
	}
	return h.Server.String()
}

// printSection prints a heading, and the tables below it.
func (p *commands) printSection(head string, tables ...*app.Table) {
	p.Out.Line("\n" + p.Out.Strong(head))
	empty := len(tables) > 0
	for _, t := range tables {
		empty = empty && t.Empty()
		t.Print()
	}
	if empty {
		p.Out.Line("  none")
	}
}
