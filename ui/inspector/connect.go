package inspector

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/internal/shell"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/question"
	"mcptea/session/session"
	"mcptea/ui/dialog"
	"mcptea/ui/pane/intercept"
	"mcptea/ui/program"
)

// Opened implements [program.Screen]: it starts connecting.
func (m *model) Opened() tea.Cmd {
	loadPins := func() tea.Msg { _ = m.pins.Load(); return nil } // the pane shows the error
	if _, recorded := m.session.Recording(); recorded {
		return loadPins
	}
	return tea.Batch(func() tea.Msg {
		m.begin() // the outcome is in the state
		return connectedMsg{}
	}, loadPins)
}

// A connectedMsg reports that the attempt to connect has ended, with or without success.
type connectedMsg struct{}

// connect connects for the first time. It returns after the attempt.
func (m *model) connect() {
	loop := m.options.Reload
	if loop == nil {
		err := m.session.Connect(m.Ctx) // the outcome is in the state
		if b := m.options.Branch; b != nil && err == nil {
			m.Work.Go(func() { _ = b.Run(m.Ctx, m.session) }) // the pane shows the error
		}
		return
	}
	connected := make(chan struct{})
	m.Work.Go(func() { loop.Run(m.Ctx, func() { close(connected) }) })
	<-connected
}

// connected shows the most useful tab, unless the user has navigated.
func (m *model) connected() {
	m.state = m.session.State()
	if m.Flash.Text == reconnecting {
		m.Flash = program.Flash{}
	}
	if m.userNavigated {
		return
	}
	switch m.state.Phase {
	case session.Ready:
		if m.options.Branch != nil {
			m.toTab(m.tab(tabBranch))
			return
		}
		if m.state.Handshake.HasCapability("tools") {
			m.activeTab = 1
		}
		m.restorePlace()
	case session.Failed:
		m.activeTab = 0
	}
}

// reconnecting is shown until the connection is ready or has failed.
const reconnecting = "Reconnecting"

// reconnect connects again, to the same server.
func (m *model) reconnect() tea.Cmd {
	if m.options.Reload != nil {
		m.options.Reload.Now()
		return nil
	}
	return func() tea.Msg {
		_ = m.session.Restart(m.Ctx) // the outcome is in the state
		return connectedMsg{}
	}
}

// restarts returns the effect of the restart command in this session.
func (m *model) restarts() string {
	if _, recorded := m.session.Recording(); recorded && !m.restartsBehind() {
		return "branch"
	}
	return "restart"
}

// restartHelps reports whether a restart is the remedy: the server has ended, or the selected list is empty.
func (m *model) restartHelps() bool {
	list := m.list()
	return m.live() && (m.state.Phase == session.Ended || list != nil && m.focus == slotTab && m.state.Phase == session.Ready && list.Empty())
}

// behind reports whether the session is a growing recording of a tap that restarts the server of its host.
func (m *model) behind(rec *session.Recording) bool { return rec.Growing && m.state.Reloads }

// live reports whether there is a server, not a recording.
func (m *model) live() bool {
	_, recorded := m.session.Recording()
	return !recorded
}

// watches reports whether the session shows the current traffic of another client and its server.
func watches(rec *session.Recording) bool { return rec.Tap && rec.Growing }

// restartsBehind reports whether the session is a recording of an active tap that restarts the server of its
// host.
func (m *model) restartsBehind() bool {
	rec, recorded := m.session.Recording()
	return recorded && m.behind(&rec) && m.options.Attach != nil
}

// ofTap calls a function with the tap that writes the recording, and shows the outcome.
func (m *model) ofTap(do func(a *intercept.Attached) (then func(), err error)) {
	rec, _ := m.session.Recording()
	m.Go(func(ctx context.Context) func() {
		a, err := m.attach(ctx, rec.Path)
		var then func()
		if err == nil {
			then, err = do(a)
			err = errors.Join(err, a.Close())
		}
		return func() {
			if err != nil {
				m.Fail(dialog.Sentence(err))
			} else if then != nil {
				then()
			}
		}
	})
}

// restartBehind restarts the server of the host of an active tap.
func (m *model) restartBehind() {
	m.Say("Restarting the server behind the host")
	m.ofTap(func(a *intercept.Attached) (func(), error) { return nil, a.Restart() })
}

// consentPage finds the consent page: of the session, or of the tap that writes the recording, which has it
// without secrets.
func (m *model) consentPage(known string, use func(url string)) {
	if _, recorded := m.session.Recording(); !recorded {
		use(known)
		return
	}
	m.ofTap(func(a *intercept.Attached) (func(), error) {
		url, _ := a.Page()
		if url == "" {
			return nil, errors.New("the tap no longer waits for a consent page")
		}
		return func() { use(url) }, nil
	})
}

// restart stops the server and connects again.
func (m *model) restart() {
	if m.restartsBehind() {
		m.restartBehind()
		return
	}
	if rec, recorded := m.session.Recording(); recorded {
		m.continueRecording(&rec)
		return
	}
	if b := m.options.Branch; b != nil {
		m.branchAgain(b.Until)
		return
	}
	m.askToEnd("Restart?", "restart", func() {
		m.Online("Connect", func() {
			if m.options.Reload == nil {
				m.Say(reconnecting)
			}
			m.Do(m.reconnect())
		})
	})
}

// branchAgain ends the session and continues the recording again from before a frame.
func (m *model) branchAgain(until int) {
	m.connectTo(ConnectTo{Continue: true, Until: until}, question.Typed())
}

// continueRecording asks for a server with which to continue the recording. It continues before the
// request of the selected frame.
func (m *model) continueRecording(rec *session.Recording) {
	row := max(m.views.traffic.Selected(), 0)
	if request, _ := m.session.Store().Related(row); request >= 0 {
		row = request
	}
	until := int(row) + 1
	m.askForTarget(fmt.Sprintf("Continue before frame #%d", until), rec.Target, ConnectTo{Continue: until > 1, Until: until})
}

// Online implements [app.App].
func (m *model) Online(what string, do func()) { m.online(what, Draft{}, do) }

// OnlineRequest implements [app.App].
func (m *model) OnlineRequest(method string, params []byte, do func()) {
	if m.hasEnded() {
		return
	}
	m.online("Send "+method, Draft{Method: method, Params: params}, func() { m.agreed(method, params, do) })
}

// OnlineFrame implements [app.App].
func (m *model) OnlineFrame(frame []byte, do func()) {
	if e := jsonrpc.Scan(frame); e.Kind == jsonrpc.Request && e.Flaws == 0 && e.Params.Present() {
		m.OnlineRequest(e.MethodName(frame), e.Params.Of(frame), do)
		return
	}
	if m.hasEnded() {
		return
	}
	parts := slices.Collect(jsonrpc.Elements(frame)) // requests of a batch
	for _, part := range append(parts, frame) {
		e, then := jsonrpc.Scan(part), do
		do = func() { m.agreed(e.MethodName(part), e.Params.Of(part), then) }
	}
	m.online("Send a frame", Draft{Frame: frame}, do)
}

// hasEnded reports whether the server process has ended, and shows that nothing is sent: how the server would
// have responded is not known.
func (m *model) hasEnded() bool {
	if _, recorded := m.session.Recording(); recorded || !m.session.Target().IsStdio() || m.session.State().Phase != session.Ended {
		return false
	}
	m.Fail("Not sent: the server has ended. " + m.Key("restart") + " restarts it.")
	return true
}

// online calls do, which needs a server: immediately, or after the user has given a server for a recording.
// what may be "" for an action without the user.
func (m *model) online(what string, draft Draft, do func()) {
	rec, recorded := m.session.Recording()
	switch {
	case !recorded:
		if what != "" {
			m.views.traffic.FollowSent()
		}
		do()
	case what != "":
		m.askForTarget(what, rec.Target, ConnectTo{Draft: draft})
	}
}

// connectTo ends the view of the recording, with the user's agreement to the target.
func (m *model) connectTo(to ConnectTo, agreed question.Agreement) {
	if !agreed.Given() {
		return
	}
	m.chosen = &to
	m.Do(tea.Quit)
}

// askForTarget asks for a server for a recording. It shows the target of the recording in full, with a
// [consent], before it is used.
func (m *model) askForTarget(what, named string, to ConnectTo) {
	own := m.options.Target
	recorded := own == "" // the target is from the recording, until the user has removed it
	text := "This needs a server, and a recording has none."
	if rec, _ := m.session.Recording(); watches(&rec) {
		text = "mcptea watches another client here, and sends nothing to its server. This needs a server of its own."
	}
	draft := to.Draft
	switch {
	case to.Until == 1:
		text = "This needs a server. No frame is before #1, so none is sent again: the session is a new one. A branch begins at a later frame."
	case to.Continue:
		text = fmt.Sprintf("This needs a server. The frames before #%d are sent to it again, then the session is live; mcptea asks before calls that are not read-only.", to.Until)
	case draft.Method != "" || draft.Frame != nil:
		text += " It is put into the composer; you send it there."
	}
	dialog.Prompt{
		Title: what, Verb: "connect", Text: text + " Connect to:", Value: cmp.Or(own, named), AtStart: recorded, Paths: true,
		Hint: func(target string) string {
			recorded = recorded && target != "" // the rest was typed
			switch redacted := redactedParts(target); {
			case len(redacted) > 0:
				return "Redacted: " + strings.Join(redacted, ", ") + ". Type the value, or $NAME for an environment variable."
			case recorded:
				return "This line is from the recording; ctrl+k clears it. You see it in full before anything starts."
			}
			return "A command line or a URL; $NAME is the value of an environment variable."
		},
		Accept: func(target string) (func(), error) {
			redacted := redactedParts(target)
			_, _, err := wordsOf(target)
			switch {
			case target == "":
				return nil, errors.New("type a command line or a URL")
			case len(redacted) > 0:
				return nil, errors.New("replace " + strings.Join(redacted, ", ") + ": the recording has no secrets")
			case err != nil:
				return nil, errors.New("write it as in a shell: " + err.Error())
			}
			to.Target = target
			if recorded {
				return func() { m.askToConnect(to) }, nil
			}
			return func() { m.connectTo(to, question.Typed()) }, nil
		},
	}.Open(m.app())
}

// wordsOf returns the words of a target, with names of environment variables instead of their values.
func wordsOf(target string) (words, variables []string, err error) {
	words, err = shell.Split(target, func(name string) (string, bool) {
		variables = append(variables, name)
		return "$" + name, true
	})
	return words, variables, err
}

// askToConnect shows the target that a recording names, and asks whether to use it.
func (m *model) askToConnect(to ConnectTo) {
	rec, _ := m.session.Recording()
	words, variables, err := wordsOf(to.Target)
	if err != nil {
		m.Fail("Write it as in a shell: " + err.Error() + ".")
		return
	}
	from := "recording " + filepath.Base(rec.Path)
	if !rec.Made.IsZero() {
		from += " of " + phrase.Date(rec.Made, m.Tick.Now)
	}
	next := "connect"
	if to.Continue {
		next = fmt.Sprintf("send the frames before #%d again, and continue", to.Until)
	}
	if to.Draft.Method != "" || to.Draft.Frame != nil {
		next = "connect, and put the request into the composer"
	}
	o := dialog.Consent{
		Text: question.Text{
			Facts: []question.Fact{{Label: "from", Text: from}, {Label: "to", Text: next}, {Label: "runs", Text: "on this machine, with your rights, without a shell"}},
			Name:  "command, a line for each argument", Lines: words, Blanks: true,
		},
		Title: "Start this command?", Yes: "start", No: "do not start", After: "the recording stays open",
		Agree: func(agreed question.Agreement) { m.connectTo(to, agreed) },
	}
	if len(words) == 1 && strings.Contains(words[0], "://") {
		o.Title, o.Name, o.Yes, o.No = "Connect to this URL?", "address", "connect", "do not connect"
		o.Facts = o.Facts[:2]
	} else if dir, err := os.Getwd(); err == nil {
		o.Facts = append(o.Facts, question.Fact{Label: "directory", Text: dir})
	}
	for i, word := range words {
		if strings.ContainsAny(word, " \t\n") && strings.ContainsAny(word, "|;&`$<>\n") {
			o.Warnings = append(o.Warnings, fmt.Sprintf("Line %d is a command line for a shell: the program may run it.", i+1))
		}
	}
	if len(variables) > 0 {
		slices.Sort(variables)
		o.Warnings = append(o.Warnings, "The values of these environment variables are inserted: "+strings.Join(slices.Compact(variables), ", ")+".")
	}
	o.Open(m.app())
}

// redactedParts returns the words of a target in which the recording has redacted a secret.
func redactedParts(target string) []string {
	var parts []string
	for _, word := range strings.Fields(target) {
		if secret.IsRedacted(word) {
			parts = append(parts, display.Cut(word, 40))
		}
	}
	return parts
}

// attach attaches to the tap that writes a recording.
func (m *model) attach(ctx context.Context, recording string) (*intercept.Attached, error) {
	if m.options.Attach == nil {
		return nil, errors.New("A recording has no frames to hold: only a connection has, or an active tap.") //nolint:revive,staticcheck // a sentence for the last line
	}
	return m.options.Attach(ctx, recording)
}
