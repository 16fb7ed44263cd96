package use

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/client"
	"mcptea/internal/desktop"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer/invoke"
	"mcptea/session/apps"
	"mcptea/session/question"
	"mcptea/session/session"
)

// appFlags are the flags of mcptea app.
type appFlags struct {
	tool   nameFlag
	allow  []string
	noOpen bool
	most   time.Duration
	host   apps.Host
	policy string

	check          bool
	junit, picture app.Report
	failOn         string
}

func (p *commands) appCommand() *cobra.Command {
	var f appFlags
	cmd := &cobra.Command{
		Use:   "app {TOOL | --tool TOOL} [ARG…] TARGET",
		Short: "Call a tool and open its app in the browser (MCP Apps) (experimental)",
		Long: `Call a tool and open its app in the browser: the document that the tool declares in _meta.ui.resourceUri (the extension MCP Apps). mcptea is the host of the app: it serves the page on 127.0.0.1, forwards the calls of the app, and ends when the page is closed. The address is printed, and can be opened once. An ARG is one of:

  key=value   encoded by the tool's input schema: a number if the type is number
` + argumentForms + `
The terminal asks before the app calls a tool that is not annotated as read-only, opens a link or saves a file. Without a terminal these are refused, except for the tools of --allow. Files are saved in the working directory.

--check opens the app in a headless Chromium, several times and with different hosts, and judges it: does it initialize within 5 s, stay inside its content security policy, log no error, survive other themes, sizes and results, and end on request. The exit code is 1 if a check fails. The tool is called once.

With --record, the recording contains the messages between app and host, as a separate connection. --trace prints them.`,
		Example: `  mcptea app get-time -- npx -y @modelcontextprotocol/server-basic-vanillajs --stdio
  mcptea app show-map query=Berlin --theme light --url http://127.0.0.1:3000/mcp
  mcptea app get-time --check -o get-time.png -- npx -y @modelcontextprotocol/server-basic-vanillajs --stdio
  mcptea app forecast city=Berlin --allow delete_city --record session.mcptea.jsonl -- ./my-server`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error { return p.app(cmd, args, &f) }),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		f.tool.declare(fs, "tool")
		p.Flags.DeclareNoValidate(fs)
		fs.StringArrayVar(&f.allow, "allow", nil, "the app may call this tool without a question, whatever its annotations are; repeatable  `TOOL`")
		fs.BoolVar(&f.noOpen, "no-open", false, "only print the address, and open no browser")
		fs.DurationVar(&f.most, "max-time", 0, "close the app after this `TIME` (0: when its page is closed)")
		app.Choice(fs, &f.host.Theme, "theme", "`THEME` reported to the app: dark or light", "dark", "light")
		app.Choice(fs, &f.policy, "policy", "`POLICY` of the document: the policy of the specification, or loose, which also permits eval, WebAssembly, workers and blob: URLs, as some hosts do: strict or loose", "strict", "loose")
		fs.StringVar(&f.host.Locale, "locale", "", "language reported to the app, such as de-DE  `TAG`")
		fs.BoolVar(&f.check, "check", false, "check the app in a headless Chromium")
		f.picture.Declare(fs, "output", "o", "with --check: write a picture of the app to this `FILE`, as PNG; - for stdout, instead of the text")
		f.junit.DeclareJUnit(fs, "with --check: ")
		app.ChoiceOfSeverity(fs, &f.failOn, "fail-on", "with --check: exit with 1 for findings of this `SEVERITY` or worse: error or warning", "error", "warning")
		fs.IntVar(&f.host.Width, "width", 0, "width of the app in `PIXELS` ")
	})
	p.target.AddRequest(cmd)
	_ = cmd.MarkFlagFilename("output", "png")
	_ = cmd.MarkFlagFilename("junit", "xml")
	return cmd
}

func (p *commands) app(cmd *cobra.Command, args []string, f *appFlags) error {
	for _, name := range []string{"output", "junit", "fail-on"} {
		if cmd.Flags().Changed(name) && !f.check {
			return app.Usage("Add --check, or omit the flag.", "--%s requires --check", name)
		}
	}
	if err := p.Reports(f.junit, f.picture); err != nil {
		return err
	}
	return p.withTool(cmd, args, &f.tool, func(s *session.Session, tool string, object []byte) error {
		if f.check {
			return p.checkApp(s, tool, object, f)
		}
		o := apps.Options{Host: f.host, Loose: f.policy == "loose", Allowed: f.allow, Unattended: !p.Interactive() || !p.Err.Terminal}
		if !o.Unattended {
			o.OpenLink, o.Save = desktop.Open, apps.Save
		}
		a, err := apps.Open(p.Ctx, s, tool, object, o)
		if err != nil {
			return p.appError(s, err)
		}
		defer a.Close(context.WithoutCancel(p.Ctx))
		st := a.State()
		if err := p.printOpened(st); err != nil {
			return err
		}
		loaded := func() {}
		if !o.Unattended && !f.noOpen {
			if loaded, err = desktop.OpenOnce(p.Ctx, a.URL()); err != nil {
				p.Warning(err.Error())
			}
		}
		if f.most > 0 {
			defer time.AfterFunc(f.most, func() { a.Close(context.Background()) }).Stop()
		}
		return p.follow(s, a, !o.Unattended, loaded)
	})
}

// withTool connects, and calls do with the name of the tool and the arguments as an object.
func (p *commands) withTool(cmd *cobra.Command, args []string, tool *nameFlag, do func(s *session.Session, tool string, object []byte) error) error {
	var name string
	var given invoke.Arguments
	return p.withSession(cmd, args, func(words []string) (_ []client.ListKind, err error) {
		name, given, err = tool.read(p, cmd, words)
		return []client.ListKind{client.Tools, client.Resources}, err
	}, func(s *session.Session) error {
		tools, err := p.LoadLists(s, link.Nothing, client.Tools, client.Resources)
		if err != nil {
			return err
		}
		object, err := p.encode(s, given, client.Tools, name, tools[client.Tools.Name])
		if err != nil {
			return err
		}
		return do(s, name, object)
	})
}

// appError explains why an app could not be opened.
func (p *commands) appError(s *session.Session, err error) error {
	if cause := context.Cause(p.Ctx); cause != nil {
		return cause
	}
	hint := "mcptea list tools --json shows what the tools declare."
	if st := s.State(); st.Phase == session.Ended {
		return p.Outcome(s, st.Err)
	}
	return app.FailedWith(hint, "%s", display.Sanitize(err.Error()))
}

// AppOpened is the first line that app prints with --json.
type AppOpened struct {
	URL      string `json:"url"`      // URL of the page, which opens once
	Tool     string `json:"tool"`     // tool that was called
	Resource string `json:"resource"` // URI of the document of the app
	Expires  string `json:"expires"`  // end of the time in which the URL can be opened, RFC 3339
}

// AppClosed is the last line that app prints with --json.
type AppClosed struct {
	Name        string  `json:"name,omitempty"`                // name of the app; absent if it was not initialized
	Version     string  `json:"version,omitempty"`             // version of the app
	Initialized float64 `json:"initialized_seconds,omitempty"` // seconds from the opening of the page until the app was initialized
	FromApp     int     `json:"messages_from_app"`             // messages that the app sent
	ToApp       int     `json:"messages_to_app"`               // messages that the app received
	Calls       int     `json:"calls"`                         // tools that the app has called
	Errors      int     `json:"errors"`                        // log messages of the app with the level error or above
	Violations  int     `json:"violations"`                    // violations of the app's content security policy
	Lost        int     `json:"dropped"`                       // messages that were too many
	Closed      string  `json:"closed"`                        // why
}

func (p *commands) printOpened(st apps.State) error {
	if p.JSON {
		return p.PrintDocument(AppOpened{URL: st.URL, Tool: st.Tool, Resource: st.Document.URI, Expires: st.Expires.Format(time.RFC3339)})
	}
	fmt.Fprintf(p.Err, "%s The app of %s is at this address, which can be opened once, until %s:\n", p.Err.Strong("mcptea:"), display.Sanitize(st.Tool), st.Expires.Format("15:04:05"))
	if err := p.Out.Line(st.URL); err != nil {
		return err
	}
	if p.Env.Get("SSH_CONNECTION") != "" {
		var forward []string
		for _, port := range st.Ports {
			forward = append(forward, "-L "+port+":127.0.0.1:"+port)
		}
		fmt.Fprintf(p.Err, "Over SSH, forward both ports to this machine: ssh %s …\n", strings.Join(forward, " "))
	}
	return nil
}

// follow prints the events of the app until it is closed, and asks the user. loaded is called when the page was
// loaded.
func (p *commands) follow(s *session.Session, a *apps.App, attended bool, loaded func()) error {
	changed, stop := a.Subscribe()
	defer stop()
	f := &appFollower{p: p, a: a, loaded: loaded, server: s.Config().Target.String()}
	var answers <-chan app.Answer
	if attended {
		answers = p.Answers()
	}
	for {
		f.show()
		if f.asked == 0 {
			p.ShowTrace(s)
		}
		select {
		case <-changed:
			select { // a flood would wake it for each message
			case <-time.After(followInterval):
			case <-a.Done():
			}
		case line := <-answers:
			f.answer(line)
		case <-a.Done():
			f.show()
			return f.closed()
		case <-p.Ctx.Done():
			a.Close(p.ForceCtx)
			f.show()
			_ = f.closed() // the signal decides about the exit code
			return context.Cause(p.Ctx)
		}
	}
}

// followInterval is the minimum time between two updates of an app.
const followInterval = 20 * time.Millisecond

// appFollower prints what changes in the state of an app.
type appFollower struct {
	p      *commands
	a      *apps.App
	loaded func() // called when the page was loaded
	server string // server that receives the calls of the app
	seen   apps.State

	// The question that was printed and waits. Nothing is printed below it.
	asked    int // id of the question, or 0
	question *app.Question
	askedAt  time.Time // time at which the newest part was printed
}

// show prints changes, unless a question waits: text after a question could be mistaken for part of it.
func (f *appFollower) show() {
	st := f.a.State()
	if f.asked != 0 && len(st.Questions) > 0 && st.Questions[0].ID == f.asked {
		return
	}
	if f.asked != 0 {
		fmt.Fprintln(f.p.Err)
		f.say("the question timed out, and nothing was allowed")
		f.end()
	}
	f.changes(st)
	f.seen = st
	if len(st.Questions) > 0 {
		f.ask(st.Questions[0], &st)
	}
}

func (f *appFollower) say(format string, args ...any) {
	fmt.Fprintf(f.p.Err, "%s %s\n", f.p.Err.Strong("mcptea:"), fmt.Sprintf(format, args...))
}

// changes prints the changes since the previous call.
func (f *appFollower) changes(st apps.State) {
	if f.seen.Connected.IsZero() && !st.Connected.IsZero() {
		f.loaded()
		f.say("the page was opened")
	}
	if st.Initialized != f.seen.Initialized && !st.Initialized.IsZero() {
		f.say("%s %s is initialized after %s", display.Sanitize(st.Name), display.Sanitize(st.Version), phrase.Duration(st.Initialized.Sub(st.Connected).Round(time.Millisecond)))
	}
	if n := st.Errors - f.seen.Errors; n > 0 {
		f.say("the app has logged %s; --trace prints its messages", phrase.Count(n, "error"))
	}
	if n := st.Violations - f.seen.Violations; n > 0 {
		f.say("the content security policy has blocked %s", phrase.Count(n, "request"))
	}
	if n := st.Lost - f.seen.Lost; n > 0 {
		f.say("the app sends too much: %s were dropped", phrase.Count(n, "message"))
	}
	if st.SizeLoop && !f.seen.SizeLoop {
		f.say("the app keeps changing its size; its reports are ignored")
	}
	for _, tool := range st.Refused[len(f.seen.Refused):] {
		f.say("a call of %s was refused: the tool is not annotated as read-only, and without a terminal mcptea cannot ask; --allow permits it", display.Sanitize(tool))
	}
}

// ask starts printing a question.
func (f *appFollower) ask(q apps.Question, st *apps.State) {
	c := q.Consent(fmt.Sprintf("%s, the app of the tool %s", cmp.Or(st.Name, st.Tool), st.Tool), f.server)
	if c.IsLarge() {
		f.say("the app is refused this %s: more than %s cannot be read and agreed to", q.Kind, phrase.Size(question.MaxText))
		f.a.Decide(q.ID, false)
		return
	}
	heading := map[apps.QuestionKind]string{
		apps.AskCall: "The app asks to call a tool that is not annotated as read-only.",
		apps.AskLink: "The app asks to open a page in your browser.",
		apps.AskFile: "The app asks to save a file in the working directory.",
	}[q.Kind]
	f.asked, f.question, f.askedAt = q.ID, f.p.Ask(heading, c), time.Now()
}

// answer decides about the question that was printed.
func (f *appFollower) answer(line app.Answer) {
	declined := line.Text == "n" || line.Text == "no"
	switch {
	case f.asked == 0:
		return
	case f.question.Left() > 0 && !declined:
		f.question.Page()
		f.askedAt = time.Now()
		return
	case !declined && line.At.Sub(f.askedAt) < question.Grace:
		f.say("That answer came too soon after the question to count: it may have been meant for something else.")
		f.question.Prompt()
		return
	}
	agreed := f.question.Agreed(line.Text)
	if agreed { // print the answer before frames are printed again
		f.say("allowed")
	} else {
		f.say("declined")
	}
	f.a.Decide(f.asked, agreed)
	f.end()
}

// end prints the end of a question.
func (f *appFollower) end() {
	f.asked = 0
	f.question.End()
}

// closed prints how the app was closed, and returns the error with the exit code.
func (f *appFollower) closed() error {
	st := f.a.State()
	if f.p.JSON {
		doc := AppClosed{
			Name: st.Name, Version: st.Version, FromApp: st.In, ToApp: st.Out, Calls: st.Calls,
			Errors: st.Errors, Violations: st.Violations, Lost: st.Lost, Closed: st.Why,
		}
		if !st.Initialized.IsZero() {
			doc.Initialized = st.Initialized.Sub(st.Connected).Seconds()
		}
		if err := f.p.PrintDocument(doc); err != nil {
			return err
		}
	}
	fmt.Fprintf(f.p.Err, "%s The app is closed: %s. %s from it, %s to it.\n", f.p.Err.Strong("mcptea:"), display.Sanitize(st.Why), phrase.Count(st.In, "message"), phrase.Count(st.Out, "message"))
	if st.Initialized.IsZero() {
		return app.Silent(app.ExitError)
	}
	return nil
}
