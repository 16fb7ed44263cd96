package inspector

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/diff"
	"mcptea/ui/paint"
	"mcptea/ui/program"
)

// Chip implements [program.Chipped]. The name is the one that the user has opened the server by,
// where there is one: what a server calls itself may be that of another one.
func (m *model) Chip() program.Chip {
	p := m.Pal
	c := program.Chip{Name: cmp.Or(m.options.Name, m.state.Handshake.Server.Name), Given: m.options.Name != ""}
	if t := m.session.Target(); c.Name == "" && t.IsStdio() && len(t.Argv) > 0 {
		c.Name = filepath.Base(t.Argv[0])
	} else if u, err := url.Parse(t.URL); c.Name == "" && err == nil {
		c.Name = u.Host
	}
	rec, recorded := m.session.Recording()
	if recorded {
		c.Recording = rec.Path
	}
	switch c.State = (paint.Span{Style: p.Muted, Text: p.Ring}); {
	case recorded && rec.Growing, !recorded && m.state.Phase == session.Ready:
		c.State = paint.Span{Style: p.OK, Text: p.Dot}
	case recorded:
		c.State.Text = p.Absent
	case m.state.Phase == session.Connecting:
		c.State = paint.Span{Style: p.Warn, Text: p.Ellipsis}
	case m.state.Phase == session.Failed || m.state.Phase == session.Ended:
		c.State.Style = p.Error
	}
	add := func(st paint.Style, sign string, n int) {
		if n > 0 {
			c.More = append(c.More, paint.Span{Style: st, Text: sign + phrase.Digits(n)})
		}
	}
	if !recorded {
		c.Asks = m.inbox.Waiting()
		if _, asks := m.Window().(app.Alone); asks {
			c.Asks++
		}
	}
	errs, _ := m.problems.Total()
	add(p.AskedBold, "?", c.Asks)
	add(p.WarnBold, p.Pause, m.intercept.Waiting())
	add(p.Error, p.FailMark, errs)
	return c
}

// compareServers has the user choose another session, and compares what both servers respond to a
// call, or without one what they offer.
func (m *model) compareServers(method string, params []byte) {
	var others []*model
	for _, s := range m.Around.Screens() {
		o, ok := s.(*model)
		if !ok || o == m {
			continue
		}
		if _, recorded := o.session.Recording(); !recorded {
			others = append(others, o)
		}
	}
	_, recorded := m.session.Recording()
	switch {
	case recorded:
		m.Say("A recording has no server to compare with. " + m.Key("restart") + " goes on with one.")
		return
	case len(others) == 0:
		m.Say("There is no other session to compare with. " + m.Key("session.open") + " opens another server.")
		return
	}
	title, verb := "Compare what this server offers with", "compare"
	open := func(both [2]*session.Session) {
		diff.Open(m.app(), diff.Comparing, func(context.Context) (diff.Subject, error) { return offers(both), nil })
	}
	if method != "" {
		title, verb = "Send this call here and to", "send to both"
		open = func(both [2]*session.Session) {
			diff.Open(m.app(), "Sending the call to both servers.", func(ctx context.Context) (diff.Subject, error) { return responses(ctx, both, method, params) })
		}
	}
	dialog.Choose{
		Title: title, Verb: verb, Len: func() int { return len(others) },
		Entry: func(i int) dialog.Entry {
			t := others[i].session.Target()
			return dialog.Entry{Key: phrase.Digits(i), Name: others[i].serverName(), Summary: t.String()}
		},
		Accept: func(i int) { open([2]*session.Session{m.session, others[i].session}) },
	}.Open(m.app())
}

// sideNames are where two servers are that are compared.
var sideNames = [2]string{"this session", "other session"}

// offers compares what two servers offer.
func offers(sessions [2]*session.Session) (v diff.Subject) {
	for i, s := range sessions {
		v.Sides[i] = diff.Side{Name: s.State().Handshake.Server.String() + " (" + sideNames[i] + ")"}
	}
	v.Compare = func(ctx context.Context, o diff.Options) (r diff.Result, err error) {
		var values [2][]byte
		for i, s := range sessions {
			if values[i], err = s.Offered(ctx); err != nil {
				return r, err
			}
		}
		return diff.Values(values, o)
	}
	return v
}

// responses are those of two servers to the same call.
func responses(ctx context.Context, sessions [2]*session.Session, method string, params []byte) (v diff.Subject, err error) {
	var calls [2]*session.Call
	for i, s := range sessions {
		calls[i] = s.Start(method, params)
	}
	var frames [2][]byte
	var rows [2]int32
	var paths [2]string
	for i, s := range sessions {
		select {
		case <-calls[i].Done():
		case <-ctx.Done():
			return v, context.Cause(ctx)
		}
		response, err := calls[i].Outcome()
		if err != nil {
			text := failure.Explain(err, failure.Facts{Connected: true}).Sentence
			return v, errors.New(sideNames[i] + ": " + strings.TrimSuffix(text, "."))
		}
		of := s.Store()
		_, rows[i] = of.Related(calls[i].Ref().Row())
		frames[i], paths[i] = response.Frame, of.Path()
		v.Sides[i] = diff.SideOf(s, rows[i])
		v.Sides[i].Name, v.Sides[i].Where = s.State().Handshake.Server.String(), sideNames[i]
	}
	v.About = strings.TrimSpace(calls[0].Name+" "+string(jsonrpc.Get(params, "arguments"))) + phrase.Signs(" · same call to both")
	v.Frames = true
	v.Compare = func(_ context.Context, o diff.Options) (diff.Result, error) { return diff.Values(frames, o) }
	v.Command = diff.Command(paths, rows)
	return v, nil
}
