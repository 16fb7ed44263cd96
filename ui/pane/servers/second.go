// Package servers compares the server with another one beside it, and with itself in
// other versions of the protocol.
package servers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/shell"
	"mcptea/internal/words/phrase"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/diff"
	"mcptea/ui/keys"
)

// Second is the server beside that of the session.
type Second struct {
	// Own are the commands.
	Own []keys.Command

	app     app.App
	session *session.Session
	besides session.Besides
	named   Named

	mu    sync.Mutex
	other *session.Session // nil without one
}

// Named finds the server that a word names: NAME or FILE#NAME, as on the command line. It asks
// nothing, and may read files. found is false for a word that is no name.
type Named func(word string) (t client.Target, found bool, err error)

// NewSecond returns the place of a second server, without one. named may be nil.
func NewSecond(a app.App, s *session.Session, named Named) *Second {
	x := &Second{app: a, session: s, named: named}
	x.Own = []keys.Command{
		{ID: "compare.servers", Verb: keys.Second, Label: "compare servers", Help: "Connect a second server and compare what both offer", Words: "two builds versions second diff other another switch server servers", Run: func() { x.Compare("", nil) }},
		{ID: "compare.close", Label: "close second server", Help: "Close the connection to the second server", Words: "disconnect compare", Run: x.close, Off: func() string {
			return keys.Reason(x.Session() == nil, "There is no second server. "+x.app.Key("compare.servers")+" connects one.")
		}},
	}
	return x
}

// Session is that of the second server; nil without one.
func (x *Second) Session() *session.Session {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.other
}

// End closes the connection with the program.
func (x *Second) End() { x.besides.End() }

// Compare sends a call to this server and to the second one and compares the responses;
// without a call it compares what the servers offer. Without a second server it asks for
// one.
func (x *Second) Compare(method string, params []byte) {
	compare := func(doing string, connect func(context.Context) (*session.Session, error)) {
		diff.Open(x.app, doing, func(ctx context.Context) (diff.Subject, error) {
			there, err := connect(ctx)
			switch {
			case err != nil:
				return diff.Subject{}, err
			case method == "":
				return x.offers(there), nil
			}
			return x.responses(ctx, there, method, params)
		})
	}
	x.app.Online("Compare servers", func() {
		if other := x.Session(); other != nil {
			compare("Sending the call to both servers.", func(context.Context) (*session.Session, error) { return other, nil })
			return
		}
		x.ask(func(words []string) {
			compare("Connecting to the second server.", func(ctx context.Context) (*session.Session, error) { return x.connect(ctx, words) })
		})
	})
}

// ask asks for the second server.
func (x *Second) ask(then func(words []string)) {
	t := x.session.Target()
	p := dialog.Prompt{
		Title: "Compare with a second server", Verb: "connect", Value: t.URL,
		Text: "A command line, a URL, NAME or FILE#NAME, such as another build of this server. It is connected beside this one, recorded in a file of its own, and closed with mcptea.",
		Accept: func(text string) (func(), error) {
			words, err := shell.Split(text, os.LookupEnv)
			if err == nil && len(words) == 0 {
				err = errors.New("type a command line, a URL or a name")
			}
			return func() { then(words) }, err
		},
	}
	if t.IsStdio() {
		p.Value, _ = shell.Bash.Join(shell.Literals(t.Argv...))
	}
	p.Open(x.app)
}

// connect connects to a server, in a session of its own.
func (x *Second) connect(ctx context.Context, words []string) (*session.Session, error) {
	t, err := x.target(words)
	if err != nil {
		return nil, fmt.Errorf("the second server is not connected: %w", err)
	}
	s, err := session.Open(session.SecondConfig(x.session.Config(), x.session.Target(), t))
	if err != nil {
		return nil, fmt.Errorf("the second server is not connected: %w", err)
	}
	if !x.besides.Add(s) {
		return nil, context.Canceled
	}
	if err := s.Connect(ctx); err != nil {
		x.besides.Close(s)
		return nil, errors.New("the second server is not connected: " + strings.TrimSuffix(failure.Explain(err, failure.FactsOf(s)).Sentence, "."))
	}
	x.mu.Lock()
	before := x.other
	x.other = s
	x.mu.Unlock()
	if before != nil {
		x.besides.Close(before)
	}
	return s, nil
}

// target is the server that words name.
func (x *Second) target(words []string) (client.Target, error) {
	if len(words) == 1 && x.named != nil {
		if t, found, err := x.named(words[0]); found || err != nil {
			return t, err
		}
	}
	return session.SecondTarget(x.session.Target(), words), nil
}

// close closes the connection.
func (x *Second) close() {
	s := x.Session()
	x.mu.Lock()
	x.other = nil
	x.mu.Unlock()
	x.app.Go(func(context.Context) func() {
		x.besides.Close(s)
		return func() { x.app.Say("The second server is closed.") }
	})
}

// sideNames are where the two servers are.
var sideNames = [2]string{"this server", "second server"}

// offers compares what the two servers offer.
func (x *Second) offers(there *session.Session) diff.Subject {
	sessions := [2]*session.Session{x.session, there}
	var v diff.Subject
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

// responses are those of the two servers to the same call.
func (x *Second) responses(ctx context.Context, there *session.Session, method string, params []byte) (v diff.Subject, err error) {
	sessions := [2]*session.Session{x.session, there}
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
