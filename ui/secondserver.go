package ui

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/session"
	"mcptea/session/diff"
	"mcptea/session/failure"
	"mcptea/session/requests"
	"mcptea/session/shell"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/dialog"
	"mcptea/ui/paint"
	"mcptea/ui/pane/compare"
)

// secondMsg is what became of the connection to a second server.
type secondMsg struct {
	session *session.Session // nil with an error
	err     error
	then    action.CompareServers
}

// compareServers sends a call to this server and to the second one and compares the
// responses; without a call it compares what the servers offer. Without a second server
// it asks for one.
func (m *model) compareServers(a action.CompareServers) tea.Cmd {
	switch {
	case m.second == nil:
		m.askSecond(a)
		return nil
	case a.Method == "":
		return m.compareOffered()
	}
	here, there := m.session, m.second
	m.say(action.Flash{Text: "Sending the call to both servers.", Stay: true})
	ctx := m.ctx
	return func() tea.Msg {
		calls := [2]*session.Call{here.Start(a.Method, a.Params), there.Start(a.Method, a.Params)}
		for _, c := range calls {
			select {
			case <-c.Done():
			case <-ctx.Done():
				return nil
			}
		}
		for i, c := range calls {
			if _, err := c.Outcome(); err != nil {
				text := [2]string{"This server: ", "The second server: "}[i] + failure.Explain(err, failure.Facts{Connected: true}).Sentence
				return readMsg{action.Flash{Text: text, Wrong: true}}
			}
		}
		return compareMsg{valuesOf([2]*session.Session{here, there}, calls)}
	}
}

// valuesOf are the responses of two servers to the same call.
func valuesOf(sessions [2]*session.Session, calls [2]*session.Call) compare.Values {
	v := compare.Values{Subject: strings.TrimSpace(calls[0].Name+" "+string(argumentsOf(calls[0].Params))) + " · same call to both"}
	var frames [2][]byte
	var rows [2]int32
	var paths [2]string
	for i, s := range sessions {
		of := s.Store()
		request := of.RequestRow(0, string(calls[i].Last()))
		_, rows[i] = of.Related(request)
		response, _ := calls[i].Outcome()
		frames[i], paths[i] = response.Frame, of.Path()
		v.Sides[i] = sideOf(of, rows[i], s.FindingsAt(rows[i]))
		v.Sides[i].Name = paint.Sanitize(s.State().Handshake.Server.String())
		v.Sides[i].Where = [2]string{"this server", "second server"}[i]
		v.Sides[i].Row = store.None // the sides are not frames of one session
	}
	v.Read = func() ([2][]byte, error) { return frames, nil }
	v.Command = func(swapped bool, ignored []string, strict bool) string {
		if paths[0] == "" || paths[1] == "" {
			return ""
		}
		a, b := 0, 1
		if swapped {
			a, b = 1, 0
		}
		return diffCommand(frameOf(paths[a], rows[a]), frameOf(paths[b], rows[b]), ignored, strict)
	}
	return v
}

// compareOffered compares what the two servers offer.
func (m *model) compareOffered() tea.Cmd {
	names := [2]string{}
	sessions := [2]*session.Session{m.session, m.second}
	for i, s := range sessions {
		names[i] = paint.Sanitize(s.State().Handshake.Server.String()) + [2]string{" (this server)", " (second server)"}[i]
	}
	m.show(newDiffWindow(names, m.background, func(ctx context.Context, o diff.Options) (r diffResult) {
		var values [2][]byte
		for i, s := range sessions {
			if values[i], r.err = offered(ctx, s); r.err != nil {
				return r
			}
		}
		return compareOffersOf(values, o)
	}))
	return nil
}

// listsTimeout is how long the lists of a server that was connected may take.
const listsTimeout = 30 * time.Second

// offered returns the lists of a server as one JSON object, once they are there.
func offered(ctx context.Context, s *session.Session) ([]byte, error) {
	ctx, stop := context.WithTimeoutCause(ctx, listsTimeout, errors.New("the lists of the server did not arrive within "+paint.HumanDuration(listsTimeout)))
	defer stop()
	changed, unsubscribe := s.Store().Subscribe()
	defer unsubscribe()
	for {
		lists := s.State().Lists
		out, loading := []byte("{"), false
		for _, kind := range client.ListKinds {
			l := lists[kind.Name]
			loading = loading || l.Loading
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(out, `"`+kind.Member+`":[`...)
			for i, item := range l.Items {
				if i > 0 {
					out = append(out, ',')
				}
				out = append(out, item.Raw...)
			}
			out = append(out, ']')
		}
		if !loading {
			return append(out, '}'), nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// askSecond asks for the second server.
func (m *model) askSecond(then action.CompareServers) {
	t := m.session.Target()
	p := dialog.Prompt{
		Title: "Compare with a second server", Verb: "connect", Value: t.URL,
		Text: "A command line or a URL, such as another build of this server. It is connected beside this one, recorded in a file of its own, and closed with mcptea.",
		Accept: func(text string) (func(), error) {
			if text == "" {
				return nil, errors.New("type a command line or a URL")
			}
			return func() { m.app().Do(action.ConnectSecond{Target: text, Then: then}) }, nil
		},
	}
	if t.IsStdio() {
		p.Value, _ = shell.Bash.Join(shell.Literals(t.Argv...))
	}
	p.Open(m.app())
}

// connectSecond connects to a second server, in a session of its own.
func (m *model) connectSecond(a action.ConnectSecond) tea.Cmd {
	words, err := shell.Split(a.Target, os.LookupEnv)
	if err != nil {
		m.say(action.Flash{Text: dialog.Sentence(err), Wrong: true})
		return nil
	}
	cfg := secondConfig(m.session.Config(), m.session.Target(), words)
	m.say(action.Flash{Text: "Connecting to the second server.", Stay: true})
	ctx := m.ctx
	return func() tea.Msg {
		s, err := session.Open(cfg)
		if err != nil {
			return secondMsg{err: err}
		}
		if !m.beside.add(s) {
			return nil
		}
		if err := s.Connect(ctx); err != nil {
			m.beside.close(s)
			return secondMsg{err: errors.New(strings.TrimSuffix(failure.Explain(err, failure.FactsOf(s)).Sentence, "."))}
		}
		return secondMsg{session: s, then: a.Then}
	}
}

// secondConfig is the configuration of the second server: that of the first one with
// another target. Credentials and headers go to the same host only.
func secondConfig(cfg session.Config, first client.Target, words []string) session.Config {
	t := client.Target{Argv: words, Grace: first.Grace}
	if len(words) == 1 && (strings.HasPrefix(words[0], "http://") || strings.HasPrefix(words[0], "https://")) {
		t = client.Target{URL: words[0]}
	}
	switch {
	case t.IsStdio() && first.IsStdio():
		t.Env, t.Dir = first.Env, first.Dir
	case !t.IsStdio() && !first.IsStdio() && sameHost(t.URL, first.URL):
		t.Header, t.Transport = first.Header.Clone(), first.Transport
	default:
		cfg.Authorization = nil
	}
	cfg.Target = t
	if cfg.Record != "off" && cfg.Record != "" {
		cfg.Record = session.UnusedRecording(cfg.Record)
	}
	for _, policy := range []*requests.Policy{&cfg.Policies.Sampling, &cfg.Policies.Elicitation} {
		if policy.Mode != requests.PolicyNone { // the same capabilities; no pane shows its requests
			*policy = requests.Policy{Mode: requests.PolicyDecline}
		}
	}
	cfg.Faults, cfg.Reconnect = nil, false
	return cfg
}

// sameHost reports whether two URLs have the same scheme, host and port.
func sameHost(a, b string) bool { return originOf(a) != "" && originOf(a) == originOf(b) }

// secondConnected takes the second server.
func (m *model) secondConnected(msg secondMsg) tea.Cmd {
	if msg.err != nil {
		m.say(action.Flash{Text: "The second server is not connected: " + msg.err.Error() + ".", Wrong: true})
		return nil
	}
	if m.second != nil {
		m.beside.close(m.second)
	}
	m.second = msg.session
	m.say(action.Flash{Text: "Connected to " + paint.Sanitize(m.second.State().Handshake.Server.String()) + "."})
	return m.actLater(msg.then)
}

// disconnectSecond closes the second server.
func (m *model) disconnectSecond() tea.Cmd {
	if m.second == nil {
		return m.act(action.Flash{Text: "There is no second server. " + command.KeyOf(command.CompareServers) + " connects one."})
	}
	s := m.second
	m.second = nil
	return func() tea.Msg {
		m.beside.close(s)
		return readMsg{action.Flash{Text: "The second server is closed."}}
	}
}

// secondShutdown bounds the end of the second server.
const secondShutdown = 5 * time.Second

// besides are the sessions beside that of the screen, which end with the program. The
// methods may be called from any goroutine.
type besides struct {
	mu    sync.Mutex
	open  []*session.Session
	ended bool
}

// add takes a session. After the end it closes the session and reports false.
func (b *besides) add(s *session.Session) bool {
	b.mu.Lock()
	ended := b.ended
	if !ended {
		b.open = append(b.open, s)
	}
	b.mu.Unlock()
	if ended {
		closeSession(s)
	}
	return !ended
}

func (b *besides) close(s *session.Session) {
	b.mu.Lock()
	b.open = slices.DeleteFunc(b.open, func(one *session.Session) bool { return one == s })
	b.mu.Unlock()
	closeSession(s)
}

// end closes all sessions, and those that are added later.
func (b *besides) end() {
	b.mu.Lock()
	open := b.open
	b.open, b.ended = nil, true
	b.mu.Unlock()
	for _, s := range open {
		closeSession(s)
	}
}

func closeSession(s *session.Session) {
	ctx, stop := context.WithTimeout(context.Background(), secondShutdown)
	defer stop()
	_ = s.Close(ctx) // its recording has what was written until then
}
