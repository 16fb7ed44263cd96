package inspector

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
	"mcptea/offer"
	"mcptea/offer/invoke"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/diff"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/program"
)

// Chip implements [program.Chipped]. The name is the user's name for the server, if there is one, because the
// name that a server reports may belong to another one.
func (m *model) Chip() program.Chip {
	p := m.Pal
	c := program.Chip{Name: cmp.Or(m.options.Name, m.state.Handshake.Server.Name), Given: m.options.Name != ""}
	if t := m.session.Target(); c.Name == "" && t.IsStdio() && len(t.Argv) > 0 {
		c.Name = filepath.Base(t.Shown(t.Argv)[0])
	} else if u, err := url.Parse(t.URL); c.Name == "" && err == nil {
		c.Name = t.Redact(u.Host)
	}
	rec, recorded := m.session.Recording()
	c.Target = func() string {
		t := m.session.Target()
		return t.String()
	}
	if recorded {
		c.Recording = rec.Path
		c.Tap = watches(&rec)
	}
	behind := recorded && m.behind(&rec)
	switch c.State = (paint.Span{Style: p.Muted, Text: p.Ring}); {
	case behind && m.state.Phase == session.Connecting:
		c.State = paint.Span{Style: p.Warn, Text: p.Ellipsis}
	case behind && m.failed():
		c.State.Style = p.Error
	case recorded && rec.Growing, !recorded && m.state.Phase == session.Ready:
		c.State = paint.Span{Style: p.OK, Text: p.Dot}
	case recorded:
		c.State.Text = p.Absent
	case m.state.Phase == session.Connecting:
		c.State = paint.Span{Style: p.Warn, Text: p.Ellipsis}
	case m.failed():
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

// failed reports whether there is no server, because it ended or could not be reached.
func (m *model) failed() bool {
	return m.state.Phase == session.Failed || m.state.Phase == session.Ended
}

// side returns the session as a side of a comparison.
func (c compared) side(of diff.Side) diff.Side {
	t := c.Target()
	of.Name, of.Where, of.Target = c.name, c.State().Handshake.Server.String(), t.String()
	return of
}

// lacks returns a sentence if the server does not list the tool of a call, or "" if it does or if that is not
// known.
func (c compared) lacks(method string, params []byte) string {
	name := jsonrpc.Text(params, "name")
	for _, kind := range []string{"tools", "prompts"} {
		list := c.State().Lists[kind]
		if invoke.Shapes[kind].Method == method && !list.Loaded.IsZero() && !slices.ContainsFunc(list.Items, func(it offer.Item) bool { return it.Name == name }) {
			return "no " + strings.TrimSuffix(kind, "s") + " " + strconv.Quote(name) + "  "
		}
	}
	return ""
}

// servers returns the sessions with a server: this one and the others.
func (m *model) servers() (this compared, others []compared) {
	for _, s := range m.Around.Sessions() {
		o, ok := s.Screen.(*model)
		if !ok {
			continue
		}
		one := compared{o.session, s.Name, s.Place}
		if o == m {
			this = one
		} else if _, recorded := o.session.Recording(); !recorded {
			others = append(others, one)
		}
	}
	return this, others
}

// isAlone returns the reason why there is no other server to compare with.
func (m *model) isAlone() string {
	if _, recorded := m.session.Recording(); recorded {
		return "A recording has no server to compare with. " + m.Key("restart") + " continues with a server."
	}
	_, others := m.servers()
	return keys.Reason(len(others) == 0, "There is no other session to compare with. "+m.Key("session.open")+" opens another server.")
}

// compareServers compares with the only other session, or with one that the user chooses: the responses to a
// call, or without a call the offers of both servers. Servers without the called tool come last in the choice.
func (m *model) compareServers(method string, params []byte) {
	if why := m.isAlone(); why != "" {
		m.Say(why)
		return
	}
	this, others := m.servers()
	slices.SortStableFunc(others, func(a, b compared) int {
		return paint.If(a.lacks(method, params) != "", 1, 0) - paint.If(b.lacks(method, params) != "", 1, 0)
	})
	title, verb := "Compare what this server offers with", "compare"
	open := func(other compared) {
		diff.Open(m.app(), diff.Comparing, func(context.Context) (diff.Subject, error) { return offers(oldestFirst(this, other)), nil })
	}
	if method != "" {
		title, verb = "Send this call here and to", "send to both"
		open = func(other compared) {
			m.agreed(method, params, func() {
				call := this.Start(method, params)
				m.sentAgain(call)
				diff.Open(m.app(), "Sending the call to both servers.", func(ctx context.Context) (diff.Subject, error) {
					return responses(ctx, [2]compared{this, other}, [2]*session.Call{call, other.Start(method, params)}, params)
				})
			}, this, other)
		}
	}
	if len(others) == 1 && method == "" { // a call goes only to a server that the user has seen
		open(others[0])
		return
	}
	dialog.Choose{
		Title: title, Verb: verb, Len: func() int { return len(others) },
		Entry: func(i int) dialog.Entry {
			o := others[i]
			t := o.Target()
			return dialog.Entry{Key: o.name, Name: o.name, Summary: o.lacks(method, params) + o.State().Handshake.Server.String() + "  " + t.String()}
		},
		Accept: func(i int) { open(others[i]) },
	}.Open(m.app())
}

// oldestFirst returns two sessions in the order in which they were opened. So a comparison
// describes the change from the first to the second.
func oldestFirst(a, b compared) [2]compared {
	if b.place < a.place {
		return [2]compared{b, a}
	}
	return [2]compared{a, b}
}

// offers compares what two servers offer.
func offers(sessions [2]compared) (v diff.Subject) {
	for i, s := range sessions {
		v.Sides[i] = s.side(diff.Side{})
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

// responses compares the responses of two servers to the same call.
func responses(ctx context.Context, sessions [2]compared, calls [2]*session.Call, params []byte) (v diff.Subject, err error) {
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
			return v, errors.New(s.name + ": " + strings.TrimSuffix(text, "."))
		}
		of := s.Store()
		_, rows[i] = of.Related(calls[i].Ref().Row())
		frames[i], paths[i] = response.Frame, of.Path()
		v.Sides[i] = s.side(diff.SideOf(s, rows[i]))
	}
	v.About = strings.TrimSpace(calls[0].Name+" "+string(jsonrpc.Get(params, "arguments"))) + phrase.Signs(" · same call to both")
	v.Frames = true
	v.Compare = func(_ context.Context, o diff.Options) (diff.Result, error) { return diff.Values(frames, o) }
	v.Command = diff.Command(paths, rows)
	return v, nil
}
